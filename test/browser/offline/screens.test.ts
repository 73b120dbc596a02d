/**
 * The screens of the offline page, from a dropped file to a report, and back.
 */
import { copyFile, readFile, truncate } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { pack } from 'tar-stream';
import { beforeAll, describe, expect } from 'vitest';
import { expectAccessible } from '../../helpers/browser/axe.js';
import { press, windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, problem, reportShown, save, shown } from '../../helpers/browser/offline-page.js';
import { eventually, hashOf, labels, pick, rows } from '../../helpers/browser/report-page.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { putTogether, takeApart, withBuildIds } from '../../helpers/perf/rewrite.js';

const browser = windows('html', { acceptDownloads: true });
const lenient = windows('html', { bypassCSP: true });

const TEXT = fixturePath('lab/demo-cre.txt');
const RECORDING = fixturePath('recordings/cpus-2.data');
const BINARY = fixturePath('recordings/root/opt/ptflame/threads');
const OTHER_BINARY = fixturePath('recordings/root/opt/ptflame/loop');
const BUILD_ID = '0bc117e3a6d08f9d2a43360adcfec0609fc77b21';
const OTHER_BUILD_ID = 'ff01220b811f3f657ddf8706bdd20a1e65149f43';

const THREE_RECORDINGS = ['cpus-2', 'cpus-4', 'lossy'].map((name) => fixturePath(`recordings/${name}.data`));

const heading = '.screen h2';

describe('says why it cannot show', () => {
  const PNG = Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(100, 'x'), 'latin1');
  const tar = Buffer.alloc(1024);
  tar.write('other-file', 0);
  tar.write('ustar', 257);
  const CASES: readonly (readonly [name: string, content: Uint8Array, reason: RegExp])[] = [
    ['picture.png', PNG, /picture\.png is an image/],
    ['trace.zip', Buffer.from('PK\x03\x04'.padEnd(100, 'x'), 'latin1'), /trace\.zip is a zip archive/],
    ['trace.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...PNG]), /compressed with zstd/],
    ['other.tar.gz', gzipSync(tar), /other\.tar\.gz is an archive \(tar\)/],
    ['words.txt', Buffer.from('no trace at all\n'), /found no Intel PT branches/],
    ['empty.txt', new Uint8Array(), /empty|no Intel PT branches/],
    ['page.html', Buffer.from('<!doctype html>\n<p>x</p>'), /page\.html is an HTML page/],
  ];

  let page: Page;
  beforeAll(async () => {
    page = await openOfflinePage(browser);
  });

  test.for(CASES)('%s', async ([name, content, reason], { dir }) => {
    await drop(page, await dir.write(name, content));
    await eventually(() => page.locator(heading).textContent()).toBe(`Cannot show ${name}`);
    const [message, ...remedy] = await problem(page);
    expect(message).toMatch(reason);
    expect(remedy.join('')).not.toBe('');
    expect(remedy.join('')).not.toContain('bug in ptflame');
  });

  test('what it was given, until it is given a trace', async () => {
    await drop(page, TEXT);
    await reportShown(page);
    expect(await shown(page)).toBe('report');
    await page.close();
  });

  test('a truncated pack, and one that was tampered with', async ({ dir }) => {
    const pack = await packIn(dir);
    await copyFile(pack, dir.file('cut.pack'));
    await truncate(dir.file('cut.pack'), 9000);
    const page = await openOfflinePage(browser);
    await drop(page, dir.file('cut.pack'));
    expect(await shown(page)).toBe('start');
    expect((await problem(page))[0]).toMatch(/^cannot unpack cut\.pack: /);
    const bytes = await readFile(pack);
    bytes[bytes.length - 200] ^= 0xff;
    await drop(page, await dir.write('bad.pack', bytes));
    await page.getByText('Cannot show bad.pack').waitFor();
    expect((await problem(page))[0]).toMatch(/^cannot unpack bad\.pack: /);
    await page.close();
  });

  test('a pack that unpacks to far more than any pack does', async ({ dir }) => {
    const archive = pack();
    const manifest = { format: 'ptflame-pack', version: 1, name: 'perf.data', missing: [], hasKallsyms: false };
    archive.entry({ name: 'ptflame-pack.json' }, JSON.stringify(manifest));
    archive.entry({ name: 'recording' }, '\0'.repeat(120_000_000));
    archive.finalize();
    const page = await openOfflinePage(browser);
    await drop(page, await dir.write('zeros.pack', gzipSync(await buffer(archive))));
    expect(await shown(page)).toBe('start');
    expect((await problem(page))[0]).toMatch(/^cannot unpack zeros\.pack: it unpacks to more than \d+ bytes/);
    await page.close();
  });

  test('a binary without its recording, and three recordings', async () => {
    const page = await openOfflinePage(browser);
    await drop(page, BINARY);
    expect(await shown(page)).toBe('start');
    expect((await problem(page))[0]).toContain('a program or library, not a recording');
    await drop(page, ...THREE_RECORDINGS);
    await page.getByText('these are 3 recordings, and the page compares two at most').waitFor();
    await page.close();
  });
});

