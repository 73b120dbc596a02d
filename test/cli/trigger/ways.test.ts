import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call, Hit } from '../../../cli/record/trigger/calls.js';
import { Ways } from '../../../cli/record/trigger/ways.js';

const from = (timeNs: number, tid = 1): Hit => ({ tid, timeNs, stackPointer: timeNs, at: 'entry' });
const to = (timeNs: number, tid = 1): Hit => ({ tid, timeNs, stackPointer: timeNs, at: 'end' });

function waysOf(...hits: readonly Hit[]): Call[] {
  const ways = new Ways();
  return hits.map((hit) => ways.add(hit)).filter((way) => way !== null);
}

test('ways are of one thread, whatever its stack pointer', () => {
  expect(waysOf(from(1), from(2, 2), to(5), to(9, 2))).toEqual([
    { tid: 1, startNs: 1, endNs: 5 },
    { tid: 2, startNs: 2, endNs: 9 },
  ]);
});

test('ways begin anew at the first place, and end once', () => {
  expect(waysOf(to(1), from(2), from(4), to(7), to(9))).toEqual([{ tid: 1, startNs: 4, endNs: 7 }]);
});

test('a thread that ended is not on its way', () => {
  const ways = new Ways();
  ways.add(from(1));
  expect(ways.openSince(1)).toBe(1);
  ways.end(1);
  expect([ways.openSince(1), ways.add(to(5))]).toEqual([null, null]);
});

test('hits of another CPU may arrive late: the same ways, if a hit overtakes no more than its neighbour', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (swaps) => {
      const hits = swaps.flatMap((_, row) => [from(10 * row + 1), to(10 * row + 5)]);
      swaps.forEach((isSwapped, row) => {
        if (isSwapped) hits.splice(2 * row, 2, hits[2 * row + 1] as Hit, hits[2 * row] as Hit);
      });
      expect(waysOf(...hits)).toEqual(swaps.map((_, row) => ({ tid: 1, startNs: 10 * row + 1, endNs: 10 * row + 5 })));
    }),
  );
});
