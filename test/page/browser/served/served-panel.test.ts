/**
 * Compares the panel of a function in a page that is served, which has few calls itself, with `ptflame latency` and with the
 * panel of a page that has all calls.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../../../cli/serve/server.js';
import { traceSite } from '../../../../cli/serve/trace-site.js';
import { latencyAnswer } from '../../../../src/answers.js';
import { openTraceFile } from '../../../../src/index.js';
import { CallServer, ServerFault } from '../../../../src/page/browser/served-calls.js';
import { ServedFunctionCalls } from '../../../../src/page/browser/served-function-calls.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import { START, type State } from '../../../../src/page/view/state.js';
import { Views } from '../../../../src/page/view/views.js';
import { type AnalyzeOptions, askLatency } from '../../../../src/pipeline/analyze.js';
import { symbolOf, viewsOf } from '../../../helpers/browser/page-views.js';
import { servedTrace } from '../../../helpers/browser/served-trace.js';
import { fixturePath } from '../../../helpers/cli/run-cli.js';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** Shows a function until nothing more arrives. */
type Panel = (name: string, change?: Partial<State>) => Promise<NonNullable<ReturnType<Views['functionAt']>>>;

/** The panel of a page with few calls, and its server. */
async function served(
  path: string,
  timelineBytes: number,
): Promise<{ views: Views; panel: Panel; server: RunningServer }> {
  const { levels, profile, timeline, close } = await servedTrace(await openTraceFile(path), timelineBytes);
  const server = await startServer(0);
  server.serve(traceSite(levels));
  ends.push(() => server.close(), close);
  let arrived = () => {};
  const source = new CallServer(`http://127.0.0.1:${server.port}/${server.token}/`);
  const calls = new ServedFunctionCalls(source, () => {
    views.addArrivedCalls();
    arrived();
  });
  const views = withServer(viewsOf(profile).data, timeline, calls);
  const panel: Panel = async (name, change = {}) => {
    for (;;) {
      const next = new Promise<void>((done) => {
        arrived = done;
      });
      const view = views.functionAt({ ...START, ...change }, symbolOf(views, name));
      if (view === null) throw new Error(`${name} is not in view`);
      if (view.calls?.isAwaited !== true) return view;
      await next;
    }
  };
  return { views, panel, server };
}

function withServer(data: Views['data'], timeline: Views['timeline'], server: Views['server']): Views {
  const views = new Views(data, server);
  views.timeline = timeline;
  return views;
}

async function pageOf(path: string): Promise<Views> {
  const { profile, timeline } = await analyzeForPage([await openTraceFile(path)], {
    ...{ trees: 'apart', byCalls: true, durations: true, timelineBytes: 1e8 },
  });
  const views = viewsOf(profile);
  views.timeline = timeline;
  return views;
}

async function answerOf(path: string, functions: string, options: AnalyzeOptions = {}) {
  const asked = { functions, overTime: true, slowest: 10 };
  const options_ = { ...options, trees: 'together', durations: true } as const;
  const { profile, calls, functions: of } = await askLatency([await openTraceFile(path)], asked, options_);
  return latencyAnswer(profile, calls, of);
}

async function expectSame(panel: Panel, path: string, name: string, change: Partial<State>, options: AnalyzeOptions) {
  const { calls, sums } = await panel(name, change);
  const { overTime, stats, slowest } = await answerOf(path, name, options);
  expect(calls).toMatchObject({ unlisted: 0, unmeasured: 0, fault: null });
  expect(calls?.plot.cells).toEqual(overTime?.cells);
  type Timed = { tid: number; start: string; durationNs: number; isInferred: boolean };
  const inWords = (all: readonly Timed[]) =>
    all.map(({ tid, start, durationNs, isInferred }) => [tid, start, durationNs, isInferred].join(' ')).sort();
  expect(inWords(calls?.plot.calls ?? [])).toEqual(inWords(overTime?.calls ?? []));
  expect((calls?.plot.calls.length ?? 0) + (calls?.plot.callsLeftOut ?? 0)).toBe(stats.calls);
  const complete = (calls?.calls ?? []).filter(({ isInferred }) => !isInferred);
  expect(complete.slice(0, 10).map(({ durationNs }) => durationNs)).toEqual(
    slowest.map(({ durationNs }) => durationNs),
  );
  const percentiles = ({ p50Ns, p90Ns, p99Ns }: { p50Ns: number | null; p90Ns: number | null; p99Ns: number | null }) =>
    [p50Ns, p90Ns, p99Ns].map((ns) => (Number.isFinite(ns) ? ns : null));
  expect(percentiles(sums)).toEqual(percentiles(stats));
}

