/**
 * A hosted copy of the offline page: packs of its own origin, isolation, and recordings that another page hands over.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { windows } from '../../helpers/browser/browser.js';
import { drop, problem, save, shown } from '../../helpers/browser/offline-page.js';
import { eventually, hashOf, pick } from '../../helpers/browser/report-page.js';
import { staticServer } from '../../helpers/browser/static-server.js';
import { fixturePath, ptflame, startPtflame, test } from '../../helpers/cli/run-cli.js';

const browser = windows('html', { acceptDownloads: true });
// what is refused is written to the console
const complaining = windows('html');
afterAll(() => {
  complaining.complaints.splice(0);
  complaining.requests.splice(0);
});
const host = staticServer();
const other = staticServer();

const TEXT = fixturePath('lab/demo-cre.txt');

/** Addresses that no pack is read of. */
const OTHER_ADDRESSES: readonly (readonly [name: string, address: () => string])[] = [
  ['another origin', () => `${other.address}/trace.pack`],
  ['another origin, without its scheme', () => other.address.replace('http:', '')],
  ['another origin, with backslashes', () => other.address.replace('http://', '\\\\\\\\')],
  ['a script', () => "javascript:alert('here')"],
  ['data', () => 'data:,x'],
  ['a file', () => 'file:///etc/passwd'],
  ['a password', () => `http://me:secret@${new URL(other.address).host}/trace.pack`],
  ['nonsense', () => 'http://['],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ptflame-hosted-'));
  const run = await startPtflame(['page', '--to', 'public', '-q'], { cwd: folder });
  expect(run.exitCode).toBe(0);
  host.folder = join(folder, 'public');
  const symfs = fixturePath('recordings/root');
  const pack = ['pack', fixturePath('recordings/cpus-2.data'), '--symfs', symfs, '-o', 'public/trace.pack', '-q'];
  expect(await ptflame(pack, { cwd: folder })).toMatchObject({ exitCode: 0 });
  other.folder = join(folder, 'public');
  await writeFile(join(other.folder, 'opener.html'), '<link rel="icon" href="data:,"><button>Open</button>');
  other.headers = { 'access-control-allow-origin': '*' };
  host.redirects.set('/detour.pack', `${other.address}/trace.pack`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('ptflame serve offers the page, isolated: its workers share memory, and nothing is requested', async () => {
  const serving = startPtflame(['serve'], { input: null });
  const [line] = (await once(serving.stdout as NonNullable<typeof serving.stdout>, 'data')) as [Buffer];
  const page = await browser.openServed(String(line).trim(), '');
  await page.locator('.screen.start').waitFor();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  serving.kill('SIGINT');
  expect((await serving).exitCode).toBe(0);
});

test('ptflame serve TRACE offers the page, isolated, in View', async () => {
  await ptflame(['import', TEXT, '-o', 'trace.ptf', '-q'], { cwd: folder });
  const serving = startPtflame(['serve', 'trace.ptf'], { cwd: folder, input: null });
  const [line] = (await once(serving.stdout as NonNullable<typeof serving.stdout>, 'data')) as [Buffer];
  const report = await browser.openServed(String(line).trim(), '');
  const opened = report.context().waitForEvent('page');
  await pick(report, 'View', 'Open a recording…');
  const page = await opened;
  await page.locator('.screen.start').waitFor();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await drop(page, TEXT);
  expect(await shown(page)).toBe('report');
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Dark' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Open a recording…' }).count()).toBe(0);
  serving.kill('SIGINT');
  expect((await serving).exitCode).toBe(0);
});

describe('pack= in the address', () => {
  test('opens a pack of the same origin, and leaves the rest of the address to the report', async () => {
    const page = await browser.openServed(`${host.address}/open.html`, '#pack=trace.pack&view=tree');
    await page.locator('.table[aria-label="Call tree"]').waitFor({ state: 'attached' });
    expect(await hashOf(page)).toBe('view=tree');
    await page.close();
  });

  test.for(OTHER_ADDRESSES)('is refused for %s', async ([, address]) => {
    other.seen.splice(0);
    const page = await browser.openServed(`${host.address}/open.html`, `#pack=${encodeURIComponent(address())}`);
    expect(await shown(page)).toBe('start');
    expect((await problem(page))[0]).toContain(`is not at ${host.address}`);
    expect(other.seen).toEqual([]);
    await page.close();
  });

  test('is refused where it leads to another origin, or nowhere', async () => {
    other.seen.splice(0);
    for (const [name, reason] of [
      ['detour.pack', 'cannot read detour.pack'],
      ['missing.pack', 'cannot read missing.pack: the server says 404'],
    ] as const) {
      const page = await complaining.openServed(`${host.address}/open.html`, `#pack=${name}`);
      expect(await shown(page)).toBe('start');
      expect((await problem(page))[0]).toContain(reason);
      await page.close();
    }
    expect(other.seen).toEqual([]);
  });
});