test('a trace without times is shown by its calls', async () => {
  const page = await openOfflinePage(browser);
  await drop(page, fixturePath('lab/fields-timeless-no-time.txt'));
  expect(await shown(page)).toBe('start');
  await page.getByRole('button', { name: 'Show calls' }).click();
  expect(await shown(page)).toBe('report');
  await page.close();
});

async function packIn(dir: Directory): Promise<string> {
  const root = fixturePath('recordings/root');
  expect(await ptflame(['pack', RECORDING, '--symfs', root, '-o', dir.file('x.pack'), '-q'])).toMatchObject({
    exitCode: 0,
  });
  return dir.file('x.pack');
}

describe('a recording without its binaries', () => {
  const states = '.binaries li';

  test('lists them, and takes them one after another', async () => {
    const page = await openOfflinePage(browser);
    await drop(page, RECORDING);
    expect(await shown(page)).toBe('needs');
    expect(await page.locator(heading).textContent()).toBe('cpus-2.data needs the binaries that ran');
    expect(await page.locator(`${states} .recorded`).allTextContents()).toEqual(['/opt/ptflame/threads']);
    expect(await page.locator(`${states} .state`).allTextContents()).toEqual(['missing']);
    await drop(page, OTHER_BINARY);
    await page.getByText('Not needed by this recording: loop').waitFor();
    await drop(page, BINARY);
    await reportShown(page);
    await page.close();
  });

  test('can be shown without them, which is lost time', async ({ dir }) => {
    await copyFile(RECORDING, dir.file('my run.data'));
    const page = await openOfflinePage(browser);
    await drop(page, dir.file('my run.data'));
    expect(await shown(page)).toBe('needs');
    expect(await page.locator('.screen.needs').innerText()).toContain("ptflame pack 'my run.data' -o trace.pack");
    expect(await page.locator('.screen.needs .count').textContent()).toBe('0 of 1 is here');
    await page.getByRole('button', { name: 'Show without it' }).click();
    expect(await shown(page)).toBe('report');
    expect(await page.locator('header .trust').textContent()).toMatch(/^[\d.]+ % lost/);
    expect(await page.locator('#trust .warnings').first().textContent()).toContain('/opt/ptflame/threads');
    await pick(page, 'Save', 'Copy link');
    await page.getByText('link copied; it opens this page without the recording').waitFor();
    await drop(page, BINARY);
    await page.locator('header .trust', { hasText: 'Nothing lost' }).waitFor();
    await page.close();
  });

  test('takes a better one after another of the same name was shown', async ({ dir }) => {
    await copyFile(OTHER_BINARY, dir.file('threads'));
    const page = await openOfflinePage(browser);
    await drop(page, RECORDING, dir.file('threads'));
    expect(await shown(page)).toBe('report');
    expect(await page.locator('header .trust').textContent()).toMatch(/^[\d.]+ % lost/);
    const words = [await page.locator('#trust').textContent(), await page.locator('.finding').textContent()];
    for (const text of words) expect(text).toMatch(/^(?!.*--symfs).*drop on this page the builds that ran/s);
    await drop(page, BINARY);
    await page.locator('header .trust', { hasText: 'Nothing lost' }).waitFor();
    expect(await page.locator('dialog.ask').count()).toBe(0);
    await page.close();
  });

  test('takes them by their build ids, whatever their names, and names other builds', async ({ dir }) => {
    const recording = withBuildIds(takeApart(await readFile(RECORDING)), { '/opt/ptflame/threads': BUILD_ID });
    const path = await dir.write('perf.data', putTogether(recording));
    await copyFile(OTHER_BINARY, dir.file('threads'));
    await copyFile(BINARY, dir.file('renamed'));
    const page = await openOfflinePage(browser);
    await drop(page, path, dir.file('threads'));
    expect(await shown(page)).toBe('needs');
    expect(await page.locator(`${states} .state`).allTextContents()).toEqual(['another build']);
    expect(await page.locator(`${states} .ids`).textContent()).toBe(`wanted ${BUILD_ID}, found ${OTHER_BUILD_ID}`);
    await drop(page, dir.file('renamed'));
    await reportShown(page);
    expect(await page.locator('header .trust').textContent()).toMatch(/^Nothing lost/);
    await page.close();
  });

  test('can be shown without a binary of which another build is here', async ({ dir }) => {
    const recording = withBuildIds(takeApart(await readFile(RECORDING)), { '/opt/ptflame/threads': BUILD_ID });
    const path = await dir.write('perf.data', putTogether(recording));
    await copyFile(OTHER_BINARY, dir.file('threads'));
    const page = await openOfflinePage(browser);
    await drop(page, path, dir.file('threads'));
    expect(await shown(page)).toBe('needs');
    await page.getByRole('button', { name: 'Show without' }).click();
    expect(await shown(page)).toBe('report');
    expect(await page.locator('#trust .warnings').first().locator('li').allTextContents()).toEqual([
      '/opt/ptflame/threads: other build',
      'To see their code, drop on this page the builds that ran.',
    ]);
    expect(await page.locator('header .trust').textContent()).toMatch(/^[\d.]+ % lost/);
    await page.close();
  });

  test('is left by Escape, or by dropping another recording', async () => {
    const page = await openOfflinePage(browser);
    await drop(page, RECORDING);
    expect(await shown(page)).toBe('needs');
    await press(page, 'Escape');
    expect(await page.locator(heading).textContent()).toBe('Drop a recording anywhere');
    await drop(page, RECORDING);
    expect(await shown(page)).toBe('needs');
    await drop(page, fixturePath('recordings/cpus-4.data'), BINARY);
    await reportShown(page);
    await page.close();
  });
});

