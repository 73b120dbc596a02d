/**
 * Selecting the longest of many durations.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundForLongest } from '../../../src/model/columns.js';

test('as many of the longest are selected as fit, and of equal ones all or none', () => {
  expect(boundForLongest(Float64Array.of(5, 1, 9), 3)).toBe(0);
  expect(boundForLongest(Float64Array.of(5, 1, 9), 2)).toBe(5);
  expect(boundForLongest(Float64Array.of(5, 1, 5, 9), 2)).toBe(9);
  expect(boundForLongest(Float64Array.of(5, 5), 1)).toBeGreaterThan(5);
  const lists = fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 20 });
  fc.assert(
    fc.property(lists, fc.integer({ min: 0, max: 20 }), (all, max) => {
      const bound = boundForLongest(Float64Array.from(all), max);
      const kept = all.filter((ns) => ns >= bound);
      const next = Math.max(...all.filter((ns) => ns < bound));
      expect(kept.length).toBeLessThanOrEqual(max);
      expect(kept.length + all.filter((ns) => ns === next).length).toBeGreaterThan(
        kept.length === all.length ? -1 : max,
      );
    }),
  );
});
