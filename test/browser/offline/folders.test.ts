/**
 * What the page saves of each file of a folder is what the command line writes, and it refuses what that refuses.
 * PTFLAME_TEST_FOLDERS names other folders, separated by colons: with 1, 2 and 4 workers.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, problem, save, shown } from '../../helpers/browser/offline-page.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const browser = windows('html', { acceptDownloads: true });

const NAMED = process.env['PTFLAME_TEST_FOLDERS'];
const FOLDERS = NAMED?.split(':') ?? [fixturePath('hostile')];
/** Of the machine, as the page is told. */
const CORES = NAMED === undefined ? [2] : [1, 2, 4];
const MENU = { folded: 'Folded stacks', json: 'Profile', html: 'Report page' } as const;
const FORMATS = ['folded', 'json', 'html'] as const;
const MANY_BYTES = 2 ** 26;

function filesBelow(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter(
    (path) => !/\/root\/|README|\.(?:md|mjs|ts|c|cc|py|sh)$/.test(path) && statSync(path).size < MANY_BYTES,
  );
}

/** The binaries of a recording lie in a folder named root, next to it or above. */
function rootOf(path: string): string | null {
  for (let folder = dirname(path); folder.length > 1; folder = dirname(folder))
    if (existsSync(join(folder, 'root'))) return join(folder, 'root');
  return null;
}

/** Returns why the command line refuses a file; null: it has written all of it. */
async function refused(path: string, root: string, dir: Directory): Promise<string | null> {
  const outputs = FORMATS.flatMap((format) => ['-o', dir.file(`wanted.${format}`)]);
  const args = ['render', basename(path), '--symfs', root, ...outputs, '-q'];
  const { exitCode, stderr } = await ptflame(args, { cwd: dirname(path) });
  return exitCode === 0 ? null : stderr;
}

async function differences(page: Page, path: string, root: string, refusal: string | null, dir: Directory) {
  await drop(page, path, ...(root === dir.path ? [] : filesIn(root)));
  let screen = await shown(page);
  if (screen === 'needs') {
    await page.getByRole('button', { name: /Show without/ }).click();
    await page.locator('.screen.needs').waitFor({ state: 'detached' });
    screen = await shown(page);
  }
  if (screen === 'start') {
    const [told = ''] = await problem(page);
    return refusal?.includes(told) ? [] : [`refused: ${told}; the command line: ${refusal ?? 'no'}`];
  }
  const found: string[] = [];
  if (refusal !== null) found.push(`shown; the command line: ${refusal}`);
  else
    for (const format of FORMATS) {
      const { bytes } = await save(page, MENU[format]);
      if (!bytes.equals(await readFile(dir.file(`wanted.${format}`)))) found.push(`${format}: not the same`);
    }
  await page.getByRole('button', { name: 'Recording' }).click();
  await page.getByRole('menuitem', { name: 'Close this one' }).click();
  await page.locator('.screen.start').waitFor();
  return found;
}

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const cases = FOLDERS.flatMap((folder) =>
  filesBelow(folder).map((path) => [relative(dirname(folder), path), path] as const),
);

test('each file of a folder', { timeout: 60_000 * cases.length }, async ({ dir }) => {
  const pages = await Promise.all(CORES.map((cores) => openOfflinePage(browser, cores)));
  const found: string[] = [];
  for (const [name, path] of cases) {
    const root = rootOf(path) ?? dir.path;
    const refusal = await refused(path, root, dir);
    for (const page of pages)
      for (const difference of await differences(page, path, root, refusal, dir).catch((error) => [
        String(error).slice(0, 300),
      ]))
        found.push(`${name}, ${CORES[pages.indexOf(page)]} cores: ${difference}`);
  }
  expect(found).toEqual([]);
});