describe('a report', () => {
  test('asks before another file replaces it, and leaves nothing behind', async () => {
    const page = await openOfflinePage(browser);
    await page.getByRole('button', { name: 'Try the demo' }).click();
    expect(await shown(page)).toBe('report');
    const demo = (await labels(page)).length;
    await press(page, 'i');
    await eventually(() => hashOf(page)).not.toBe('');
    await drop(page, TEXT);
    await page.getByRole('button', { name: 'Keep the report' }).click();
    expect((await labels(page)).length).toBe(demo);
    await drop(page, TEXT);
    await page.getByRole('button', { name: 'Open it' }).click();
    await page.locator('.screen').waitFor({ state: 'detached' });
    await eventually(() => page.title()).not.toContain('demo');
    expect(await shown(page)).toBe('report');
    expect(await hashOf(page)).toBe('');
    for (const left of ['header', '#trust', 'main', '.tooltip', 'dialog.help'])
      expect(await page.locator(left).count(), left).toBe(1);
    await press(page, 'v'); // the keys of the first report would change the view twice
    await eventually(() => hashOf(page)).toBe('view=tree');
    await page.close();
  });

  test('is closed, after which another one can be opened', async () => {
    const page = await openOfflinePage(browser);
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    const before = await rows(page);
    await page.getByRole('button', { name: 'Recording' }).click();
    await page.getByRole('menuitem', { name: 'Close this one' }).click();
    expect(await page.locator(heading).textContent()).toBe('Drop a recording anywhere');
    expect(await page.title()).toBe('ptflame');
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    expect(await rows(page)).toEqual(before);
    await page.close();
  });

  test('opens as a link says', async () => {
    const page = await openOfflinePage(browser);
    await page.evaluate(() => {
      location.hash = '#view=tree';
    });
    await drop(page, TEXT);
    await page.locator('.table[aria-label="Call tree"]').waitFor({ state: 'attached' });
    expect(await save(page, 'Folded')).toMatchObject({ name: 'demo-cre.folded' });
    await page.close();
  });
});