describe('its workers share memory', () => {
  const isIsolated = (page: Page) => page.evaluate(() => crossOriginIsolated);

  test('by headers, and what it saves is the same', async ({ dir }) => {
    const list = await readFile(join(host.folder, '_headers'), 'utf8');
    const [, isolation = ''] = /^\/index\.html\n((?: {2}.*\n)+)/m.exec(list) ?? [];
    host.headers = Object.fromEntries(
      isolation
        .trim()
        .split('\n')
        .map((line) => line.trim().split(': ')),
    );
    const page = await browser.openServed(`${host.address}/`, '');
    host.headers = {};
    expect(await isIsolated(page)).toBe(true);
    const text = await readFile(TEXT, 'utf8');
    await copyFile(join(host.folder, 'trace.pack'), dir.file('trace.pack'));
    await writeFile(dir.file('large.txt'), text.repeat(Math.ceil(6e7 / text.length))); // enough for workers
    for (const file of ['trace.pack', 'large.txt']) {
      await drop(page, dir.file(file));
      if (file === 'large.txt') await page.getByRole('button', { name: 'Open it' }).click();
      if (file === 'large.txt') await page.locator('.screen.working').waitFor();
      expect(await shown(page)).toBe('report');
      const run = await ptflame(['render', file, '-j', '2', '-o', 'wanted.html', '-q'], { cwd: dir.path });
      expect(run).toMatchObject({ exitCode: 0 });
      const { bytes } = await save(page, 'Report page');
      expect(bytes.equals(await readFile(dir.file('wanted.html'))), file).toBe(true);
    }
    await page.close();
  });

  test('by a service worker where the host sets no headers, except in the page that others open', async () => {
    const page = await browser.openServed(`${host.address}/`, '');
    await eventually(() => isIsolated(page).catch(() => false)).toBe(true); // it is loaded again
    await page.locator('.screen.start').waitFor(); // until then nothing hears a drop
    await drop(page, TEXT);
    expect(await shown(page)).toBe('report');
    await page.goto(`${host.address}/open.html`);
    expect(await isIsolated(page)).toBe(false);
    await page.close();
  });
});

describe('another page hands a recording over', () => {
  /** Opens the page from another origin. `says`: hears 'PONG', then returns what to send. */
  async function openedByOther(says: string): Promise<{ opener: Page; page: Page }> {
    const opener = await complaining.openServed(`${other.address}/opener.html`, '');
    await opener.evaluate(
      ([address, script]) => {
        const send = new Function('page', 'origin', `return (${script})(page, origin)`);
        document.querySelector('button')?.addEventListener('click', () => {
          const page = open(`${address}/open.html`) as Window;
          const timer = setInterval(() => page.postMessage('PING', '*'), 50);
          addEventListener('message', ({ source, origin, data }) => {
            if (source !== page || data !== 'PONG') return;
            clearInterval(timer);
            send(page, origin);
          });
        });
      },
      [host.address, says],
    );
    const [page] = await Promise.all([opener.waitForEvent('popup'), opener.getByRole('button').click()]);
    return { opener, page };
  }

  const TRACE = `new TextEncoder().encode(${JSON.stringify(readFileSync(TEXT, 'utf8'))}).buffer`;
  const message = (name: string) => `{ ptflame: { files: [{ name: ${JSON.stringify(name)}, content: ${TRACE} }] } }`;
  const question = 'dialog.ask';

  test('after a question that names its origin', async () => {
    const { opener, page } = await openedByOther(`(page, origin) => page.postMessage(${message('trace.txt')}, origin)`);
    await page.locator(question).waitFor();
    expect(await page.locator(`${question} h2`).textContent()).toBe('Open trace.txt?');
    expect(await page.locator(`${question} p`).textContent()).toContain(`${other.address} hands it over`);
    await page.getByRole('button', { name: 'Open it' }).click();
    expect(await shown(page)).toBe('report');
    await Promise.all([page.close(), opener.close()]);
  });

  test('a flood is one question, and nobody is heard after a refusal', async () => {
    const { opener, page } = await openedByOther(`(page, origin) => {
      globalThis.flood = () => { for (let at = 0; at < 1000; at++) page.postMessage(${message('<b>\u202e.txt')}, origin); };
      flood();
    }`);
    await page.locator(question).waitFor();
    expect(await page.locator(question).count()).toBe(1);
    expect(await page.locator(`${question} b`).count()).toBe(0); // names are text
    await page.getByRole('button', { name: 'Refuse' }).click();
    await opener.evaluate('flood()');
    await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
    expect(await page.locator(question).count()).toBe(0);
    expect(await page.locator('.screen.start').count()).toBe(1);
    await Promise.all([page.close(), opener.close()]);
  });

  test('anything but files is not heard', async () => {
    const { opener, page } = await openedByOther(`(page, origin) => {
      const file = { name: 'x', content: new ArrayBuffer(4) };
      for (const data of [null, 1, 'PONG', {}, { ptflame: null }, { ptflame: { files: [] } }, { ptflame: { files: 'x' } },
        { ptflame: { files: [null] } }, { ptflame: { files: [{ ...file, name: {} }] } },
        { ptflame: { files: [{ ...file, content: 'x' }] } }, { ptflame: { files: Array(2000).fill(file) } }])
        page.postMessage(data, origin);
      page.postMessage(${message('last.txt')}, origin);
    }`);
    await page.locator(question).waitFor();
    expect(await page.locator(`${question} h2`).textContent()).toBe('Open last.txt?');
    await Promise.all([page.close(), opener.close()]);
  });

  test('only the page that opened it is heard', async () => {
    const { opener, page } = await openedByOther('() => {}');
    await page.evaluate((text) => {
      const data = { ptflame: { files: [{ name: 'x.txt', content: new TextEncoder().encode(text).buffer }] } };
      postMessage(data, '*'); // from itself
      dispatchEvent(new MessageEvent('message', { data, origin: 'https://example.com', source: null }));
    }, 'x');
    await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
    expect(await page.locator(question).count()).toBe(0);
    await Promise.all([page.close(), opener.close()]);
  });
});
