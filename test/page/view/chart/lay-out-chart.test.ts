/**
 * Compares windows of stack charts with a list of all calls.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTraceFile } from '../../../../src/index.js';
import { PIECE, type Spans, type Timeline } from '../../../../src/model/profile/timeline.js';
import type { Bounds } from '../../../../src/model/units.js';
import { analyzeForPage } from '../../../../src/page/contents/analyze-for-page.js';
import type { PageData } from '../../../../src/page/data/page-data.js';
import { type ChartBoxes, ChartBoxKind } from '../../../../src/page/view/chart/chart-boxes.js';
import { type ChartThread, chartThread } from '../../../../src/page/view/chart/chart-thread.js';
import { layOutChart } from '../../../../src/page/view/chart/lay-out-chart.js';
import { viewsOf } from '../../../helpers/browser/page-views.js';
import { windowsOf } from '../../../helpers/random/chart-windows.js';
import { everyNth } from '../../../helpers/random/times.js';
import { traceFiles } from '../../../helpers/traces/all-fixtures.js';
import { INLINED_TRACE } from '../../../helpers/traces/inlined-trace.js';
import { inputOf } from '../../../helpers/traces/load.js';

interface Call {
  readonly startNs: number;
  readonly endNs: number;
  readonly node: number;
  readonly ending: number;
}

function callsOf({ startNs, endNs, node, ending }: Spans): Call[] {
  return Array.from(node, (own, row) => ({ startNs: startNs[row], endNs: endNs[row], node: own, ending: ending[row] }));
}

function allCalls({ spans }: ChartThread): Call[] {
  return spans.levels.flatMap(callsOf);
}

/** One object per box. */
function boxesOf({ rows, examined, length, ...columns }: ChartBoxes) {
  return Array.from({ length }, (_, box) => ({
    kind: columns.kind[box],
    startNs: columns.startNs[box],
    endNs: columns.endNs[box],
    row: columns.row[box],
    node: columns.node[box],
    ending: columns.ending[box],
    atLeast: columns.atLeast[box],
    atMost: columns.atMost[box],
  }));
}

function expectRight(thread: ChartThread, window: Bounds, widthPx: number): void {
  const { startNs, endNs } = window;
  const pixelNs = (endNs - startNs) / widthPx;
  const boxes = boxesOf(layOutChart(thread, window, widthPx));
  const inside = allCalls(thread).filter((call) => call.startNs < endNs && call.endNs > startNs);
  const isShort = (call: Call) => call.endNs - call.startNs < pixelNs;
  const drawn = boxes.filter(({ kind }) => kind === ChartBoxKind.Call);
  const rowOf = (call: Call) => thread.depth[call.node] - 1;
  const keyOf = (call: Call) => [call.startNs, call.endNs, call.node, call.ending, rowOf(call)].join();
  expect(drawn.map((box) => [box.startNs, box.endNs, box.node, box.ending, box.row].join()).sort()).toEqual(
    inside
      .filter((call) => !isShort(call))
      .map(keyOf)
      .sort(),
  );
  expectRightBlocks(
    thread,
    window,
    boxes,
    inside.filter((call) => !isShort(call)),
    allCalls(thread).filter(isShort),
  );
}

function expectRightBlocks(
  thread: ChartThread,
  { startNs, endNs }: Bounds,
  boxes: ReturnType<typeof boxesOf>,
  drawn: readonly Call[],
  short: readonly Call[],
): void {
  const begun = short.filter((call) => call.startNs >= startNs && call.startNs < endNs);
  const blocks = boxes.filter(({ kind }) => kind === ChartBoxKind.Short);
  expect(blocks.reduce((sum, { atLeast }) => sum + atLeast, 0)).toBe(begun.length);
  for (const block of blocks) {
    const own = begun.filter((call) => call.startNs >= block.startNs && call.startNs < block.endNs);
    if (block.endNs === block.startNs) continue; // all at the same time as a drawn call
    expect(block.atLeast).toBe(own.length);
    // those of no duration, at the start of a drawn call, may also be before it
    const inner = own.filter((call) => call.startNs > block.startNs || call.endNs > call.startNs);
    for (const call of inner) expect(thread.depth[call.node] - 1).toBeGreaterThanOrEqual(block.row);
    const around = drawn.filter((call) => call.startNs <= block.startNs && call.endNs >= block.endNs);
    expect(block.row).toBe(Math.max(0, ...around.map(({ node }) => thread.depth[node])));
  }
}

async function pageOf(file: string, timelineBytes: number): Promise<{ data: PageData; timeline: Timeline } | null> {
  const options = { trees: 'apart', byCalls: true, timelineBytes } as const;
  const asked = await analyzeForPage([await openTraceFile(file)], options).catch(() => null);
  if (asked === null || asked.timeline === null) return null;
  return { data: viewsOf(asked.profile).data, timeline: asked.timeline };
}

const BUDGETS = [1_000_000, 3_000];

/** Every second fixture. */
const FILES = everyNth(traceFiles, 3);

test.each(FILES.map((file, at) => [file, BUDGETS[at % 2]] as const))(
  '%s, %d bytes: a window has every call once, drawn or counted',
  async (file, bytes) => {
    const page = await pageOf(file, bytes);
    if (page === null) return;
    for (const { tid } of page.timeline.threads) {
      const thread = chartThread(page.data, page.timeline, tid) as ChartThread;
      if (allCalls(thread).length > 20_000) continue;
      for (const { window, widthPx } of fc.sample(windowsOf(thread.durationNs), { numRuns: 6, seed: tid }))
        expectRight(thread, window, widthPx);
    }
  },
);

