/**
 * Compares the chunks of all calls of threads with their logs: each call once, by start, and any window shows the same.
 */
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkCalls, chunkFunctions } from '../../src/analysis/chunk-calls.js';
import { OpenCall, walkCalls } from '../../src/analysis/log/walk-calls.js';
import { readChunk, readFunctionChunk } from '../../src/codec/page-numbers.js';
import { ChunkDeflater } from '../../src/levels/write.js';
import type { CallLog } from '../../src/model/calls/call-log.js';
import { rowNumbers } from '../../src/model/columns.js';
import {
  type ChunkIndex,
  chunksOfFunction,
  chunksWithin,
  PIECE,
  type Spans,
  spanLevel,
  type ThreadChunks,
} from '../../src/model/profile/timeline.js';
import type { Bounds } from '../../src/model/units.js';
import { RANDOM_TRACES } from '../helpers/random/random-traces.js';
import { everyNth, times } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { forLogs, timesOf } from '../helpers/traces/for-logs.js';
import { inputOf } from '../helpers/traces/load.js';
import { type TraceThreads, threadsOf, threadsOfInput } from '../helpers/traces/threads-of.js';

interface Call {
  readonly startNs: number;
  readonly endNs: number;
  readonly node: number;
  readonly ending: number;
}

/** All calls that a stack shows, pieces for those that were set aside; and the latter from start to end. */
function callsOf(log: CallLog, { startNs: originNs, endNs: windowEndNs }: Bounds): { shown: Call[]; split: Call[] } {
  class Stacked extends OpenCall {
    since: number | null = null;
    pieces = 0;
  }
  const [shown, split]: [Call[], Call[]] = [[], []];
  let nowNs = 0;
  const isIn = (fromNs: number, toNs: number) => fromNs < windowEndNs && (fromNs >= originNs || toNs > originNs);
  const add = (list: Call[], node: number, fromNs: number, toNs: number, ending: number) => {
    if (isIn(fromNs, toNs)) list.push({ startNs: fromNs - originNs, endNs: toNs - originNs, node, ending });
  };
  const addPiece = ({ node, since }: Stacked, toNs: number) => {
    if (since !== null && toNs > since) add(shown, node, since, toNs, PIECE);
  };
  walkCalls<Stacked>(log, {
    newCall: () => new Stacked(),
    opened(call) {
      nowNs = call.entryNs;
      call.since = call.entryNs;
      call.pieces = 0;
    },
    spent(_top, _from, toNs) {
      nowNs = toNs;
    },
    suspended(call) {
      addPiece(call, nowNs);
      call.since = null;
      call.pieces++;
    },
    resumed(call) {
      call.since = nowNs;
    },
    closed(call, exitNs, ending) {
      if (call.pieces === 0) return add(shown, call.node, call.entryNs, exitNs, ending);
      addPiece(call, exitNs);
      add(split, call.node, call.entryNs, exitNs, ending);
    },
  });
  return { shown, split };
}

/** The chunks of each list, as a page reads them. */
function read({ levels, split, bytes }: ThreadChunks): { levels: Spans[][]; split: Spans[] } {
  let at = 0;
  const list = (index: ChunkIndex) =>
    index.bytes.map((size) => readChunk(inflateRawSync(bytes.subarray(at, (at += size)))));
  return { levels: levels.map(list), split: list(split) };
}

function rowsOf({ startNs, endNs, node, ending }: Spans): Call[] {
  return Array.from(node, (_, row) => ({
    startNs: startNs[row],
    endNs: endNs[row],
    node: node[row],
    ending: ending[row],
  }));
}

const sorted = (calls: readonly Call[]) => calls.map((call) => Object.values(call).join()).sort();

