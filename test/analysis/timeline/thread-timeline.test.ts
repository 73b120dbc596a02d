/**
 * Compares the timeline of threads with their logs: sums with those of a window, strips with all time, calls with a
 * list of all.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterThread } from '../../../src/analysis/log/filter-thread.js';
import { OpenCall, walkCalls } from '../../../src/analysis/log/walk-calls.js';
import { TimelineJoiner } from '../../../src/analysis/timeline/join-timelines.js';
import { noNumbers, numbersWithin, rangeSums } from '../../../src/analysis/timeline/range-sums.js';
import {
  keptNodes,
  LISTED,
  NO_SUMS,
  reachedLevels,
  resolutionOf,
  stripSliceNs,
  type TimedPaths,
  type TimelineQuestion,
} from '../../../src/analysis/timeline/resolution.js';
import { minSpanNs, rowsInWindow } from '../../../src/analysis/timeline/spans-builder.js';
import { addNumbers, inOrder } from '../../../src/analysis/timeline/sum-rows.js';
import { coarsen, SumsBuilder } from '../../../src/analysis/timeline/sums-builder.js';
import {
  partTimeline,
  type ShownPaths,
  type ThreadTimeline,
  TimelineMemory,
  threadTimeline,
} from '../../../src/analysis/timeline/thread-timeline.js';
import {
  argumentOf,
  type CallLog,
  CallLogBuilder,
  CallOp,
  FAR,
  OP_BITS,
  opOf,
} from '../../../src/model/calls/call-log.js';
import {
  type CallTree,
  CallTreeBuilder,
  NODE_COLUMNS,
  type NodeColumns,
  ROOT,
  usedNodes,
} from '../../../src/model/calls/call-tree.js';
import { totalTimes } from '../../../src/model/calls/tree-view.js';
import { rowNumbers } from '../../../src/model/columns.js';
import {
  ACTIVITIES,
  activityOf,
  PIECE,
  spanLevel,
  type ThreadSpans,
  type ThreadSums,
} from '../../../src/model/profile/timeline.js';
import { NONE } from '../../../src/model/units.js';
import { executions, RANDOM_TRACES } from '../../helpers/random/random-traces.js';
import { everyNth, times } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { copyOf, forLogs, timesOf } from '../../helpers/traces/for-logs.js';
import { inputOf } from '../../helpers/traces/load.js';
import { type TraceThreads, threadsOf, threadsOfInput } from '../../helpers/traces/threads-of.js';

interface Logged {
  readonly log: CallLog;
  readonly tree: CallTree;
}

function logsOf(trace: TraceThreads): Logged[] {
  const logs: Logged[] = [];
  forLogs(trace, (log, tree) => {
    logs.push({ log: copyOf(log), tree: structuredClone(tree) });
  });
  return logs;
}

/** Used by all threads, one after the other. */
const MEMORY = new TimelineMemory();

function pathsOf(tree: CallTree): ShownPaths {
  return { ...tree, totalNs: totalTimes(tree), nodeOf: rowNumbers(tree.length) };
}

const BUDGETS = [10_000_000, 20_000, 2_000, 200, 0];

function expectRight({ log, tree }: Logged, question: TimelineQuestion, seed: number): void {
  const timeline = threadTimeline(log, pathsOf(tree), question, MEMORY);
  expectRightSums(log, tree, question, timeline, seed);
  expectRightStrip(log, tree, question, timeline);
  expectRightSpans(log, question, timeline);
  const plain = threadTimeline(withoutLeaves(log), pathsOf(tree), question, MEMORY);
  expect(withSums(timeline)).toEqual(withSums(plain));
}

/** The same log, with a row after each call that opens: the walk takes calls without callees as all others then. */
function withoutLeaves(log: CallLog): CallLog {
  const sinceNs: number[] = [];
  const code: number[] = [];
  const rowOf: number[] = [];
  for (let row = 0; row < log.length; row++) {
    const op = opOf(log.code[row]);
    rowOf.push(code.length);
    sinceNs.push(log.sinceNs[row]);
    code.push(op === CallOp.PutBack ? (rowOf[argumentOf(log.code[row])] << OP_BITS) | op : log.code[row]);
    if (op !== CallOp.Open) continue;
    sinceNs.push(0);
    code.push(CallOp.Charge);
  }
  return { ...log, length: code.length, sinceNs: Uint16Array.from(sinceNs), code: Int32Array.from(code) };
}

