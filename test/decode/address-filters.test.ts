import { describe, expect, test } from 'vitest';
import { isTraced, parseFilters } from '../../src/decode/images.js';

describe('parseFilters', () => {
  test.each([
    ['filter 0x10/0x20@/bin/x', [{ what: 'trace', start: 16, end: 48, file: '/bin/x' }]],
    ['filter 16 / 32 @ /bin/x', [{ what: 'trace', start: 16, end: 48, file: '/bin/x' }]],
    ['filter 0x1000/0x10', [{ what: 'trace', start: 0x1000, end: 0x1010, file: null }]],
    [
      'filter 0x0/0x1@/bin/x, stop 0x2/0x1@/bin/y',
      [
        { what: 'trace', start: 0, end: 1, file: '/bin/x' },
        { what: 'stop', start: 2, end: 3, file: '/bin/y' },
      ],
    ],
    [
      'tracestop 0x0/0x1@/bin/x filter 0x2/0x1@/bin/y',
      [
        { what: 'stop', start: 0, end: 1, file: '/bin/x' },
        { what: 'trace', start: 2, end: 3, file: '/bin/y' },
      ],
    ],
  ])('reads %s', (text, regions) => {
    expect(parseFilters(text)).toEqual(regions);
  });

  test.each([
    'filter main@/bin/x',
    'start 0x10@/bin/x',
    'filter *@/bin/x',
    'filter 010/8@/bin/x',
    'filter 0x1/0x1@/a b',
  ])('does not know %s', (text) => {
    expect(parseFilters(text)).toBeNull();
  });
});

describe('isTraced', () => {
  const traced = (text: string, offset: number, file = '/bin/x') => isTraced(parseFilters(text) ?? [], file, offset);

  test('is true for all bytes of a region, and for no other', () => {
    const inside = [15, 16, 47, 48].map((offset) => traced('filter 0x10/0x20@/bin/x', offset));
    expect(inside).toEqual([false, true, true, false]);
    expect(traced('filter 0x10/0x20@/bin/x', 16, '/bin/y')).toBe(false);
  });

  test('is false where the trace stops, also in a filtered region', () => {
    expect(traced('stop 0x10/0x20@/bin/x', 16)).toBe(false);
    expect(traced('stop 0x10/0x20@/bin/x', 15)).toBe(true);
    expect(traced('filter 0x0/0x100@/bin/x,stop 0x10/0x20@/bin/x', 16)).toBe(false);
  });
});
