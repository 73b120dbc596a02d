/**
 * Compares the single calls that a page lists of a function with those of `ptflame latency --timeline`.
 */
import { describe, expect, test } from 'vitest';
import { latencyAnswer } from '../../../../src/answers.js';
import { openTraceFile } from '../../../../src/index.js';
import { callInChart } from '../../../../src/page/browser/panel/calls-section.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import { writePageData } from '../../../../src/page/data/write.js';
import { callNear, cellAt } from '../../../../src/page/view/calls/calls-of-function.js';
import { START, type State } from '../../../../src/page/view/state.js';
import { Views } from '../../../../src/page/view/views.js';
import { type AnalyzeOptions, askLatency } from '../../../../src/pipeline/analyze.js';
import { DurationAxis } from '../../../../src/render/plot/calls-plot.js';
import { readPageData, symbolOf } from '../../../helpers/browser/page-views.js';
import { fixturePath } from '../../../helpers/cli/run-cli.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');

async function viewsOf(path: string, timelineBytes = 1e7): Promise<Views> {
  const options = { trees: 'apart', durations: true, timelineBytes } as const;
  const { profile, timeline } = await analyzeForPage([await openTraceFile(path)], options);
  const views = new Views(readPageData(Buffer.concat(writePageData(profile))));
  views.timeline = timeline;
  return views;
}

async function answerOf(path: string, functions: string, options: AnalyzeOptions = {}) {
  const asked = { functions, overTime: true, slowest: 10 };
  const result = await askLatency([await openTraceFile(path)], asked, {
    ...options,
    trees: 'together',
    durations: true,
  });
  return latencyAnswer(result.profile, result.calls, result.functions);
}

function callsAt(views: Views, name: string, change: Partial<State> = {}) {
  return views.functionAt({ ...START, ...change }, symbolOf(views, name))?.calls ?? null;
}

type Timed = {
  tid: number;
  comm: string | null;
  start: string;
  startNs: number;
  durationNs: number;
  isInferred: boolean;
};

/** Equal calls may be listed in any order. */
function inWords(calls: readonly Timed[]): string[] {
  const words = ({ tid, comm, start, startNs, durationNs, isInferred }: Timed) =>
    [tid, comm, start, startNs, durationNs, isInferred].join(' ');
  return calls.map(words).sort();
}

async function expectSame(views: Views, path: string, name: string, change: Partial<State>, options: AnalyzeOptions) {
  const { overTime, stats } = await answerOf(path, name, options);
  const found = callsAt(views, name, change);
  expect(found?.unlisted ?? 0).toBe(0);
  expect(found?.unmeasured ?? 0).toBe(0);
  expect(inWords(found?.plot.calls ?? [])).toEqual(inWords(overTime?.calls ?? []));
  expect(found?.plot.cells ?? []).toEqual(overTime?.cells);
  expect((found?.plot.calls.length ?? 0) + (found?.plot.callsLeftOut ?? 0)).toBe(stats.calls);
  const { sums } = views.functionAt({ ...START, ...change }, symbolOf(views, name)) ?? { sums: { p99Ns: Number.NaN } };
  expect(Number.isNaN(sums.p99Ns) ? null : sums.p99Ns).toBe(stats.p99Ns);
}

/** Functions that no other has the name of, most calls first; too many take too long. */
function someFunctions(views: Views): string[] {
  const rows = [...views.viewAt(START).functions().values()].sort((a, b) => b.calls - a.calls);
  const names = rows.map(({ symbol }) => views.data.symbols.name[symbol] as string);
  const isAlone = (name: string) => views.names.indexOf(name) === views.names.lastIndexOf(name);
  return names
    .filter((name) => isAlone(name) && !name.startsWith('[') && !name.includes('@') && !name.includes('('))
    .slice(0, 4);
}

describe.each([
  'demo/threads.perf.txt.gz',
  'lab/overflow-and-lost.txt',
  'lab/demo-cre.txt',
  'truth/ptemu-fcontext-cut.perf.txt.gz',
  'truth/ptemu-boostfiber-branches.perf.txt.gz',
])('%s', (fixture) => {
  const path = fixturePath(fixture);

  test('calls and cells are those of the command line, of all time and of a range', async () => {
    const views = await viewsOf(path);
    const { durationNs = 0 } = views.timeline ?? {};
    const [fromNs, toNs] = [Math.floor(durationNs / 5), Math.floor(durationNs / 2)];
    const window = { from: { afterStartNs: fromNs }, to: { afterStartNs: toNs } };
    expect(views.timeline?.sumsSliceNs).toBe(0);
    for (const name of someFunctions(views)) {
      await expectSame(views, path, name, {}, {});
      const isIn =
        views.functionAt({ ...START, range: { startNs: fromNs, endNs: toNs } }, symbolOf(views, name)) !== null;
      if (isIn) await expectSame(views, path, name, { range: { startNs: fromNs, endNs: toNs } }, { window });
    }
  });
});

