/**
 * `npm run bench:offline -- FILE…`: drops files on the offline page in Chromium, and compares it with the command line,
 * whose page is opened in Chromium, too. `--drops N FILE` drops one N times, in one page and in new pages, and counts what
 * hangs. See docs/performance.md.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { type Cost, measure } from '../measure.js';
import { inNewPage, startBrowser } from '../page/browser.js';
import { BrowserCost, closeReport, drop, openPage, settle } from './drops.js';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    page: { type: 'string', default: 'dist/cli/ptflame.html' },
    jobs: { type: 'string', default: '2' },
    runs: { type: 'string', default: '3' },
    drops: { type: 'string' },
    timeout: { type: 'string', default: '300' },
  },
});
const page = resolve(values.page);
const jobs = Number(values.jobs);
const timeoutMs = 1000 * Number(values.timeout);
const folder = mkdtempSync(join(tmpdir(), 'ptflame-bench-offline-'));

/** One page for half of the drops, and a new one for each of the others. */
async function countHangs(file: string, drops: number): Promise<void> {
  const browser = await startBrowser();
  const seconds: number[] = [];
  const hung: string[] = [];
  let shared = await openPage(browser, page, jobs);
  for (let at = 0; at < drops; at++) {
    const isNew = at % 2 === 1;
    const own = isNew ? await openPage(browser, page, jobs) : shared;
    try {
      seconds.push(await drop(own, [file], timeoutMs));
      if (!isNew) await closeReport(own);
    } catch (error) {
      hung.push(`drop ${at + 1}, in ${isNew ? 'a new page' : 'the same page'}: ${String(error).split('\n')[0]}`);
      if (!isNew) shared = await openPage(browser, page, jobs);
    }
    if (isNew) await own.close();
  }
  await browser.close();
  seconds.sort((a, b) => a - b);
  const [median = Number.NaN] = seconds.slice(seconds.length >> 1);
  print(
    `${basename(file)}: ${drops} drops, ${hung.length} hung; median ${median.toFixed(2)} s, longest ${(seconds.at(-1) ?? Number.NaN).toFixed(2)} s`,
  );
  for (const line of hung) print(line);
  if (hung.length > 0) process.exitCode = 1;
}

/** Drop → the graph is painted; CPU and memory: until the page is idle. */
async function pageCost(browser: Browser, file: string): Promise<Cost> {
  const own = await openPage(browser, page, jobs);
  const cost = await BrowserCost.start(browser);
  const wallSeconds = await drop(own, [file], timeoutMs);
  await settle(own);
  const all = await cost.end();
  await own.close();
  return { ...all, wallSeconds };
}

/** `ptflame render`, and its page opened until the graph is painted; likewise. */
async function commandCost(browser: Browser, file: string): Promise<Cost> {
  const html = join(folder, 'page.html');
  const run = await measure(['node', 'dist/cli/main.js', 'render', file, '-j', `${jobs}`, '-o', html, '-q']);
  const cost = await BrowserCost.start(browser);
  const [paintedMs, opened] = await inNewPage(browser, html, async (own) => {
    const paintedMs = await own.evaluate(() => window.bench.loaded);
    await settle(own);
    return [paintedMs, await cost.end()] as const;
  });
  return {
    wallSeconds: run.wallSeconds + paintedMs / 1000,
    cpuSeconds: run.cpuSeconds + opened.cpuSeconds,
    peakBytes: Math.max(run.peakBytes, opened.peakBytes),
  };
}

/** Both take turns, each in a browser of its own, which spreads other load on the machine evenly. */
async function compare(file: string, runs: number): Promise<void> {
  print(
    `${basename(file)}, ${(statSync(file).size / 1e6).toFixed(0)} MB, ${jobs} workers: drop → graph painted / ptflame render and its page opened`,
  );
  const inOwnBrowser = async (measured: (browser: Browser, file: string) => Promise<Cost>) => {
    const browser = await startBrowser();
    const cost = await measured(browser, file);
    await browser.close();
    return cost;
  };
  for (let run = 0; run < runs; run++) {
    const [own, command] = [await inOwnBrowser(pageCost), await inOwnBrowser(commandCost)];
    const pair = (digits: number, of: (cost: Cost) => number) =>
      `${of(own).toFixed(digits)} / ${of(command).toFixed(digits)} (${(of(own) / of(command)).toFixed(2)} ×)`;
    print(
      `wall ${pair(1, ({ wallSeconds }) => wallSeconds)} s, CPU ${pair(1, ({ cpuSeconds }) => cpuSeconds)} s, peak ${pair(0, ({ peakBytes }) => peakBytes / 1e6)} MB`,
    );
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  for (const file of files.map((path) => resolve(path)))
    if (values.drops === undefined) await compare(file, Number(values.runs));
    else await countHangs(file, Number(values.drops));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
