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
