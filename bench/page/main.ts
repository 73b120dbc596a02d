/**
 * `npm run bench:page`: writes report pages of large profiles, opens them in Chromium, prints how long it all takes.
 * See docs/performance.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { analyzeForPage, type PageContents } from '../../src/page/contents/analyze-for-page.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { machineFacts } from '../report.js';
import { type ShownTime, startBrowser, type Visit, visit } from './browser.js';
import type { Places } from './in-page.js';
import { type PageBenchOptions, readOptions } from './options.js';
import { type BenchPage, type PageFile, writeOtherPage, writePage, writerOf } from './page-file.js';
import { placesOf } from './places.js';
import { makeProfile, PROFILES } from './profile.js';
import { markdown, type PageReport } from './report.js';
import { type D3Timing, measureD3Page, measureYardstick, writeD3Page, type Yardstick } from './yardsticks.js';

/** Has one thread, so a bare flame graph can draw all of it. */
const D3_PROFILE = '100k-one-thread';
const D3_RUNS = 3;

interface WrittenPage {
  readonly name: string;
  readonly path: string;
  readonly file: PageFile;
  readonly places: Places;
  readonly shown: ShownTime | null;
  readonly visits: Visit[];
  /** The page of the other build; null: there is none. */
  readonly other: { readonly path: string; readonly visits: Visit[] } | null;
}

/** What `--time-detail` is by default: 4 MiB, as base64. */
const TIMELINE_BYTES = (4 * 2 ** 20 * 3) / 4;

async function bench(options: PageBenchOptions, folder: string): Promise<PageReport> {
  const pages: WrittenPage[] = [];
  const writeOther = options.otherBuild === null ? null : await writerOf(options.otherBuild);
  for await (const [name, contents] of pagesOf(options)) {
    logProgress(`${name}: the page`);
    const path = join(folder, `${pages.length}.html`);
    const shown = contents.timeline && shownTime(contents.timeline);
    const other = writeOther && { path: join(folder, `${pages.length}-other.html`), visits: [] };
    if (writeOther !== null && other !== null) await writeOtherPage(writeOther, contents, other.path);
    const places = placesOf(contents.profile);
    pages.push({ name, path, file: await writePage(contents, path), places, shown, visits: [], other });
  }
  const browser = await startBrowser();
  try {
    const yardsticks = await measureRounds(browser, pages, options.runs, folder);
    const withD3 = options.withD3 && options.profiles.includes(D3_PROFILE);
    const compared = withD3 ? { name: D3_PROFILE, runs: await measureD3Runs(browser, folder) } : null;
    const machine = machineFacts(options.date);
    const written = pages.map(({ name, file, visits, other }) => ({
      name,
      file,
      visits,
      otherVisits: other?.visits ?? null,
    }));
    return {
      machine,
      browser: `Chromium ${browser.version()}`,
      runs: options.runs,
      yardsticks,
      pages: written,
      compared,
    };
  } finally {
    await browser.close();
  }
}

async function* pagesOf({ profiles, traces }: PageBenchOptions): AsyncGenerator<[string, BenchPage]> {
  for (const name of profiles) yield [name, { profile: makeProfile(PROFILES[name]), timeline: null }];
  const options = { trees: 'apart', byCalls: true, durations: true, timelineBytes: TIMELINE_BYTES } as const;
  for (const path of traces) yield [basename(path), await analyzeForPage([await openTraceFile(path)], options)];
}

function shownTime({ threads, durationNs }: NonNullable<PageContents['timeline']>): ShownTime {
  const calls = threads.map(({ spans }) => spans.levels.reduce((sum, { node }) => sum + node.length, 0));
  return { durationNs, tid: threads[calls.indexOf(Math.max(...calls))]?.tid ?? 0 };
}

/** Pages and yardsticks take turns, which spreads other load on the machine evenly. */
async function measureRounds(
  browser: Browser,
  pages: WrittenPage[],
  rounds: number,
  folder: string,
): Promise<Yardstick[]> {
  const yardsticks: Yardstick[] = [];
  for (let round = 1; round <= rounds; round++) {
    logProgress(`round ${round} of ${rounds}`);
    yardsticks.push(await measureYardstick(browser, join(folder, 'yardstick.html')));
    for (const { path, places, shown, visits, other } of pages) {
      visits.push(await visit(browser, path, places, shown));
      if (other !== null) other.visits.push(await visit(browser, other.path, places, null));
    }
  }
  return yardsticks;
}

async function measureD3Runs(browser: Browser, folder: string): Promise<D3Timing[]> {
  logProgress('d3-flame-graph');
  const path = join(folder, 'd3-flame-graph.html');
  writeD3Page(makeProfile(PROFILES[D3_PROFILE]), path);
  const runs: D3Timing[] = [];
  while (runs.length < D3_RUNS) runs.push(await measureD3Page(browser, path));
  return runs;
}

/** Progress goes to standard error; standard output is for the tables. */
function logProgress(what: string): void {
  process.stderr.write(`${what}\n`);
}

const options = readOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'ptflame-bench-page-'));
try {
  const report = await bench(options, folder);
  if (options.jsonPath !== null) writeFileSync(options.jsonPath, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${markdown(report)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
