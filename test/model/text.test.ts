import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_NUMBER_BYTES, putNumber } from '../../src/model/text.js';

function written(value: number): string {
  const bytes = new Uint8Array(MAX_NUMBER_BYTES + 2).fill(0x2e);
  const end = putNumber(bytes, 1, value);
  expect(bytes[end]).toBe(0x2e); // not touched
  return Buffer.from(bytes.subarray(1, end)).toString();
}

test('writes numbers as JavaScript prints them', () => {
  const near = [9, 10, 99, 100, 999_999_999, 1e9, 2 ** 31, 2 ** 31 * 10, 2 ** 32, 1e15, 2 ** 53].flatMap((value) => [
    value - 1,
    value,
    value + 1,
  ]);
  for (const value of [...near, 0, -0, -1, 1.5, 9.5, 1e21, -1.5e-300, 2 ** 53 + 2, Number.MAX_VALUE])
    expect(written(value)).toBe(String(value));
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.maxSafeNat(), fc.maxSafeInteger(), fc.double()), (value) => {
      expect(written(value)).toBe(String(value));
    }),
  );
});
