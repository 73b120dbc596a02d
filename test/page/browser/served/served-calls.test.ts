/**
 * Compares stack charts of pages that are served with those of pages that have all calls.
 */

import { openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../../../cli/serve/server.js';
import { traceSite } from '../../../../cli/serve/trace-site.js';
import { spansAt, withoutShorter } from '../../../../src/analysis/timeline/spans-builder.js';
import { readChunk } from '../../../../src/codec/page-numbers.js';
import { openTraceFile } from '../../../../src/index.js';
import type { Part } from '../../../../src/levels/format.js';
import { type LevelsFile, readLevels } from '../../../../src/levels/read.js';
import { ChunkDeflater, LevelsWriter } from '../../../../src/levels/write.js';
import { rowNumbers } from '../../../../src/model/columns.js';
import type { ChunkIndex, ChunkLists } from '../../../../src/model/profile/timeline.js';
import {
  NO_SPANS,
  PIECE,
  type Spans,
  type ThreadSpans,
  type Timeline,
} from '../../../../src/model/profile/timeline.js';
import type { Bounds, Tid } from '../../../../src/model/units.js';
import {
  CallServer,
  type CallSource,
  ChunkCache,
  ServedCalls,
  ServerFault,
} from '../../../../src/page/browser/served-calls.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import type { PageData } from '../../../../src/page/data/page-data.js';
import { type ChartBoxes, ChartBoxKind, selfNsOf } from '../../../../src/page/view/chart/chart-boxes.js';
import { type ChartThread, chartThread, knownOf } from '../../../../src/page/view/chart/chart-thread.js';
import { layOutChart } from '../../../../src/page/view/chart/lay-out-chart.js';
import { viewsOf } from '../../../helpers/browser/page-views.js';
import { windowsOf } from '../../../helpers/random/chart-windows.js';
import { traceFiles } from '../../../helpers/traces/all-fixtures.js';

interface Page {
  readonly data: PageData;
  readonly timeline: Timeline;
}

/** A page with all calls. */
async function pageOf(file: string): Promise<Page> {
  const { profile, timeline } = await analyzeForPage([await openTraceFile(file)], {
    ...{ trees: 'apart', byCalls: true, timelineBytes: 100_000_000 },
  });
  if (timeline === null) throw new Error(`no timeline of ${file}`);
  return { data: viewsOf(profile).data, timeline };
}

function threadsOf({ data, timeline }: Page): ChartThread[] {
  return timeline.threads.map(({ tid }) => chartThread(data, timeline, tid) as ChartThread);
}

function inChunks(calls: Spans, chunkCalls: number): Spans[] {
  return Array.from({ length: Math.ceil(calls.node.length / chunkCalls) }, (_, at) =>
    spansAt(calls, rowNumbers(calls.node.length).slice(at * chunkCalls, (at + 1) * chunkCalls)),
  );
}

/** Serves the calls of a page that has all of them, a few in a chunk. */
function serverOf(threads: readonly ChartThread[], chunkCalls: number): CallSource {
  const lists = (tid: Tid) => (threads.find((thread) => thread.tid === tid) as ChartThread).spans;
  const chunksOf = (calls: Spans) => inChunks(calls, chunkCalls);
  const indexOf = (calls: Spans): ChunkIndex => {
    const chunks = chunksOf(calls);
    return {
      calls: chunks.map(({ node }) => node.length),
      firstNs: chunks.map(({ startNs }) => Math.min(...startNs)),
      lastNs: chunks.map(({ endNs }) => Math.max(...endNs)),
      bytes: chunks.map(() => 1),
    };
  };
  return {
    index: async (tid) => ({ levels: lists(tid).levels.map(indexOf), split: indexOf(lists(tid).split) }),
    chunks: async (tid, { level, first, last }) => chunksOf(lists(tid).levels[level]).slice(first, last + 1),
  };
}

/** `next`: resolves with the next change. */
function servedBy(server: CallSource) {
  let arrived = () => {};
  const calls = new ServedCalls(server, () => arrived());
  const next = () =>
    new Promise<void>((done) => {
      arrived = done;
    });
  return { calls, next };
}

/** Shows a window until nothing more arrives; `seen`: what was shown on the way. */
async function settled(server: CallSource, own: ChartThread, window: Bounds, pixelNs: number) {
  const { calls, next } = servedBy(server);
  const seen: ChartThread[] = [];
  for (;;) {
    const changed = next();
    const thread = calls.threadIn(own, window, pixelNs);
    if (thread.unlisted.why !== 'awaited') return { thread, fault: calls.fault, seen };
    seen.push(thread);
    await changed;
  }
}

function boxesOf({ rows, examined, length, ...columns }: ChartBoxes): string[] {
  const { kind, startNs, endNs, row, node, ending, atLeast, atMost } = columns;
  return Array.from({ length }, (_, box) =>
    [kind, startNs, endNs, row, node, ending, atLeast, atMost].map((column) => column[box]).join(' '),
  );
}

function callsFrom(boxes: ChartBoxes, minNs: number): string[] {
  return boxesOf(boxes).filter(
    (_, box) => boxes.kind[box] === ChartBoxKind.Call && boxes.endNs[box] - boxes.startNs[box] >= minNs,
  );
}

/** Calls that are neither in the page nor there yet are counted. */
function expectCounted({ spans, unlisted }: ChartThread, own: ChartThread, full: ChartThread): void {
  const { bySlice, isUpperBound } = unlisted;
  const listed = new Set([...wholeCalls(own.spans), ...wholeCalls(spans)]);
  const left = wholeCalls(full.spans).filter((call) => !listed.has(call));
  const counted = bySlice?.reduce((sum, calls) => sum + calls, 0);
  if (isUpperBound) expect(counted).toBeGreaterThanOrEqual(left.length);
  else expect(counted).toBe(left.length);
}

function wholeCalls({ levels, split }: ThreadSpans): string[] {
  return [...levels, split].flatMap(({ startNs, endNs, node, ending }) =>
    Array.from(node, (own, row) => [startNs[row], endNs[row], own, ending[row]].join(' ')).filter(
      (_, row) => ending[row] !== PIECE,
    ),
  );
}

/** The time of a function itself is right, or an upper bound where its callees are not all known. */
function expectOwnTimes(
  thread: ChartThread,
  full: ChartThread,
  { length, kind, node, startNs, endNs }: ChartBoxes,
): void {
  for (let box = 0; box < length; box += 1 + Math.floor(length / 50)) {
    if (kind[box] !== ChartBoxKind.Call) continue;
    const bounds = { startNs: startNs[box], endNs: endNs[box] };
    const known = knownOf(thread, bounds);
    const [ns, rightNs] = [known, full].map((one) => selfNsOf(one, node[box], bounds) as number) as [number, number];
    if (known.unlisted.belowNs === 0) expect(ns).toBe(rightNs);
    else expect(ns).toBeGreaterThanOrEqual(rightNs);
  }
}

/** With the server, all calls of at least a pixel are shown; on the way there, nothing else, and nothing disappears. */
async function expectSame(server: CallSource, own: ChartThread, full: ChartThread, window: Bounds, widthPx: number) {
  const pixelNs = (window.endNs - window.startNs) / widthPx;
  const { thread, fault, seen } = await settled(server, own, window, pixelNs);
  const [boxes, right] = [layOutChart(thread, window, widthPx), layOutChart(full, window, widthPx)];
  const { belowNs } = thread.unlisted;
  expect(fault).toBeNull();
  expect(callsFrom(boxes, belowNs)).toEqual(callsFrom(right, belowNs));
  if (belowNs === 0) expect(boxesOf(boxes)).toEqual(boxesOf(right));
  const before = callsFrom(layOutChart(own, window, widthPx), 0);
  const all = new Set(callsFrom(right, 0));
  for (const early of seen) {
    const shown = new Set(callsFrom(layOutChart(early, window, widthPx), 0));
    expect([...shown].filter((call) => !all.has(call))).toEqual([]);
    expect(before.filter((call) => !shown.has(call))).toEqual([]);
  }
  expect(belowNs).toBeLessThanOrEqual(pixelNs);
  const counting = [thread, ...seen].filter(({ unlisted }) => unlisted.bySlice !== null);
  for (const early of counting) expectCounted(early, own, full);
  expectOwnTimes(thread, full, boxes);
  return { states: seen.length, counted: counting.length };
}

/** A page that lacks the calls that are shorter. */
function without({ data, timeline }: Page, minSpanNs: number): Page {
  const threads = timeline.threads.map((thread) => ({ ...thread, spans: withoutShorter(thread.spans, minSpanNs) }));
  return { data, timeline: { ...timeline, minSpanNs, threads } };
}

const FILES = traceFiles.filter((file) => /gentrace-faults|gentrace-ties|fcontext\.|rec\.perf/.test(file));

test.each(FILES)('%s: a window shows what a page with all calls shows', async (file) => {
  const all = await pageOf(file);
  const fulls = threadsOf(all);
  let [states, counted] = [0, 0];
  for (const minSpanNs of [4, 100, 4096])
    for (const [at, own] of threadsOf(without(all, minSpanNs)).entries()) {
      const server = serverOf(fulls, [13, 400][at % 2]);
      for (const { window, widthPx } of fc.sample(windowsOf(own.durationNs), { numRuns: 3, seed: own.tid })) {
        const shown = await expectSame(server, own, fulls[at] as ChartThread, window, widthPx);
        states += shown.states;
        counted += shown.counted;
      }
    }
  expect(states).toBeGreaterThan(4);
  expect(counted).toBeGreaterThan(4);
});

describe('over HTTP', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'served-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** Serves a levels file, as ptflame serve does, with small chunks. */
  async function serving(file: string) {
    const path = join(directory, 'levels');
    const origin = { secret: Buffer.alloc(32), trace: 'trace', key: 'key' };
    const writer = new LevelsWriter(openSync(path, 'w'), origin);
    const page = await pageOf(file);
    for (const { tid, spans } of page.timeline.threads) {
      const deflater = new ChunkDeflater();
      for (const [level, calls] of spans.levels.entries())
        for (const chunk of inChunks(calls, 100)) deflater.add(level, chunk);
      writer.addThread(tid, deflater.build());
    }
    await writer.finish((async function* () {})());
    const levels = (await readLevels(await open(path), origin)) as LevelsFile;
    const server = await startServer(0);
    server.serve(traceSite(levels));
    return { page, levels, server, address: `http://127.0.0.1:${server.port}/${server.token}/` };
  }

  test('a window has all calls of the levels file; without the server, it has those of the page', async () => {
    const { page, levels, server, address } = await serving('fixtures/truth/ptemu-rec.perf.txt.gz');
    const [own] = threadsOf(without(page, 100)) as [ChartThread];
    const index = JSON.parse(String(levels.threadJson(own.tid))) as ChunkLists;
    const all: Spans[] = [];
    for (const [level, { bytes }] of index.levels.entries())
      for (const chunk of bytes.keys()) {
        const part = await levels.read(levels.chunks(own.tid, level, chunk, chunk) as Part);
        all.push(readChunk(inflateRawSync(part as Buffer)));
      }
    const callServer = new CallServer(address);
    for (const { window } of fc.sample(windowsOf(own.durationNs), { numRuns: 20, seed: 5 })) {
      const { thread } = await settled(callServer, own, window, 0);
      const isIn = (call: string) => {
        const [startNs = 0, endNs = 0] = call.split(' ').map(Number);
        return startNs < window.endNs && endNs > window.startNs;
      };
      const inWindow = (levels: readonly Spans[]) => wholeCalls({ levels, split: NO_SPANS }).filter(isIn).sort();
      expect(inWindow(thread.spans.levels)).toEqual(inWindow(all));
    }
    const window = { startNs: 0, endNs: own.durationNs };
    const { calls, next } = servedBy(callServer);
    const before = calls.threadIn(own, window, 1);
    await next();
    server.close();
    await levels.close();
    const gone = await settled(callServer, own, window, 1);
    expect(gone.fault).toMatch(/does not answer/);
    expect(gone.thread.unlisted.why).toBe('gone');
    expect(gone.thread.spans).toEqual(before.spans);
  });

  test('a wrong token, and an answer that is damaged, are faults', async () => {
    const { page, levels, server, address } = await serving('fixtures/truth/ptemu-fcontext.perf.txt.gz');
    const [own] = threadsOf(without(page, 100)) as [ChartThread];
    const window = { startNs: 0, endNs: own.durationNs };
    const wrong = await settled(new CallServer(`${address.slice(0, -2)}/`), own, window, 1);
    expect(wrong.fault).toMatch(/refused a request \(404\)/);
    server.serve(
      traceSite({
        threadJson: (tid: number) => levels.threadJson(tid),
        chunks: (...where: Parameters<LevelsFile['chunks']>) => levels.chunks(...where),
        read: async ({ bytes }: Part) => Buffer.alloc(bytes),
      } as unknown as LevelsFile),
    );
    const damaged = await settled(new CallServer(address), own, window, 1);
    expect(damaged.fault).toMatch(/cannot be read/);
    expect(damaged.thread.spans).toEqual(own.spans);
    server.close();
    await levels.close();
  });
});