/** Random ranges that begin and end at borders of slices have the numbers of the same window of a report. */
function expectRightSums(
  log: CallLog,
  tree: CallTree,
  { window }: TimelineQuestion,
  timeline: ThreadTimeline,
  seed: number,
): void {
  const { sums, sumsLevel } = timeline;
  expect(sums === null).toBe(sumsLevel === NO_SUMS);
  if (sums === null) return;
  const durationNs = window.endNs - window.startNs;
  const { sliceNs: slice, minPathNs } = resolutionOf(sumsLevel, durationNs);
  const kept = keptNodes({ ...tree, totalNs: totalTimes(tree) }, minPathNs);
  const prepared = rangeSums(ordered(sums), rowNumbers(tree.length), tree.length);
  const border = fc.double({ min: 0, max: 1, noNaN: true }).map((part) => {
    const ns = Math.round(part * durationNs);
    return slice === 0 ? ns : Math.round(ns / slice) * slice;
  });
  const ranges = fc.tuple(border, border).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + (slice || 1)] as const);
  for (const [startNs, endNs] of fc.sample(ranges, { numRuns: 5, seed })) {
    const bounds = { startNs: startNs + window.startNs, endNs: Math.min(endNs + window.startNs, window.endNs) };
    const range = { startNs, endNs: Math.min(endNs, durationNs) };
    const filter = { window: bounds, inside: [], root: null, foldsRecursion: false };
    const numbers = numbersWithin(prepared, slice, range);
    const expected = onNodes(tree, filterThread(log, tree, filter).tree);
    expect(pathRows({ ...tree, ...numbers })).toEqual(pathRows(reduced(expected, kept)));
  }
}

function ordered(sums: ThreadSums): ThreadSums {
  return { ...sums, rows: inOrder(sums.rows) };
}

/** The numbers of some paths of a tree, on its nodes. */
function onNodes(tree: CallTree, part: CallTree): CallTree {
  const nodes = new Map(Array.from(tree.parent, (parent, node) => [`${parent} ${tree.symbol[node]}`, node]));
  const numbers = noNumbers(tree.length);
  const found = new Int32Array(part.length);
  for (let node = 0; node < part.length; node++) {
    if (node > 0) found[node] = nodes.get(`${found[part.parent[node]]} ${part.symbol[node]}`) as number;
    addNumbers(numbers, found[node], part, node);
  }
  return { ...tree, ...numbers };
}

/** Only the paths that are kept: they have the time of the others. */
function reduced(tree: CallTree, kept: Int32Array): CallTree {
  const numbers = noNumbers(tree.length);
  kept.forEach((to, node) => {
    if (to === node) addNumbers(numbers, node, tree, node);
    else {
      numbers.selfNs[to] += tree.selfNs[node];
      numbers.inferredNs[to] += tree.inferredNs[node];
    }
  });
  return { ...tree, ...numbers };
}

/** By path: the numbers of nodes that have any. */
function pathRows(tree: CallTree): Record<string, number[]> {
  const path: string[] = [];
  const rows: Record<string, number[]> = {};
  const isUsed = new Set(usedNodes(tree));
  for (let node = 0; node < tree.length; node++) {
    path[node] = node === 0 ? '' : `${path[tree.parent[node]]};${tree.symbol[node]}`;
    if (isUsed.has(node)) rows[path[node]] = NODE_COLUMNS.map((name) => (tree as NodeColumns)[name][node]);
  }
  return rows;
}

function expectRightStrip(
  log: CallLog,
  { symbol }: CallTree,
  question: TimelineQuestion,
  { strip }: ThreadTimeline,
): void {
  const { window } = question;
  const sliceLength = stripSliceNs(question);
  const expected = new Float64Array(strip.length);
  const totals = new Float64Array(ACTIVITIES);
  walkCalls(log, {
    newCall: () => new OpenCall(),
    opened() {},
    closed() {},
    spent(top, fromNs, toNs) {
      const activity = top === null ? 0 : activityOf(symbol[top.node]);
      for (let slice = 0; slice * ACTIVITIES < strip.length; slice++) {
        const startNs = window.startNs + slice * sliceLength;
        const endNs = Math.min(startNs + sliceLength, window.endNs);
        const ns = Math.max(0, Math.min(toNs, endNs) - Math.max(fromNs, startNs));
        expected[slice * ACTIVITIES + activity] += ns;
        totals[activity] += ns;
      }
    },
  });
  expect(strip).toEqual(expected);
  for (let activity = 0; activity < ACTIVITIES; activity++)
    expect(strip.reduce((sum, ns, at) => sum + (at % ACTIVITIES === activity ? ns : 0), 0)).toBe(totals[activity]);
}

interface ListedCall {
  readonly startNs: number;
  readonly endNs: number;
  readonly node: number;
  readonly ending: number;
}