/** In Firefox, only the engine has loaded. */
const prepares = process.env['PTFLAME_TEST_BROWSER'] !== 'firefox';

test('workers have loaded before a drop; Escape cancels the work, and ends them at once', async ({ dir }) => {
  const text = await readFile(fixturePath('lab/demo-cre.txt'), 'utf8');
  const path = await dir.write('large.txt', text.repeat(Math.ceil(1e8 / text.length)));
  const page = await openOfflinePage(browser, 2);
  await eventually(() => page.workers().length).toBe(prepares ? 3 : 1); // the engine has two
  const prepared = page.workers();
  await drop(page, path);
  await page.locator('.working progress[value]').waitFor();
  expect(await page.locator('.working .phase').textContent()).toMatch(/^Reading [\d.]+ [kM]B of 100\.0 MB$/);
  if (prepares) expect(page.workers()).toEqual(prepared);
  await press(page, 'Escape');
  expect(await page.locator(heading).textContent()).toBe('Drop a recording anywhere');
  await eventually(() => page.workers().filter((worker) => prepared.includes(worker))).toEqual([]);
  await page.close();
});

test('what needs more memory than there is is refused before the browser ends the page', async ({ dir }) => {
  const lines = Array.from({ length: 100_000 }, (_, n) => {
    const address = (0x1000000 + 64 * n).toString(16);
    return `7 [000] 1.${String(10 * n).padStart(9, '0')}: call 401000 main+0x0 => ${address} function_${n}+0x0\n`;
  });
  const path = await dir.write('many.txt', lines.join(''));
  const page = await openOfflinePage(browser, 2, 0.08);
  await drop(page, path);
  expect(await shown(page)).toBe('start');
  const [message, remedy] = await problem(page);
  expect(message).toContain('need more memory than');
  expect(remedy).toContain('Use the command line');
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  await page.close();
});

test('every screen is accessible, in both themes', async () => {
  const page = await openOfflinePage(lenient);
  await expectAccessible(page);
  await drop(page, RECORDING, OTHER_BINARY);
  expect(await shown(page)).toBe('needs');
  await expectAccessible(page);
  await drop(page, ...THREE_RECORDINGS);
  await page.locator('.screen.start .problem').waitFor(); // the screen before may still be there
  await expectAccessible(page);
  await drop(page, TEXT);
  await reportShown(page);
  await expectAccessible(page, 'header');
  await drop(page, TEXT);
  await page.locator('dialog.ask').waitFor();
  await expectAccessible(page, 'dialog.ask');
  await page.close();
});

test('nothing is wider than a phone', async () => {
  const page = await openOfflinePage(browser);
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await drop(page, fixturePath('recordings/waits.data'));
  expect(await shown(page)).toBe('needs');
  expect(await overflow()).toBeLessThanOrEqual(0);
  const rows = await page
    .locator('.binaries li')
    .evaluateAll((items) =>
      items.map((item) => [item.clientHeight, item.scrollHeight, item.querySelector('.recorded')?.clientWidth ?? 0]),
    );
  expect(rows.length).toBeGreaterThan(1);
  for (const [height = 0, content, width] of rows) {
    expect(content).toBeLessThanOrEqual(height); // long paths do not run into the next row
    expect(width).toBeGreaterThan(150);
  }
  await page.close();
});
