/**
 * What is done with columns of millions of rows, against the obvious way.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { type FutexCalls, lastCall, lastCalls } from '../../src/waits/futex-calls.js';
import { atPlaces, groupPlaces, groupRows, rowsOf } from '../../src/waits/input/group-rows.js';
import { percentiles } from '../../src/waits/summary/distribution.js';

const PARTS = [0.5, 0.9, 0.99];

describe('rows of a key', () => {
  const key = fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(2 ** 22 - 1, 2 ** 22, 2 ** 31 - 1, -(2 ** 31)));

  it('are found in their order, whatever the key', () => {
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const groups = groupRows(Int32Array.from(keys));
        expect([...groups.keys]).toEqual([...new Set(keys)].sort((a, b) => a - b));
        for (const each of [...keys, 17])
          expect([...rowsOf(groups, each)]).toEqual([...keys.keys()].filter((row) => keys[row] === each));
      }),
    );
  });

  it('have their values at the places of the rows', () => {
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const column = Int32Array.from(keys);
        const { places } = groupPlaces(column);
        expect(atPlaces(column, places)).toEqual(column.toSorted());
      }),
    );
  });
});

describe('percentiles', () => {
  it('are those of the sorted values', () => {
    const value = fc.oneof(fc.nat(3), fc.nat());
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5000, size: 'max' }), fc.boolean(), (values, isSorted) => {
        const sorted = Float64Array.from(values).sort();
        const own = isSorted ? sorted.slice() : Float64Array.from(values);
        const expected = PARTS.map((part) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]);
        expect(percentiles(own, PARTS)).toEqual(expected);
        expect(own.sort()).toEqual(sorted);
      }),
      { numRuns: 30 },
    );
  });

  it('of no values are unknown', () => {
    expect(percentiles(new Float64Array(0), PARTS)).toEqual([NaN, NaN, NaN]);
  });
});

describe('last calls', () => {
  it('of many moments are those of each', () => {
    const rows = fc.array(fc.record({ timeNs: fc.nat(20), tid: fc.nat(3) }));
    fc.assert(
      fc.property(rows, rows, (enters, moments) => {
        const [called, asked] = [columnsOf(enters), columnsOf(moments)];
        const calls = { ...called, enterNs: called.timeNs, byThread: groupRows(called.tid) } as unknown as FutexCalls;
        const expected = Array.from(asked.tid, (tid, row) => lastCall(calls, tid, asked.timeNs[row]));
        expect([...lastCalls(calls, asked)]).toEqual(expected);
        expect(lastCall(calls, 4, 20)).toBe(NONE);
      }),
    );
  });
});

function columnsOf(rows: readonly { readonly timeNs: number; readonly tid: number }[]) {
  const ordered = rows.toSorted((a, b) => a.timeNs - b.timeNs);
  return {
    length: rows.length,
    timeNs: Float64Array.from(ordered, ({ timeNs }) => timeNs),
    tid: Int32Array.from(ordered, ({ tid }) => tid),
  };
}
