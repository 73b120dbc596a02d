/**
 * The grid that calls are counted in by time and duration: columns of equal time, and two rows for each power of two.
 */

import type { Bounds, Nanoseconds } from '../../model/units.js';

export const TIME_COLUMNS = 256;

/** Returns the column of a moment; what lies outside of the bounds is in the first or the last one. */
export function timeColumn({ startNs, endNs }: Bounds, ns: Nanoseconds): number {
  const column = Math.floor(((ns - startNs) / Math.max(1, endNs - startNs)) * TIME_COLUMNS);
  return Math.min(TIME_COLUMNS - 1, Math.max(0, column));
}

/** Row 0 has no time at all; row 1 begins at 1 ns, row 2 at 2^0.5 ns, row 3 at 2 ns. */
export function durationRow(ns: Nanoseconds): number {
  if (ns < 1) return 0;
  const rounded = Math.floor(Math.log2(ns));
  const power = 2 ** rounded > ns ? rounded - 1 : rounded; // log2 rounds 2^49 - 1 up
  return 1 + 2 * power + (ns >= 2 ** (power + 0.5) ? 1 : 0);
}

/** Returns the shortest duration of a row, in whole nanoseconds. */
export function rowStartNs(row: number): Nanoseconds {
  return row === 0 ? 0 : Math.ceil(2 ** ((row - 1) / 2));
}