/** Functions that no other has the name of, most calls first. */
function someFunctions(views: Views): string[] {
  const rows = [...views.viewAt(START).functions().values()].sort((a, b) => b.calls - a.calls);
  const names = rows.map(({ symbol }) => views.data.symbols.name[symbol] as string);
  const isAlone = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return names.filter((name) => isAlone(name) && !/^\[|[@(]/.test(name)).slice(0, 3);
}

describe.each([
  'demo/threads.perf.txt.gz',
  'lab/demo-cre.txt',
  'truth/ptemu-fcontext-cut.perf.txt.gz',
  'truth/ptemu-boostfiber-branches.perf.txt.gz',
])('%s', (fixture) => {
  const path = fixturePath(fixture);

  test('the panel has the calls, cells and percentiles of latency, of all time and of a range', async () => {
    const { views, panel } = await served(path, 300);
    const { durationNs, sumsSliceNs, minSpanNs } = views.timeline ?? { durationNs: 0, sumsSliceNs: 0, minSpanNs: 0 };
    expect(minSpanNs).toBeGreaterThan(0);
    const stepNs = Math.max(1, sumsSliceNs ?? 0);
    const range = {
      startNs: stepNs * Math.floor(durationNs / stepNs / 5),
      endNs: stepNs * Math.ceil(durationNs / stepNs / 2),
    };
    const window = { from: { afterStartNs: range.startNs }, to: { afterStartNs: range.endNs } };
    for (const name of someFunctions(views)) {
      await expectSame(panel, path, name, {}, {});
      if (sumsSliceNs === null) continue;
      const isIn = views.functionAt({ ...START, range }, symbolOf(views, name)) !== null;
      if (isIn) await expectSame(panel, path, name, { range }, { window });
    }
  });

  test('the slowest calls took longer where a page with all calls says so', async () => {
    const { views, panel } = await served(path, 300);
    const all = await pageOf(path);
    for (const name of someFunctions(views)) {
      const right = all.functionAt(START, symbolOf(all, name))?.calls?.slowest;
      expect((await panel(name)).calls?.slowest.map(({ call, longer }) => [call.tid, call.startNs, longer])).toEqual(
        right?.map(({ call, longer }) => [call.tid, call.startNs, longer]),
      );
    }
  });
});

const DEMO = fixturePath('demo/threads.perf.txt.gz');

test('calls follow threads, focus and hiding', async () => {
  const { views, panel } = await served(DEMO, 2000);
  const [tid = 0] = (await panel('nap')).calls?.calls.map((call) => call.tid) ?? [];
  await expectSame(panel, DEMO, 'nap', { threads: `tid:${tid}` }, { select: { tids: [tid] } });
  await expectSame(panel, DEMO, 'nap', { focus: symbolOf(views, 'worker') }, { root: 'worker' });
  await expectSame(panel, DEMO, 'nap', { foldsRecursion: true }, { foldRecursion: true });
});

test('without the server, the panel has what the page has, says why, and does not ask again', async () => {
  const { views, panel, server } = await served(DEMO, 2000);
  server.close();
  const { calls } = await panel('take');
  expect(calls?.fault).toMatch(/ptflame serve does not answer/);
  const file = withServer(views.data, views.timeline, null);
  const own = file.functionAt(START, symbolOf(views, 'take'))?.calls;
  expect([calls?.calls, calls?.unlisted]).toEqual([own?.calls, own?.unlisted]);
  let asked = 0;
  const gone = new ServedFunctionCalls(
    {
      indexes: () => {
        asked++;
        return Promise.reject(new ServerFault('gone'));
      },
      parts: () => Promise.reject(new Error()),
    },
    () => {},
  );
  const search = {
    timeline: views.timeline as NonNullable<Views['timeline']>,
    threads: [],
    bounds: { startNs: 0, endNs: 1 },
    isPart: false,
  };
  gone.of('a', search);
  await new Promise((done) => setTimeout(done));
  expect([gone.of('b', search), asked]).toEqual([
    { found: null, inside: new Map(), isAwaited: false, fault: 'gone' },
    1,
  ]);
});

test('what another function replaced is not waited for', async () => {
  const page = (await served(DEMO, 2000)).views;
  const signals: AbortSignal[] = [];
  const never = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  const server = new ServedFunctionCalls({ indexes: never, parts: (_, __, signal) => never(signal) }, () => {});
  const views = withServer(page.data, page.timeline, server);
  for (const name of ['take', 'nap', 'nap']) views.functionAt(START, symbolOf(views, name));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  server.stop();
  expect(signals[1]?.aborted).toBe(true);
});
