/**
 * Tests where arrow keys lead to in plots of calls.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowStartNs, TIME_COLUMNS } from '../../../../src/analysis/calls/over-time.js';
import { callAway, cellAway, longestInCell, SPOT_KEYS } from '../../../../src/page/browser/panel/calls-canvas.js';

const call = (startNs: number, durationNs: number) => {
  return { tid: 1, comm: null, start: '', startNs, durationNs, isInferred: false };
};
/** Longest first. */
const CALLS = [call(50, 9), call(10, 7), call(30, 7), call(90, 1)];
const cell = (column: number, row: number) => {
  return { column, fromNs: rowStartNs(row), toNs: rowStartNs(row + 1), calls: 1, inferred: 0 };
};
const plot = { durationNs: 100, calls: CALLS, cells: [] };

describe('calls', () => {
  test('follow each other in time, and by duration', () => {
    expect(callAway(plot, undefined, 'ArrowLeft')).toBe(0);
    expect(callAway(plot, 0, 'ArrowRight')).toBe(3);
    expect(callAway(plot, 3, 'ArrowRight')).toBe(3);
    expect(callAway(plot, 0, 'ArrowLeft')).toBe(2);
    expect(callAway(plot, 0, 'ArrowDown')).toBe(1);
    expect(callAway(plot, 0, 'ArrowUp')).toBe(0);
    expect([callAway(plot, 2, 'Home'), callAway(plot, 2, 'End')]).toEqual([1, 3]);
    expect(callAway({ ...plot, calls: [] }, undefined, 'End')).toBe(undefined);
  });
});

describe('cells', () => {
  const cells = [cell(0, 5), cell(0, 9), cell(3, 6), cell(3, 8), cell(7, 1)];

  test('are reached by column, at the nearest duration, and within a column by duration', () => {
    const steps = (from: number, ...keys: readonly (typeof SPOT_KEYS)[number][]) =>
      keys.map((key) => cellAway({ ...plot, cells }, from, key));
    expect(steps(0, 'ArrowRight', 'ArrowUp', 'ArrowDown', 'ArrowLeft')).toEqual([2, 1, 0, 0]);
    expect(steps(1, 'ArrowRight', 'ArrowUp', 'ArrowDown')).toEqual([3, 1, 0]);
    expect(steps(4, 'ArrowLeft', 'Home', 'End')).toEqual([2, 1, 4]);
    expect(cellAway({ ...plot, cells }, undefined, 'ArrowUp')).toBe(1);
  });

  test('are all reached', () => {
    const grid = fc.uniqueArray(fc.tuple(fc.nat(TIME_COLUMNS - 1), fc.nat(30)), {
      minLength: 1,
      maxLength: 20,
      selector: (at) => at.join(),
    });
    fc.assert(
      fc.property(grid, (places) => {
        const drawn = { ...plot, cells: places.map(([column, row]) => cell(column, row)) };
        const reached = new Set<number | undefined>();
        const open = [cellAway(drawn, undefined, 'Home')];
        for (let at = open.pop(); at !== undefined; at = open.pop()) {
          if (reached.has(at)) continue;
          reached.add(at);
          for (const key of SPOT_KEYS) open.push(cellAway(drawn, at, key));
        }
        expect(reached.size).toBe(places.length);
      }),
      { numRuns: 50 },
    );
  });

  test('lead to their longest call', () => {
    const column = (startNs: number) => Math.floor((startNs / 100) * TIME_COLUMNS);
    const of = (at: number, fromNs: number, toNs: number) =>
      longestInCell(plot, { column: at, fromNs, toNs, calls: 1, inferred: 0 });
    expect(of(column(30), 5, 8)).toBe(2);
    expect(of(column(30), 8, 20)).toBe(-1);
    expect(of(column(50), 8, 20)).toBe(0);
  });
});
