/**
 * Tests the formatting of numbers.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCount } from '../../src/text.js';

test('groups digits like Intl', () => {
  const any = fc.oneof(fc.integer({ min: -2_000_000, max: 2_000_000 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(any, (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
});