describe('what is asked for', () => {
  /** Everything that has been sent arrives. */
  const arrivals = () => new Promise<void>((done) => setImmediate(done));
  const all = pageOf('fixtures/truth/ptemu-rec.perf.txt.gz');

  test('is asked for once, and not waited for when the view has moved on', async () => {
    const [own] = threadsOf(without(await all, 100)) as [ChartThread];
    const server = serverOf(threadsOf(await all), 50);
    const asked: { readonly path: string; readonly signal: AbortSignal }[] = [];
    const never: CallSource = {
      index: server.index,
      chunks: (_, { level, first, last }, __, signal) => {
        asked.push({ path: `${level}/${first}-${last}`, signal });
        return new Promise(() => {});
      },
    };
    const { calls, next } = servedBy(never);
    const early = { startNs: 0, endNs: 200 };
    const late = { startNs: own.durationNs - 200, endNs: own.durationNs };
    calls.threadIn(own, early, 1);
    await next();
    calls.threadIn(own, early, 1);
    const first = asked.length;
    calls.threadIn(own, early, 1);
    expect(asked).toHaveLength(first);
    expect(asked.every(({ signal }) => !signal.aborted)).toBe(true);
    calls.threadIn(own, late, 1);
    expect(asked.slice(0, first).every(({ signal }) => signal.aborted)).toBe(true);
    expect(asked.slice(first).some(({ signal }) => signal.aborted)).toBe(false);
    expect(asked.length).toBeGreaterThan(first);
    calls.threadIn(own, late, 1000);
    expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('is shown as it arrives; what is awaited is given up when all is there', async () => {
    const [own] = threadsOf(without(await all, 100)) as [ChartThread];
    const server = serverOf(threadsOf(await all), 50);
    const awaited: AbortSignal[] = [];
    let answered = [0, 1, 2];
    const source: CallSource = {
      index: server.index,
      chunks: (tid, range, index, signal) => {
        if (answered.includes(range.level)) return server.chunks(tid, range, index, signal);
        awaited.push(signal);
        return new Promise(() => {});
      },
    };
    const { calls } = servedBy(source);
    const [early, late] = [0, own.durationNs - 200].map((startNs) => ({ startNs, endNs: startNs + 200 }));
    const shown = async (window = early) => {
      const { spans } = calls.threadIn(own, window as Bounds, 1);
      await arrivals();
      return spans.levels[0]?.node.length ?? 0;
    };
    await shown();
    expect([await shown(), (await shown()) > 0]).toEqual([0, true]);
    expect(awaited.map(({ aborted }) => aborted)).toEqual([false]);
    answered = [0, 1, 2, 3];
    await shown(late);
    await shown();
    answered = [];
    awaited.length = 0;
    await shown({ startNs: own.durationNs / 2, endNs: own.durationNs / 2 + 200 });
    expect(awaited.some(({ aborted }) => aborted)).toBe(false);
    await shown();
    expect(awaited.length > 0 && awaited.every(({ aborted }) => aborted)).toBe(true);
  });

  test('is not asked for again after a fault', async () => {
    const [own] = threadsOf(without(await all, 100)) as [ChartThread];
    let asked = 0;
    const index = () => {
      asked++;
      return Promise.reject(new ServerFault('gone'));
    };
    const { calls, next } = servedBy({ index, chunks: () => Promise.reject(new Error()) });
    const window = { startNs: 0, endNs: own.durationNs };
    calls.threadIn(own, window, 1);
    await next();
    for (let frame = 0; frame < 3; frame++) calls.threadIn(own, window, 1);
    expect([asked, calls.fault]).toEqual([1, 'gone']);
  });

  test('is nothing where a pixel cannot show more than the page has', async () => {
    const [own] = threadsOf(without(await all, 100)) as [ChartThread];
    const refuses = { index: () => Promise.reject(new Error()), chunks: () => Promise.reject(new Error()) };
    const window = { startNs: 0, endNs: own.durationNs };
    const { thread, fault } = await settled(refuses, own, window, 100);
    expect([fault, thread.spans, thread.unlisted.why]).toEqual([null, own.spans, 'pixel']);
  });
});

test('chunks that were not used for the longest time go first', () => {
  const chunk = (calls: number): Spans => {
    const [ns, ids] = [new Float64Array(calls), new Int32Array(calls)];
    return { startNs: ns, endNs: ns, node: ids, ending: ids };
  };
  const cache = new ChunkCache(24 * 100);
  cache.add('a', chunk(40));
  cache.add('b', chunk(40));
  cache.get('a');
  cache.add('c', chunk(40));
  expect(['a', 'b', 'c'].map((key) => cache.get(key)?.node.length)).toEqual([40, undefined, 40]);
  cache.add('d', chunk(60));
  expect(['a', 'c', 'd'].map((key) => cache.get(key)?.node.length)).toEqual([undefined, 40, 60]);
});
