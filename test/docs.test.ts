/**
 * What documents point to exists: files and headings that they link to, and files and folders that they name.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...markdownIn('docs/decisions'),
  ...markdownIn('docs/design'),
];
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => normalize(join(folder, name)));
}

/** A heading's address as GitHub makes it: "How sure it is" → "how-sure-it-is". */
function anchorsOf(path: string): Set<string> {
  const headings = [...withoutCode(textOf(path)).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '');
}

test('links between documents lead to files and headings that exist', () => {
  const broken = PAGES.flatMap((page) =>
    [...withoutCode(textOf(page)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !leadsSomewhere(link, page))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(link: string, from: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || !path.endsWith('.md') || anchorsOf(path).has(anchor);
}

/** `src/…`, `cli/…` and so on, in backticks; NAME, HASH and * stand for something. */
const NAMED = /`((?:src|cli|test|bench|fuzz|scripts|fixtures|sql|recipes)\/[\w./-]*)`/g;

test('documents name files and folders that exist', () => {
  const missing = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    [...textOf(page).matchAll(NAMED)]
      .map(([, path = '']) => path)
      .filter((path) => !/[A-Z]{4}/.test(path) && !existsSync(join(ROOT, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});
