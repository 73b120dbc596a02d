/**
 * Growing columns of numbers, from which the model's read-only typed arrays are built, and searches in such arrays.
 */
import { askForMemory } from './memory.js';
import type { Nanoseconds } from './units.js';

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A typed array that doubles when it is full; `values` may be longer than `length`. */
export class GrowingColumn<Values extends Column> {
  values: Values;
  length = 0;

  private readonly make: (capacity: number) => Values;

  constructor(make: (capacity: number) => Values) {
    this.make = make;
    this.values = make(64);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.grow();
    this.values[this.length++] = value;
  }

  append(values: ArrayLike<number>): void {
    this.withSpace(values.length).values.set(values, this.length);
    this.length += values.length;
  }

  /** Makes space for so many more rows. */
  withSpace(rows: number): this {
    while (this.length + rows > this.values.length) this.grow();
    return this;
  }

  /** Returns the rows written so far; shares memory with the column. */
  view(): Values {
    return this.values.subarray(0, this.length) as Values;
  }

  private grow(): void {
    askForMemory(2 * this.values.byteLength);
    const larger = this.make(this.values.length * 2);
    larger.set(this.values);
    this.values = larger;
  }
}

const float64s = (length: number) => new Float64Array(length);
const int32s = (length: number) => new Int32Array(length);
const uint8s = (length: number) => new Uint8Array(length);
export const float64Column = () => new GrowingColumn(float64s);
export const int32Column = () => new GrowingColumn(int32s);
export const uint8Column = () => new GrowingColumn(uint8s);

/** A column that is filled and discarded repeatedly: touching new memory is slow. */
export class ReusedColumn<Values extends Column> {
  private values: Values;

  constructor(values: Values) {
    this.values = values;
  }

  /** Returns `length` rows of one value; overwrites the previous ones. */
  filled(length: number, value: number): Values {
    if (this.values.length < length) this.values = resized(this.values, length);
    return this.values.subarray(0, length).fill(value) as Values;
  }
}

/** Returns the first number from `from` on that passes, as all after it do; `to`: none before it does. */
export function firstThat(from: number, to: number, passes: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Of columns it is a loop of its own: a call for each value that is examined would take longer than the search.

/** Returns the first row, of those from `from` up to `to`, with more than a bound in an ascending column; or `to`. */
export function countAtOrBelow(ascending: Column, bound: number, from = 0, to = ascending.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first row, of those from `from` up to `to`, with at least a bound in an ascending column; or `to`. */
export function countBelow(ascending: Column, bound: number, from = 0, to = ascending.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a longer copy. */
export function resized<Values extends Column>(values: Values, length: number): Values {
  askForMemory(length * values.BYTES_PER_ELEMENT);
  const larger = new (values.constructor as new (length: number) => Values)(length);
  larger.set(values);
  return larger;
}

/** Returns the numbers from 0 up to, but not including, `length`. */
export function rowNumbers(length: number): Int32Array {
  const rows = new Int32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

/** Returns the values of these rows, in their order. */
export function valuesOf<Values extends Int32Array | Float64Array | Uint8Array>(
  values: Values,
  rows: Int32Array,
): Values {
  askForMemory(rows.length * values.BYTES_PER_ELEMENT);
  const selected = new (values.constructor as new (length: number) => Values)(rows.length);
  for (let row = 0; row < rows.length; row++) selected[row] = values[rows[row]];
  return selected;
}

/** Returns the rows of several columns that were written so far; shares memory with them. */
export function viewsOf<Columns extends Readonly<Record<string, GrowingColumn<Column>>>>(columns: Columns) {
  const views = Object.entries(columns).map(([name, column]) => [name, column.view()]);
  return Object.fromEntries(views) as { [Name in keyof Columns]: Columns[Name]['values'] };
}

/** Returns the values of these rows of several columns. */
export function rowsOf<Columns extends Readonly<Record<string, Int32Array | Float64Array | Uint8Array>>>(
  columns: Columns,
  rows: Int32Array,
): Columns {
  const selected = Object.entries(columns).map(([name, values]) => [name, valuesOf(values, rows)]);
  return Object.fromEntries(selected) as Columns;
}

/** Returns the rows with a mark. */
export function markedRows(marks: Uint8Array): Uint32Array {
  const rows = new Uint32Array(marks.length);
  let length = 0;
  for (let row = 0; row < marks.length; row++) if (marks[row] !== 0) rows[length++] = row;
  return rows.slice(0, length);
}

/**
 * Returns the least bound that at most `max` of the durations reach: of equal ones, either all are selected or none, so
 * that the order of the durations does not matter. 0: all are.
 */
export function boundForLongest(durations: Float64Array, max: number): Nanoseconds {
  if (durations.length <= max) return 0;
  const ascending = durations.slice().sort();
  const tooShort = ascending[ascending.length - max - 1];
  return ascending[countAtOrBelow(ascending, tooShort)] ?? tooShort + 1;
}
