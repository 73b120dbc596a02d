/**
 * The library runs in pages: the example is built by Vite as a user would, opened in Chromium, and given recordings.
 */
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { beforeAll, describe, expect } from 'vitest';
import { reportOf } from '../../src/answers.js';
import { analyze, renderSvg } from '../../src/index.js';
import { windows } from '../helpers/browser/browser.js';
import { eventually } from '../helpers/browser/report-page.js';
import { staticServer } from '../helpers/browser/static-server.js';
import { type Directory, fixturePath, ptflame, test } from '../helpers/cli/run-cli.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDING = fixturePath('recordings/cpus-4.data');
const BINARY = fixturePath('recordings/root/opt/ptflame/threads');
const ISOLATION = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

const browser = windows('html');
const server = staticServer();

/** The package is found as a bundler finds an installed one: by its `exports`. */
async function built(dir: Directory): Promise<string> {
  const root = dir.file('example');
  await cp(`${ROOT}/examples/vite`, root, { recursive: true, filter: (path) => !path.includes('node_modules') });
  await mkdir(`${root}/node_modules`);
  await symlink(ROOT, `${root}/node_modules/ptflame`);
  await build({ root, logLevel: 'error', configFile: false });
  return `${root}/dist`;
}

describe.each([
  ['without shared memory', {}],
  ['with shared memory', ISOLATION],
] as const)('%s', (_, headers) => {
  beforeAll(() => {
    server.headers = headers;
  });

  test('the example shows what the library finds in Node', async ({ dir }) => {
    server.folder = await built(dir);
    const page = await browser.openServed(`${server.address}/`, '');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe('cross-origin-opener-policy' in headers);
    const symfs = fixturePath('recordings/root');
    const profile = await analyze([RECORDING], { symfs, durations: true });
    const { functions } = reportOf(profile, { sort: 'self', top: 10 });
    const wanted = functions.map(({ name, selfNs }) => `${name}: ${(selfNs / 1e6).toFixed(3)} ms`);
    const run = await ptflame(['pack', RECORDING, '--symfs', symfs, '-o', 'trace.pack', '-q'], { cwd: dir.path });
    expect(run).toMatchObject({ exitCode: 0 });
    for (const files of [[RECORDING, BINARY], [dir.file('trace.pack')]]) {
      await page.locator('input').setInputFiles(files);
      await eventually(() => page.locator('[role=status]').textContent()).toMatch(/^\d+ functions/);
      expect(await page.locator('li').allTextContents()).toEqual(wanted);
    }
    const picture = await page.evaluate(async () => (await fetch(document.querySelector('img')?.src ?? '')).text());
    expect(picture).toContain('<svg');
    await page.locator('input').setInputFiles([fixturePath('lab/demo-cre.txt')]);
    const text = [...renderSvg(await analyze([fixturePath('lab/demo-cre.txt')], { durations: true }))].join('');
    await eventually(() =>
      page.evaluate(async () => (await fetch(document.querySelector('img')?.src ?? '')).text()),
    ).toBe(text);
    await page.locator('input').setInputFiles([`${ROOT}/docs/report.png`]);
    await eventually(() => page.locator('[role=status]').textContent()).toMatch(/is an image.*\(INPUT_KIND\)$/);
    await page.close();
  });
});

test('the example is of this package and of the Vite that builds it here', async () => {
  const example = JSON.parse(await readFile(`${ROOT}/examples/vite/package.json`, 'utf8'));
  const { version } = JSON.parse(await readFile(`${ROOT}/node_modules/vite/package.json`, 'utf8'));
  expect(example.devDependencies).toEqual({ vite: version });
});
