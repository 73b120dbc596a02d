/**
 * Runs before all tests: finds the programs that they need, installs missing ones if permitted, and lists what is still
 * missing. Tests that need it are skipped (`needs`).
 */
import type { TestProject } from 'vitest/node';
import { install, mayInstall } from './install.js';
import { type FoundPrograms, findPrograms, missingFrom, type Program } from './programs.js';

declare module 'vitest' {
  export interface ProvidedContext {
    programs: FoundPrograms;
  }
}

export default function setup(project: TestProject): void {
  let found = findPrograms();
  if (missingFrom(found).length > 0 && mayInstall()) {
    install(missingFrom(found));
    found = findPrograms();
  }
  const missing = missingFrom(found);
  if (missing.length > 0) process.stderr.write(`\n${messageOf(missing)}\n\n`);
  project.provide('programs', found);
}

function messageOf(missing: readonly Program[]): string {
  const packages = missing.map(({ packages: [first] }) => first).join(' ');
  return [
    'Some tests are skipped, because programs that they need are missing:',
    ...missing.map(({ name, why, otherwise }) => `  ${name}, which ${why} (${otherwise})`),
    `On Debian: apt-get install ${packages}`,
  ].join('\n');
}