test('calls follow threads, focus and folded recursion', async () => {
  const views = await viewsOf(DEMO);
  const [tid] = callsAt(views, 'nap')?.calls.map((call) => call.tid) ?? [];
  await expectSame(views, DEMO, 'nap', { threads: `tid:${tid}` }, { select: { tids: [tid as number] } });
  await expectSame(views, DEMO, 'nap', { focus: symbolOf(views, 'worker') }, { root: 'worker' });
  expect(callsAt(views, 'nap', { hidden: [symbolOf(views, 'nap')] })).toBe(null);
});

test('numbers of threads inside a focus add up to what is in view', async () => {
  const views = await viewsOf(DEMO);
  for (const name of ['worker', 'nap', 'main']) {
    const state = { ...START, focus: symbolOf(views, name) };
    const sum = views.threadsAt(state).reduce((all, { totalNs }) => all + totalNs, 0);
    expect(sum).toBe(views.viewAt(state).allNs());
    expect(sum).toBeGreaterThan(0);
  }
});

test('the slowest calls are those of the command line, with what was longer', async () => {
  const views = await viewsOf(DEMO);
  const { slowest } = await answerOf(DEMO, 'take');
  const found = callsAt(views, 'take')?.slowest ?? [];
  expect(found.map(({ call, start }) => [call.tid, start, call.durationNs])).toEqual(
    slowest.map(({ tid, start, durationNs }) => [tid, start, durationNs]),
  );
  for (const [rank, { differences, durationNs }] of slowest.entries()) {
    const longer = differences.filter((row) => row.depth === 1 && !row.isSelf && row.differenceNs > durationNs / 20);
    const named = found[rank]?.longer?.map(({ symbol, moreNs }) => [views.names[symbol], Math.round(moreNs)]);
    expect(named).toEqual(longer.slice(0, 2).map(({ name, differenceNs }) => [name, Math.round(differenceNs)]));
  }
  expect(found[0]?.longer).toHaveLength(1);
});

test('says how many calls are too short for the file', async () => {
  const views = await viewsOf(DEMO, 6000);
  const name = 'pthread_mutex_lock@@GLIBC_2.2.5';
  const { stats, overTime } = await answerOf(DEMO, name);
  const found = callsAt(views, name);
  const { minSpanNs = 0 } = views.timeline ?? {};
  expect(minSpanNs).toBeGreaterThan(0);
  const long = overTime?.calls.filter(({ durationNs }) => durationNs >= minSpanNs) ?? [];
  expect(long.length).toBeLessThan(stats.calls);
  expect((found?.calls.length ?? 0) + (found?.unmeasured ?? 0)).toBeGreaterThanOrEqual(long.length);
  expect(found?.durations).toBeNull(); // so percentiles that are not known stay unknown
  expect((found?.unlisted ?? stats.calls) + (found?.calls.length ?? 0) + (found?.unmeasured ?? 0)).toBe(stats.calls);
});

test('the nearest call is found, and the cell', async () => {
  const { plot } = callsAt(await viewsOf(DEMO), 'take') ?? { plot: null };
  if (plot === null) throw new Error('there are no calls');
  const axis = new DurationAxis(plot);
  const box = { plot, axis, leftPx: 50, topPx: 8, widthPx: 1000, heightPx: 100 };
  for (const [row, { startNs, durationNs }] of plot.calls.entries()) {
    const [xPx, yPx] = [50 + (startNs / plot.durationNs) * 1000, 8 + (1 - axis.at(durationNs)) * 100];
    expect(callNear(box, xPx + 2, yPx - 2)).toBe(row);
    expect(callNear(box, xPx + 20, yPx)).toBe(null);
    const { column, fromNs, toNs } = cellAt(box, xPx, yPx) ?? { column: -1, fromNs: 0, toNs: 0 };
    expect(column).toBe(Math.floor((startNs / plot.durationNs) * 256));
    expect(durationNs >= fromNs && durationNs < toNs).toBe(true);
  }
});

test('a call is shown with some time before and after it, within the recording', () => {
  const shown = (startNs: number, endNs: number) => callInChart({ tid: 7, startNs, endNs }, 1000);
  expect(shown(100, 200)).toEqual({
    call: { tid: 7, startNs: 100, endNs: 200 },
    chart: 7,
    chartRange: { startNs: 80, endNs: 220 },
  });
  expect(shown(-5, 1000).chartRange).toEqual({ startNs: 0, endNs: 1000 });
  expect(shown(500, 500).chartRange).toEqual({ startNs: 499, endNs: 501 });
});
