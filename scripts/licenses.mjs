/**
 * Lists the packages in a bundle and their licenses.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the directories of the packages that have code in a bundle. */
export function packagesOf({ outputs }) {
  const inputs = Object.values(outputs).flatMap(({ inputs: used }) =>
    Object.entries(used).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  return [...new Set(packages)].sort();
}

/** Returns all their licenses, one after another. */
export function licensesOf(packages) {
  return packages.map((path) => `${nameOf(path)}\n\n${licenseOf(path)}\n`).join('\n\n');
}

/** Returns a short notice: packages with the same license together, and the Apache License by its address. */
export function noticeOf(packages) {
  const byLicense = new Map();
  for (const path of packages) {
    const text = licenseOf(path);
    const isApache = text.startsWith('Apache License') && text.includes('Version 2.0');
    const terms = isApache ? 'Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0' : text;
    byLicense.set(terms, [...(byLicense.get(terms) ?? []), nameOf(path)]);
  }
  const notices = [...byLicense].map(([terms, names]) => `${names.join(', ')}:\n${terms}`);
  return `This page contains\n\n${notices.join('\n\n')}`;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function licenseOf(path) {
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${path} has no license`);
  return readFileSync(`${path}/${file}`, 'utf8').trim();
}