/** All calls of the window that last long enough are there once; any part of it shows the same as the list of all. */
function expectRightSpans(log: CallLog, { window }: TimelineQuestion, { spans, firstSpanStep }: ThreadTimeline): void {
  const whole: ListedCall[] = [];
  const split: ListedCall[] = [];
  const suspended = new Set<number>();
  walkCalls(log, {
    newCall: () => new OpenCall(),
    opened() {},
    spent() {},
    suspended: ({ row }) => suspended.add(row),
    closed({ node, entryNs, row }, exitNs, ending) {
      if (entryNs < window.endNs && (entryNs >= window.startNs || exitNs > window.startNs))
        (suspended.has(row) ? split : whole).push({
          node,
          ending,
          startNs: entryNs - window.startNs,
          endNs: exitNs - window.startNs,
        });
    },
  });
  const minNs = minSpanNs(firstSpanStep);
  const isLong = ({ startNs, endNs }: ListedCall) => endNs - startNs >= minNs;
  expect(sorted(listOf(spans).filter(({ ending }) => ending !== PIECE))).toEqual(sorted(whole.filter(isLong)));
  expect(sorted(rowsOf(spans.split))).toEqual(sorted(split.filter(isLong)));
  for (const { startNs } of spans.levels) expect([...startNs]).toEqual([...startNs].sort((a, b) => a - b));
  const durationNs = window.endNs - window.startNs;
  for (const part of [0, 0.3, 0.7]) {
    const [fromNs, toNs] = [Math.floor(part * durationNs), Math.floor((part + 0.2) * durationNs) + 1];
    const found = rowsInWindow(spans, spanLevel(minNs), fromNs, toNs).flatMap(({ level, from, to }) =>
      rowsOf(spans.levels[level]).slice(from, to),
    );
    const isIn = ({ startNs, endNs }: ListedCall) => startNs < toNs && endNs > fromNs;
    expect(sorted(found.filter(isIn))).toEqual(sorted(listOf(spans).filter(isIn)));
  }
}

function listOf({ levels }: ThreadSpans): ListedCall[] {
  return levels.flatMap(rowsOf);
}

function rowsOf({ startNs, endNs, node, ending }: ThreadSpans['split']): ListedCall[] {
  return Array.from(node, (_, row) => ({
    startNs: startNs[row],
    endNs: endNs[row],
    node: node[row],
    ending: ending[row],
  }));
}

function sorted(calls: readonly ListedCall[]): string[] {
  return calls.map(({ startNs, endNs, node, ending }) => [startNs, endNs, node, ending].join()).sort();
}

function questionOf(
  { bounds }: TraceThreads,
  maxBytes: number,
  part: readonly [number, number] = [0, 1],
  firstLevel = LISTED,
): TimelineQuestion {
  const durationNs = bounds.endNs - bounds.startNs;
  const window = {
    startNs: bounds.startNs + Math.floor(part[0] * durationNs),
    endNs: bounds.startNs + Math.floor(part[1] * durationNs) + 1,
  };
  return { window, stripSlices: 32, reached: reachedLevels(firstLevel), maxBytes };
}

describe.each(everyNth(traceFiles, 3, 1).map((file, at) => [file, at] as const))('%s', (file, at) => {
  test('sums, strips and calls agree with the log', async () => {
    const trace = await threadsOf(file);
    if (!Number.isFinite(trace.bounds.startNs)) return;
    const longest = logsOf(trace)
      .sort((a, b) => b.log.length - a.log.length)
      .slice(0, 2);
    for (const logged of longest) {
      expectRight(logged, questionOf(trace, BUDGETS[at % BUDGETS.length]), at);
      expectRight(logged, questionOf(trace, BUDGETS[(at + 2) % BUDGETS.length], [0.31, 0.74], at % 6), at);
    }
  });
});

test.each(RANDOM_TRACES)('the same of random %s', async (_, random) => {
  await fc.assert(
    fc.asyncProperty(random, fc.nat(), fc.constantFrom(...BUDGETS), fc.nat(5), async (lines, seed, maxBytes, level) => {
      if (!lines.some((line) => line.includes('=>'))) return;
      const trace = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
      for (const logged of logsOf(trace)) {
        expectRight(logged, questionOf(trace, maxBytes), seed);
        expectRight(logged, questionOf(trace, maxBytes, [0.2, 0.5], level), seed);
      }
    }),
    { numRuns: times(80) },
  );
});

