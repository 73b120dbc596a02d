/**
 * Calls by time and duration: all are counted, the longest are listed, in bounded memory.
 */
import { expect, test } from 'vitest';
import {
  durationRow,
  MAX_LISTED_CALLS,
  rowStartNs,
  TimedCallsBuilder,
  TimedCallsSum,
  timeColumn,
} from '../../../src/analysis/calls/over-time.js';
import { NONE } from '../../../src/model/units.js';

const BOUNDS = { startNs: 1_000_000, endNs: 1_256_000 };
const INFERRED = 1;

/** Different durations in a fixed but scattered order. */
const scattered = (call: number) => 1 + ((call * 7919) % 100_003);

function threadCalls(tid: number, from: number, to: number) {
  const builder = new TimedCallsBuilder(BOUNDS);
  for (let call = from; call < to; call++)
    builder.add(call, BOUNDS.startNs + call, scattered(call), call % 10 === 0 ? INFERRED : NONE);
  return builder.build(tid);
}

test('many calls are all counted, and the longest listed, whatever the order of threads', () => {
  const threads = [threadCalls(1, 0, 40_000), threadCalls(2, 40_000, 100_000)];
  const merged = [threads, threads.toReversed()].map((some) => {
    const builder = new TimedCallsSum();
    for (const thread of some) builder.add(thread, 0);
    return builder.build();
  });
  expect(merged[0]).toEqual(merged[1]);
  const { cells, listed } = merged[0] ?? { cells: [], listed: [] };
  expect(cells.reduce((sum, { calls }) => sum + calls, 0)).toBe(100_000);
  expect(cells.reduce((sum, { inferred }) => sum + inferred, 0)).toBe(10_000);
  const longest = Array.from({ length: 100_000 }, (_, call) => scattered(call)).sort((a, b) => b - a);
  expect(listed.map(({ durationNs }) => durationNs)).toEqual(longest.slice(0, MAX_LISTED_CALLS));
});

test('a row has the durations from its border up to the next', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 8].map(durationRow)).toEqual([0, 1, 3, 4, 5, 5, 6, 7]);
  for (let row = 4; row < 90; row++) {
    const fromNs = rowStartNs(row);
    expect([durationRow(fromNs - 1), durationRow(fromNs)], `row ${row}`).toEqual([row - 1, row]);
    expect(BigInt(fromNs) ** 2n >= 2n ** BigInt(row - 1)).toBe(true);
    expect(BigInt(fromNs - 1) ** 2n < 2n ** BigInt(row - 1)).toBe(true);
  }
});

test('columns divide the time evenly; what is outside is in the first or the last', () => {
  const columns = [999_000, 1_000_000, 1_000_999, 1_001_000, 1_255_999, 1_256_000, 2e9];
  expect(columns.map((ns) => timeColumn(BOUNDS, ns))).toEqual([0, 0, 0, 1, 255, 255, 255]);
});