function expectRight(log: CallLog, window: Bounds, chunkLength: number): void {
  const deflater = new ChunkDeflater();
  chunkCalls(log, window, (list, calls) => deflater.add(list, calls), chunkLength);
  const chunks = deflater.build();
  const { levels, split } = read(chunks);
  const all = callsOf(log, window);
  expect(sorted(split.flatMap(rowsOf))).toEqual(sorted(all.split));
  const perLevel = levels.map((list) => list.flatMap(rowsOf));
  expect(sorted(perLevel.flat())).toEqual(sorted(all.shown));
  for (const [level, calls] of perLevel.entries()) {
    for (const { startNs, endNs } of calls) expect(spanLevel(endNs - startNs)).toBe(level);
    expect(calls.map(({ startNs }) => startNs)).toEqual(calls.map(({ startNs }) => startNs).sort((a, b) => a - b));
    const sizes = levels[level].map(({ node }) => node.length);
    expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).fill(chunkLength));
  }
  const durationNs = Math.min(window.endNs, timesOf(log).at(-1) as number) - window.startNs;
  for (const part of [0, 0.1, 0.5, 0.9]) {
    const [fromNs, toNs] = [Math.floor(part * durationNs), Math.floor((part + 0.1) * durationNs) + 1];
    const isIn = ({ startNs, endNs }: Call) => startNs < toNs && endNs > fromNs;
    const found = levels.flatMap((list, level) =>
      chunksWithin(chunks.levels[level], fromNs, toNs).flatMap((chunk) => rowsOf(list[chunk])),
    );
    expect(sorted(found.filter(isIn))).toEqual(sorted(all.shown.filter(isIn)));
  }
}

interface WholeCall extends Call {
  readonly knownNs: number;
  readonly isSplit: number;
}

/** All calls of the log from start to end. */
function wholeCalls(log: CallLog, { startNs: originNs, endNs: windowEndNs }: Bounds): WholeCall[] {
  const calls: WholeCall[] = [];
  const split = new Set<number>();
  walkCalls(log, {
    newCall: () => new OpenCall(),
    opened() {},
    spent() {},
    suspended: ({ row }) => split.add(row),
    closed({ row, node, entryNs }, exitNs, ending, knownNs) {
      const times = { startNs: entryNs - originNs, endNs: exitNs - originNs };
      const isIn = entryNs < windowEndNs && (entryNs >= originNs || exitNs > originNs);
      if (isIn) calls.push({ ...times, node, ending, knownNs, isSplit: split.has(row) ? 1 : 0 });
    },
  });
  return calls;
}

/** Three nodes in a row belong to the same function. */
function expectRightByFunction(log: CallLog, window: Bounds, batchCalls: number): void {
  const nodes = rowNumbers(log.code.length); // more than there are
  const shown = { nodeOf: nodes, symbol: nodes.map((node) => Math.floor(node / 3)) };
  const deflater = new ChunkDeflater();
  chunkFunctions(log, window, shown, (...chunk) => deflater.addFunctions(...chunk), batchCalls);
  const { functions: index, bytes } = deflater.build();
  let at = 0;
  const chunks = index.bytes.map((size) => {
    const calls = readFunctionChunk(inflateRawSync(bytes.subarray(at, (at += size))));
    return rowsOf(calls).map((call, row) => ({ ...call, knownNs: calls.knownNs[row], isSplit: calls.isSplit[row] }));
  });
  const all = wholeCalls(log, window);
  expect(sorted(chunks.flat())).toEqual(sorted(all));
  const lastNs = Math.max(0, ...all.map(({ endNs }) => endNs));
  const functionOf = ({ node }: Call) => node - (node % 3);
  for (const fn of new Set(all.map(functionOf)))
    for (const [fromNs, toNs] of [
      [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      [Math.floor(lastNs / 3), Math.floor(lastNs / 2)],
    ] as const) {
      const isAsked = (call: Call) => functionOf(call) === fn && call.startNs < toNs && call.endNs > fromNs;
      const found = chunksOfFunction(index, fn, fromNs, toNs).flatMap((chunk) => chunks[chunk] ?? []);
      expect(sorted(found.filter(isAsked))).toEqual(sorted(all.filter(isAsked)));
    }
}

function expectRightOfAll(trace: TraceThreads): void {
  const { startNs, endNs } = trace.bounds;
  if (!Number.isFinite(startNs)) return;
  forLogs(trace, (log) => {
    for (const chunkLength of [1, 7, 4096]) expectRight(log, { startNs, endNs }, chunkLength);
    const window = { startNs: Math.floor((2 * startNs + endNs) / 3), endNs: Math.floor((startNs + 2 * endNs) / 3) };
    expectRight(log, window, 3);
    expectRightByFunction(log, { startNs, endNs }, 2 ** 18);
    expectRightByFunction(log, window, 50);
  });
}

describe.each(everyNth(traceFiles, 5))('%s', (file) => {
  test('chunks have the calls of the log', async () => {
    expectRightOfAll(await threadsOf(file));
  });
});

test.each(RANDOM_TRACES)('the same of random %s', async (_, random) => {
  await fc.assert(
    fc.asyncProperty(random, async (lines) => {
      if (!lines.some((line) => line.includes('=>'))) return;
      expectRightOfAll(await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join(''))));
    }),
    { numRuns: times(80) },
  );
});
