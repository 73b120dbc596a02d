import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DurationsBuilder, mergeDurations } from '../../src/model/calls/durations.js';

const calls = fc.array(fc.tuple(fc.nat(5), fc.oneof(fc.nat(200), fc.nat())), { maxLength: 60 });

function durationsOf(each: readonly (readonly [symbol: number, ns: number])[]) {
  const builder = new DurationsBuilder();
  for (const [symbol, ns] of each) builder.add(symbol, ns);
  return builder.build();
}

test('merges the durations of threads to those of all their calls', () => {
  fc.assert(
    fc.property(fc.array(calls, { maxLength: 5 }), (threads) => {
      const added = mergeDurations(threads.map((each) => ({ durations: durationsOf(each) })));
      expect(added).toEqual(durationsOf(threads.flat()));
    }),
    { numRuns: 300 },
  );
});

test('merges to null if one thread has no durations', () => {
  expect(mergeDurations([{ durations: durationsOf([[1, 2]]) }, { durations: null }])).toBeNull();
});

test('merging durations of many threads reads each of them a few times, however many functions others have', () => {
  let reads = 0;
  const counted = (symbol: number) => {
    const durations = durationsOf([[symbol, 5]]);
    const column = new Proxy(durations.symbol, {
      get(target, key) {
        reads++;
        return Reflect.get(target, key);
      },
    });
    return { ...durations, symbol: column };
  };
  const threads = Array.from({ length: 500 }, (_, thread) => ({ durations: counted(thread) }));
  expect(mergeDurations(threads)?.length).toBe(500);
  expect(reads).toBeLessThan(10 * threads.length);
});
