/**
 * Keys of records: equal exactly for equal records of a thread.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceRecord } from '../../src/model/trace/trace-chunk.js';
import { recordKey } from '../../src/store/records/record-key.js';

const record: fc.Arbitrary<TraceRecord> = fc.record({
  what: fc.constant('switch' as const),
  direction: fc.constantFrom('in' as const, 'out' as const, 'preempted' as const),
  tid: fc.constant(7),
  cpu: fc.oneof(fc.integer({ min: -1, max: 1 }), fc.integer({ min: 1021, max: 1025 })),
  timeNs: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -2, max: 2 }).map((distance) => 2.9e12 + distance),
    fc.constantFrom(0.5, 0.25, 1e15, 1e15 + 1),
  ),
});

test('records have one key exactly if they are equal', () => {
  fc.assert(
    fc.property(record, record, (a, b) => {
      expect(recordKey(a) === recordKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      expect(recordKey({ ...a })).toBe(recordKey(a));
    }),
    { numRuns: 3000 },
  );
});
