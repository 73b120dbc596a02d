/**
 * Keys of records: equal exactly for equal records of a thread.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RareRecord, recordKey } from '../../src/trace/records/switch-log.js';

const record: fc.Arbitrary<RareRecord> = fc.record({
  what: fc.constantFrom('exec' as const, 'exit' as const, 'traced' as const),
  tid: fc.constant(7),
  pid: fc.integer({ min: 6, max: 7 }),
  cpu: fc.integer({ min: -1, max: 1 }),
  timeNs: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, 0.25, 1e15, 1e15 + 1)),
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