test('sums that became coarser are those that were coarse from the start', async () => {
  const trace = await threadsOfInput(
    inputOf(
      fc
        .sample(executions, { numRuns: 1, seed: 3 })[0]
        .map((line) => `${line}\n`)
        .join(''),
    ),
  );
  for (const { log, tree } of logsOf(trace)) {
    const { window } = questionOf(trace, 0);
    const durationNs = window.endNs - window.startNs;
    const paths: TimedPaths = { ...tree, totalNs: totalTimes(tree) };
    const atLevel = (level: number) => {
      const builder = new SumsBuilder();
      builder.clear(resolutionOf(level, durationNs), paths);
      walkCalls(log, {
        newCall: () => new OpenCall(),
        opened() {},
        spent: (top, from, to, certainty) =>
          builder.addTime(top?.node ?? 0, from - window.startNs, to - window.startNs, certainty !== 0),
        closed: ({ node, entryNs }, exitNs, ending, knownNs) =>
          builder.addCall(node, entryNs - window.startNs, exitNs - window.startNs, ending, knownNs),
      });
      return builder.build();
    };
    const all = Array.from({ length: NO_SUMS }, (_, level) => atLevel(level));
    const reused = new SumsBuilder();
    for (let from = LISTED; from < NO_SUMS; from++)
      for (let to = from + 1; to < NO_SUMS; to++) {
        coarsen(reused, all[from], { from, to }, durationNs, paths);
        expect(ordered(reused.build())).toEqual(ordered(all[to]));
      }
  }
});

test('time that goes on from one part to the next is one time, wherever slices end', async () => {
  await fc.assert(
    fc.asyncProperty(executions, fc.nat(5), fc.double({ min: 0, max: 1, noNaN: true }), async (lines, level, at) => {
      const trace = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
      for (const { log, tree } of logsOf(trace)) {
        const row = log.sinceNs.findIndex((ns, row) => row >= at * log.length && ns > 1 && ns < FAR);
        if (row < 1) continue;
        const question = questionOf(trace, BUDGETS[0], [0, 1], level);
        const { first, whole } = cutWithin(log, row);
        const joiner = new TimelineJoiner(question);
        for (const [part, firstRow] of [
          [first, 0],
          [whole, row + 1],
        ] as const)
          joiner.add(
            partTimeline(part, firstRow, tree, question, new TimelineMemory()),
            rowNumbers(tree.length),
            tree.length,
          );
        const paths = pathsOf(tree);
        const [joined, expected] = [joiner.build(paths.nodeOf, paths), threadTimeline(log, paths, question, MEMORY)];
        expect(withSums(joined)).toEqual(withSums(expected));
      }
    }),
    { numRuns: times(80) },
  );
});

/** Returns the log up to the middle of the time before a row, and all of it with a row there. */
function cutWithin({ length, endNs, sinceNs, farNs, code }: CallLog, row: number): { first: CallLog; whole: CallLog } {
  const half = sinceNs[row] >> 1;
  const sinces = Uint16Array.of(...sinceNs.subarray(0, row), half, sinceNs[row] - half, ...sinceNs.subarray(row + 1));
  const codes = Int32Array.of(...code.subarray(0, row), CallOp.Charge, ...code.subarray(row));
  const whole = { length: length + 1, endNs, sinceNs: sinces, farNs, code: codes };
  const cutNs = timesOf(whole)[row];
  return { first: { ...whole, length: row + 1, endNs: cutNs }, whole };
}

function withSums({ sums, stepCounts: _, ...timeline }: ThreadTimeline): object {
  return { ...timeline, sums: sums && ordered(sums) };
}

test('a log may go back in time', () => {
  const [builder, tree] = [new CallLogBuilder(), new CallTreeBuilder()];
  builder.begin(0);
  builder.open(tree.child(ROOT, 10));
  builder.nowNs = 1004;
  builder.begin(994); // another slice of the strip, and the same of the sums
  builder.nowNs = 996;
  builder.begin(100);
  builder.nowNs = 101;
  builder.close(NONE);
  const window = { startNs: 0, endNs: 4096 };
  const question = { window, stripSlices: 512, reached: reachedLevels(9), maxBytes: 1_000_000 };
  expectRight({ log: builder.build(), tree: tree.build() }, question, 1);
});

test('a call without callees below an open stop, and before its stack is switched away from', () => {
  const [builder, tree] = [new CallLogBuilder(), new CallTreeBuilder()];
  const outer = tree.child(ROOT, 10);
  builder.begin(0);
  const row = builder.open(outer);
  builder.nowNs = 10;
  builder.stop(tree.child(outer, 11));
  builder.open(tree.child(outer, 12));
  builder.nowNs = 30;
  builder.close(NONE);
  builder.endStop(true);
  builder.open(tree.child(outer, 12));
  builder.nowNs = 50;
  builder.close(NONE);
  builder.setAside(1);
  builder.nowNs = 80;
  builder.putBack(row);
  builder.nowNs = 90;
  builder.close(NONE);
  const window = { startNs: 0, endNs: 4096 };
  const question = { window, stripSlices: 512, reached: reachedLevels(LISTED), maxBytes: 1_000_000 };
  const log = builder.build();
  for (const level of [LISTED, 9])
    expectRight({ log, tree: tree.build() }, { ...question, reached: reachedLevels(level) }, 1);
});