/** Calls and calls in pieces, each once. */
function wholeCalls(thread: ChartThread): Call[] {
  const { levels, split } = thread.spans;
  return [...levels, split].flatMap(callsOf).filter(({ ending }) => ending !== PIECE);
}

function isIn({ startNs, endNs }: Bounds, call: Pick<Call, 'startNs'>): boolean {
  return call.startNs >= startNs && call.startNs < endNs;
}

describe('calls that are too short to be listed', () => {
  const files = traceFiles.filter((file) => /threads2|gentrace-plt|fcontext\.|rec\.perf/.test(file));
  test.each(files.flatMap((file) => [400_000, 60_000, 9_000].map((bytes) => [file, bytes] as const)))(
    '%s, %d bytes: are counted where they were',
    async (file, bytes) => {
      const [all, page] = await Promise.all([pageOf(file, 100_000_000), pageOf(file, bytes)]);
      if (all === null || page === null) throw new Error(`no timeline of ${file}`);
      for (const { tid } of page.timeline.threads) {
        const full = chartThread(all.data, all.timeline, tid) as ChartThread;
        const thread = chartThread(page.data, page.timeline, tid) as ChartThread;
        const { unlisted } = thread;
        if (unlisted.bySlice === null) continue;
        const missing = wholeCalls(full).filter((call) => call.endNs - call.startNs < unlisted.belowNs);
        const counted = unlisted.bySlice.reduce((sum, calls) => sum + calls, 0);
        if (unlisted.isLowerBound) expect(counted).toBeLessThanOrEqual(missing.length);
        else expect(counted).toBe(missing.length);
        for (const { window, widthPx } of fc.sample(windowsOf(thread.durationNs), { numRuns: 4, seed: tid })) {
          const blocks = boxesOf(layOutChart(thread, window, widthPx)).filter(
            ({ kind }) => kind === ChartBoxKind.Unlisted,
          );
          for (const block of blocks)
            expect(block.atLeast).toBeLessThanOrEqual(missing.filter((call) => isIn(block, call)).length);
          if (unlisted.isLowerBound) continue;
          for (const call of missing.filter(({ startNs }) => startNs > 0 && isIn(window, { startNs })))
            expect(blocks.filter((block) => isIn(block, call))).toHaveLength(1);
        }
      }
    },
  );
});

test('inlined functions, which have no calls, take no row', async () => {
  const rowsWith = async (chain: readonly string[]) => {
    const options = { timelineBytes: 2 ** 20, inlined: (_: string, code: readonly unknown[]) => code.map(() => chain) };
    const { profile, timeline } = await analyzeForPage([inputOf(INLINED_TRACE)], options);
    const thread = chartThread(viewsOf(profile).data, timeline as Timeline, 7) as ChartThread;
    const boxes = layOutChart(thread, { startNs: 0, endNs: thread.durationNs }, 1000);
    return boxesOf(boxes).map(({ startNs, endNs, row, kind }) => ({ startNs, endNs, row, kind }));
  };
  expect(await rowsWith(['g', 'h'])).toEqual(await rowsWith([]));
});

describe('the cost', () => {
  /** A function that calls another every 100 ns, which calls a third: `count` of each. */
  function busyThread(count: number): ChartThread {
    const durationNs = 100 * count;
    const every = (offsetNs: number, lengthNs: number, node: number): Spans => ({
      startNs: Float64Array.from({ length: count }, (_, at) => 100 * at + offsetNs),
      endNs: Float64Array.from({ length: count }, (_, at) => 100 * at + offsetNs + lengthNs),
      node: new Int32Array(count).fill(node),
      ending: new Int32Array(count).fill(-1),
    });
    const levels = Array.from({ length: 20 }, () => every(0, 0, 0)).map((none) => ({
      startNs: none.startNs.subarray(0, 0),
      endNs: none.endNs.subarray(0, 0),
      node: none.node.subarray(0, 0),
      ending: none.ending.subarray(0, 0),
    }));
    levels[2] = every(20, 40, 2) as never;
    levels[3] = every(10, 80, 1) as never;
    const path = Int32Array.of(0, 1, 2);
    const known = { why: 'file', belowNs: 0, sliceNs: 1, isLowerBound: false, isUpperBound: false } as const;
    const unlisted = { ...known, bySlice: null, isCounted: new Set<number>() };
    return {
      tid: 1,
      durationNs,
      spans: { levels, split: levels[0] },
      node: path,
      depth: path,
      symbol: path,
      hasCallees: Uint8Array.of(1, 1, 0),
      rows: 3,
      unlisted,
      within: null,
    };
  }

  test('depends on pixels, not on calls', () => {
    const widthPx = 1000;
    const few = busyThread(10_000);
    const many = busyThread(1_000_000);
    for (const part of [1, 0.1, 0.003]) {
      for (const thread of [few, many]) {
        const lengthNs = part * thread.durationNs;
        const { examined } = layOutChart(thread, { startNs: 0.3 * lengthNs, endNs: 1.3 * lengthNs }, widthPx);
        expect(examined).toBeLessThan(100 * widthPx);
      }
    }
    const all = layOutChart(many, { startNs: 0, endNs: many.durationNs }, widthPx);
    expect(all.length).toBe(1);
    expect(all.atLeast[0]).toBe(2_000_000);
  });
});
