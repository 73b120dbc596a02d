import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatBytes, formatDuration, formatShare } from '../../src/render/format.js';

test('uses the next unit for values that round up to a thousand', () => {
  expect([999, 999.6, 1000, 999_400, 999_900, 999_999, 999_996_000].map(formatDuration)).toEqual([
    '999 ns',
    '1 µs',
    '1 µs',
    '999 µs',
    '1 ms',
    '1 ms',
    '1 s',
  ]);
  expect([999, 999_960, 1_000_000, 999_970_000].map(formatBytes)).toEqual(['999 B', '1.0 MB', '1.0 MB', '1.0 GB']);
});

test('limits the digits of a share, and shows 0 % and 100 % only if exact', () => {
  const shares = [0, 1e-9, 0.0087, 0.0876, 1.234, 99.6, 99.96, 100].map((percent) => formatShare(percent, 100));
  expect(shares).toEqual(['0 %', '<0.01 %', '<0.01 %', '0.09 %', '1.23 %', '99.6 %', '>99.9 %', '100 %']);
});

test('rounds as JavaScript formats numbers, also between two results', () => {
  const short = (value: number) => Number(value.toPrecision(3));
  const nearTie = fc.tuple(fc.nat(1_000_000), fc.constantFrom(1, 10, 100, 1000, 0.001)).map(([a, b]) => (a + 0.5) / b);
  const values = fc.oneof(fc.double({ min: 0, max: 998.9, noNaN: true }), fc.nat(998), nearTie);
  fc.assert(
    fc.property(values, (value) => {
      if (value < 998) expect(formatDuration(value)).toBe(`${short(value)} ns`);
      if (value >= 1 && value < 998) expect(formatDuration(value * 1e3)).toBe(`${short((value * 1e3) / 1e3)} µs`);
      if (value < 0.01 || value > 99.9) return;
      const percent = (100 * value) / 100;
      const share = percent < 1 ? Number(percent.toFixed(2)) : short(percent);
      expect(formatShare(value, 100)).toBe(`${share} %`);
    }),
    { numRuns: 20_000 },
  );
});
