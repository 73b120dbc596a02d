import { expect, test } from 'vitest';
import { formatBytes, formatDuration } from '../../src/text.js';

test('what rounding makes a thousand of is one of the next unit', () => {
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
