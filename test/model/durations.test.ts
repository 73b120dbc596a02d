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
