/**
 * What the page saves of each file of a folder is what the command line writes, and it refuses what that refuses; also where
 * its workers share memory. PTFLAME_TEST_FOLDERS names other folders, separated by colons, and PTFLAME_TEST_CORES how many
 * cores the page is told of: 1,2,4.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, problem, save, shown } from '../../helpers/browser/offline-page.js';
import { staticServer } from '../../helpers/browser/static-server.js';
import { type Directory, fixturePath, PROGRAM, ptflame, test } from '../../helpers/cli/run-cli.js';

const browser = windows('html', { acceptDownloads: true });

const FOLDERS = process.env['PTFLAME_TEST_FOLDERS']?.split(':') ?? [fixturePath('hostile')];
const CORES = (process.env['PTFLAME_TEST_CORES'] ?? '2').split(',').map(Number);

const host = staticServer();
host.folder = dirname(PROGRAM);
host.headers = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

async function openIsolated(): Promise<Page> {
  const page = await browser.openServed(`${host.address}/ptflame.html`, '');
  await page.locator('.screen.start').waitFor();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  return page;
}
const MENU = { folded: 'Folded stacks', json: 'Profile', html: 'Report page' } as const;
const FORMATS = ['folded', 'json', 'html'] as const;
const MANY_BYTES = 2 ** 26;
/** Too little for workers, also if it is compressed. */
const FEW_BYTES = 2 ** 16;

function filesBelow(folder: string): string[] {
  return filesIn(folder).filter(
    (path) => !/\/root\/|README|\.(?:md|mjs|ts|c|cc|py|sh)$/.test(path) && statSync(path).size < MANY_BYTES,
  );
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** The binaries of a recording lie in a folder named root, next to it or above; some are compressed, and useless here. */
function rootOf(path: string): string | null {
  for (let folder = dirname(path); folder.length > 1; folder = dirname(folder)) {
    const root = join(folder, 'root');
    if (existsSync(root) && filesIn(root).every((file) => !file.endsWith('.gz'))) return root;
  }
  return null;
}

/** Returns why the command line refuses a file; null: it has written all of it. */
async function refused(path: string, root: string, dir: Directory): Promise<string | null> {
  const outputs = FORMATS.flatMap((format) => ['-o', dir.file(`wanted.${format}`)]);
  const workers = statSync(path).size > FEW_BYTES ? ['-j', '2'] : []; // they have to be those of a process of its own
  const args = ['render', basename(path), '--symfs', root, ...outputs, ...workers, '-q'];
  const { exitCode, stderr } = await ptflame(args, { cwd: dirname(path) });
  return exitCode === 0 ? null : stderr;
}

async function differencesOf(page: Page, path: string, root: string, refusal: string | null, dir: Directory) {
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

const cases = FOLDERS.flatMap((folder) =>
  filesBelow(folder).map((path) => [relative(dirname(folder), path), path] as const),
);

test('each file of a folder', { timeout: 60_000 * cases.length }, async ({ dir }) => {
  const pages = new Map<string, Page>();
  for (const cores of CORES) pages.set(`${cores} cores`, await openOfflinePage(browser, cores));
  pages.set('shared memory', await openIsolated());
  const found: string[] = [];
  for (const [name, path] of cases) {
    const root = rootOf(path) ?? dir.path;
    const refusal = await refused(path, root, dir);
    for (const [kind, page] of pages) {
      const differences = await differencesOf(page, path, root, refusal, dir).catch((error) => [String(error)]);
      found.push(...differences.map((difference) => `${name}, ${kind}: ${difference}`));
    }
  }
  expect(found).toEqual([]);
});
