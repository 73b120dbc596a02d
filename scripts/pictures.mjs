/**
 * Draws the pictures of the documents from bundled traces: `npm run pictures`. With a folder, draws there every kind of page
 * in every state, at four widths, light and dark, to be looked at: `npm run pictures -- FOLDER`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const PROGRAMS = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];
const executablePath = PROGRAMS.find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) throw new Error('no Chromium found: install it, or set CHROMIUM to its path');

const RECORDING = 'fixtures/waits/waits.data.gz';
/** The programs of the recording, by the path that it knows. */
const BINARIES = {
  'opt/wl/lab/waitlab': 'waitlab',
  'usr/lib/x86_64-linux-gnu/libc.so.6': 'libc.so.6',
  'usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2': 'ld-linux-x86-64.so.2',
};
const DEMO = 'fixtures/demo/threads.perf.txt.gz';
const made = mkdtempSync(join(tmpdir(), 'ptflame-pictures-'));
const ptflame = (...args) => execFileSync(process.execPath, ['dist/cli/main.js', ...args, '-q']);
const unpack = (from, to) => {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, gunzipSync(readFileSync(from)));
};
const recording = join(made, 'waitlab.data');
unpack(RECORDING, recording);
for (const [path, name] of Object.entries(BINARIES)) unpack(`fixtures/waits/root/${name}.gz`, join(made, 'root', path));
const WAITS = [recording, '--symfs', join(made, 'root')];

/** Each kind of page, by name. */
const PAGES = {
  report: () => ptflame('render', ...WAITS, '-o', page('report')),
  demo: () => ptflame('render', DEMO, '-o', page('demo')),
  blocked: () => ptflame('render', ...WAITS, '--blocked-by', '-o', page('blocked')),
  diff: () => ptflame('diff', DEMO, '--before', 'tid=5002', '--after', 'tid=5004', '-o', page('diff')),
  merged: () => {
    for (const name of ['a', 'b'])
      ptflame('render', ...(name === 'a' ? WAITS : [DEMO]), '-o', join(made, `${name}.json`));
    ptflame('merge', join(made, 'a.json'), join(made, 'b.json'), '-o', page('merged'));
  },
  offline: () => ptflame('page', '-o', page('offline')),
};
const page = (name) => join(made, `${name}.html`);

/** States of the report, by their address. */
const STATES = {
  start: '',
  panel: '#function=handle_request',
  calls: '#function=handle_request&tab=calls',
  waits: '#function=handle_request&tab=waits',
  tree: '#view=tree',
  inverted: '#view=tree&inverted=1&width=cpu',
  functions: '#view=functions&columns=total,share,self,calls,avg,p50,p99,max',
  threads: '#view=threads',
  timeline: '#chart=9171',
  range: '#range=48000000-105000000',
  rest: '#range=48000000-105000000&against=rest&function=handle_request',
  hidden: '#hide=pure-waits',
  collapsed: '#collapse=libc.so.6',
  zoomed: '#hide=pure-waits&zoom=[libc.so.6+0x1098c0];[libc.so.6+0x88ef0];session',
  search: '#search=futex',
};
const WIDTHS = [1440, 1024, 768, 390];

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** Screens of the offline page, by what brings them up. */
const SCREENS = {
  start: async () => {},
  failed: (tab) => drop(tab, 'docs/report.png'),
  working: async (tab) => {
    const text = gunzipSync(readFileSync(DEMO));
    writeFileSync(join(made, 'large.txt'), Buffer.concat(new Array(Math.ceil(4e8 / text.length)).fill(text)));
    await drop(tab, join(made, 'large.txt'));
    await tab.locator('.working progress[value]').waitFor();
  },
  needs: (tab) => drop(tab, 'fixtures/recordings/waits.data', 'fixtures/recordings/root/opt/ptflame/loop'),
  menu: async (tab) => {
    await drop(tab, DEMO);
    await tab.getByRole('button', { name: 'Recording' }).click();
  },
  replace: async (tab) => {
    await drop(tab, DEMO);
    await tab.locator('.table .head button').first().waitFor({ state: 'attached' });
    await drop(tab, 'fixtures/lab/demo-cre.txt');
  },
  compared: async (tab) => {
    const recordings = ['cpus-2', 'cpus-4'].map((name) => `fixtures/recordings/${name}.data`);
    await drop(tab, ...recordings, 'fixtures/recordings/root/opt/ptflame/threads');
    await tab.locator('.table .head button').first().waitFor({ state: 'attached' });
  },
};

async function drop(tab, ...files) {
  const session = await tab.context().newCDPSession(tab);
  const data = { items: [], files: files.map((file) => resolve(file)), dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'])
    await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
}

async function draw(name, hash, file, { width, height = 900, colorScheme = 'light' }, act = async () => {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const tab = await context.newPage();
  const faults = [];
  tab.on('pageerror', (error) => faults.push(String(error)));
  await tab.goto(pathToFileURL(page(name)).href + hash);
  await act(tab);
  await tab.waitForTimeout(800); // until tables and findings are drawn
  await tab.screenshot({ path: file });
  if (faults.length > 0) throw new Error(`${name}${hash}: ${faults.join('; ')}`);
  if (hash !== '' && (await tab.locator('.notice').isVisible())) throw new Error(`${name} lacks what ${hash} names`);
  if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth))
    throw new Error(`${name}${hash} is wider than ${width} pixels`);
  await context.close();
}

/** The pictures of the documents. */
async function drawDocuments() {
  PAGES.report();
  mkdirSync('docs/pictures', { recursive: true });
  const size = { width: 1280, height: 720 };
  await draw('report', STATES.panel, 'docs/report.png', size);
  for (const [at, state] of ['start', 'hidden', 'tree', 'calls', 'timeline'].entries())
    await draw('report', STATES[state], `docs/pictures/${at + 1}-${state}.png`, size);
}

async function drawAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const make of Object.values(PAGES)) make();
  for (const width of WIDTHS)
    for (const colorScheme of ['light', 'dark']) {
      const look = { width, colorScheme };
      for (const [state, hash] of Object.entries(STATES))
        await draw('report', hash, join(folder, `report-${state}-${width}-${colorScheme}.png`), look);
      for (const name of ['demo', 'blocked', 'diff', 'merged'])
        await draw(name, '', join(folder, `${name}-${width}-${colorScheme}.png`), look);
      for (const [screen, act] of Object.entries(SCREENS))
        await draw('offline', '', join(folder, `offline-${screen}-${width}-${colorScheme}.png`), look, act);
    }
}

try {
  await (process.argv[2] === undefined ? drawDocuments() : drawAll(process.argv[2]));
} finally {
  await browser.close();
  rmSync(made, { recursive: true });
}
