/**
 * Groups rows by a key, such as their thread; within a group, rows keep their order.
 */

import { NONE } from '../../model/units.js';

export interface Groups {
  readonly keys: Int32Array; // ascending
  /** Group i has the rows `rows[starts[i]]` to `rows[starts[i + 1] - 1]`. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

export function groupRows(keys: Int32Array): Groups {
  const counts = new Map<number, number>();
  for (let row = 0, end = 0; row < keys.length; row = end) {
    while (end < keys.length && keys[end] === keys[row]) end++;
    counts.set(keys[row], (counts.get(keys[row]) ?? 0) + end - row);
  }
  const sorted = Int32Array.from(counts.keys()).sort();
  const starts = new Uint32Array(sorted.length + 1);
  const groupOfKey = new Map<number, number>();
  sorted.forEach((key, group) => {
    groupOfKey.set(key, group);
    starts[group + 1] = starts[group] + (counts.get(key) as number);
  });
  const next = starts.slice();
  const rows = new Uint32Array(keys.length);
  let group = 0;
  for (let row = 0; row < keys.length; row++) {
    if (sorted[group] !== keys[row]) group = groupOfKey.get(keys[row]) as number;
    rows[next[group]++] = row;
  }
  return { keys: sorted, starts, rows };
}

/** Returns the group of a key; NONE: it has no rows. */
export function groupOf(keys: Int32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low < keys.length && keys[low] === key ? low : NONE;
}

/** Returns a group's rows. */
export function rowsOf({ keys, starts, rows }: Groups, key: number): Uint32Array {
  const group = groupOf(keys, key);
  return group < 0 ? rows.subarray(0, 0) : rows.subarray(starts[group], starts[group + 1]);
}

/** Returns how many of ascending rows come before one. */
export function countBelow(rows: Uint32Array, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns rows by time; rows of equal time keep their order. */
export function byTime(rows: Uint32Array, timeNs: Float64Array): Uint32Array {
  for (let at = 1; at < rows.length; at++) {
    if (timeNs[rows[at]] < timeNs[rows[at - 1]]) return rows.slice().sort((a, b) => timeNs[a] - timeNs[b] || a - b);
  }
  return rows;
}
