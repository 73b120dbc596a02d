/**
 * Groups rows by a key, such as their thread; within a group, rows keep their order.
 */
import { countBelow, firstThat } from '../../model/columns.js';
import { type Nanoseconds, NONE } from '../../model/units.js';

export interface Groups {
  readonly keys: Int32Array; // ascending
  /** Group i has the rows `rows[starts[i]]` to `rows[starts[i + 1] - 1]`. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

export function groupRows(keys: Int32Array): Groups {
  const { places, ...groups } = groupPlaces(keys);
  return { ...groups, rows: rowsAt(places) };
}

export interface Places extends Pick<Groups, 'keys' | 'starts'> {
  /** By row: its place among the rows of all groups. */
  readonly places: Uint32Array;
}

/** Columns are put in order by `atPlaces`: faster than by a list of rows, because reading them in order is. */
export function groupPlaces(keys: Int32Array): Places {
  const numbers = new KeyNumbers(keys);
  const counts: number[] = [];
  for (let row = 0; row < keys.length; row++) {
    const number = numbers.add(keys[row]);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  const sorted = Int32Array.from(numbers.keys).sort();
  const starts = new Uint32Array(sorted.length + 1);
  const next = new Uint32Array(sorted.length); // by number
  sorted.forEach((key, group) => {
    const number = numbers.find(key);
    next[number] = starts[group];
    starts[group + 1] = starts[group] + counts[number];
  });
  const places = new Uint32Array(keys.length);
  for (let row = 0; row < keys.length; row++) places[row] = next[numbers.find(keys[row])]++;
  return { keys: sorted, starts, places };
}

/** Returns the rows in the order of their places. */
export function rowsAt(places: Uint32Array): Uint32Array {
  const rows = new Uint32Array(places.length);
  for (let row = 0; row < places.length; row++) rows[places[row]] = row;
  return rows;
}

/** Returns the values of rows at their places. */
export function atPlaces<Values extends Float64Array | Int32Array | Uint8Array>(
  values: Values,
  places: Uint32Array,
): Values {
  const placed = new (values.constructor as new (length: number) => Values)(values.length);
  for (let row = 0; row < values.length; row++) placed[places[row]] = values[row];
  return placed;
}

/** Returns the group of a key; NONE: it has no rows. */
export function groupOf(keys: Int32Array, key: number): number {
  const group = countBelow(keys, key);
  return keys[group] === key ? group : NONE;
}

/** Returns a group's rows. */
export function rowsOf({ keys, starts, rows }: Groups, key: number): Uint32Array {
  const group = groupOf(keys, key);
  return group < 0 ? rows.subarray(0, 0) : rows.subarray(starts[group], starts[group + 1]);
}

/** Returns the last row at or before a time; NONE. `rows`: by time. `timeNs`: of all rows. */
export function lastRowAt(rows: Uint32Array, timeNs: Float64Array, atNs: Nanoseconds): number {
  const later = firstThat(0, rows.length, (at) => timeNs[rows[at]] > atNs);
  return later === 0 ? NONE : rows[later - 1];
}

/** Thread ids are below this (PID_MAX_LIMIT in include/linux/threads.h), so a table finds most keys. */
const TABLE_KEYS = 2 ** 22;

/** Numbers the different keys of a column, such as the threads of samples, in the order in which they first come. */
export class KeyNumbers {
  /** By number. */
  readonly keys: number[] = [];
  private readonly table: Int32Array; // by key: one more than its number; 0: none
  private readonly others = new Map<number, number>(); // the same, of other keys

  /** `expected`: the keys that will be added, or most of them. */
  constructor(expected: Int32Array | Float64Array) {
    let largest = 0;
    for (let row = 0; row < expected.length; row++) if (expected[row] > largest) largest = expected[row];
    this.table = new Int32Array(Math.min(largest + 1, TABLE_KEYS));
  }

  /** Returns the number of a key, which it gets if it has none. */
  add(key: number): number {
    const number = this.find(key);
    return number === NONE ? this.addNew(key) : number;
  }

  /** NONE: it was not added. */
  find(key: number): number {
    return key >= 0 && key < this.table.length ? this.table[key] - 1 : (this.others.get(key) ?? NONE);
  }

  private addNew(key: number): number {
    const number = this.keys.push(key) - 1;
    if (key >= 0 && key < this.table.length) this.table[key] = number + 1;
    else this.others.set(key, number);
    return number;
  }
}
