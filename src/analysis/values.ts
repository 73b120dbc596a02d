/**
 * The values of one field of many samples, as numbers where all of them are numbers, and their distribution.
 */

import { eachPercentileTitle, type PercentileTitle } from '../model/percentiles.js';
import type { NumberStyle, SampleField } from '../model/sample-table.js';
import { numberText } from '../model/sample-tables-builder.js';
import { NONE } from '../model/units.js';

export interface FieldValues {
  readonly style: NumberStyle;
  /** By row: beyond 2^53 rounded; NaN: the sample has no such field. null: they are texts. */
  readonly numbers: Float64Array | null;
  /** By row: equal values have one number, from 0 on; NONE: the sample has no such field. */
  readonly ids: Int32Array;
  /** By number of the value: the first row that has it. */
  readonly firstRow: readonly number[];
  /** As perf prints it. */
  readonly textOf: (row: number) => string;
}

export function fieldValues(field: SampleField): FieldValues {
  const { numbers, texts, style = 'signed' } = field;
  if (texts === null) return { ...numbered(numbers), ...numeric(numbers, style), style };
  const areNumbers = texts.some((text) => text !== '') && texts.every((text) => text === '' || INTEGER.test(text));
  const textOf = (row: number) => texts[row];
  if (!areNumbers) return { ...numbered(texts), numbers: null, textOf, style };
  return {
    ...numbered(texts.map((text) => (text === '' ? null : text))),
    ...{ numbers: Float64Array.from(texts, (text) => (text === '' ? Number.NaN : Number(text))), textOf },
    style: texts.some((text) => text.startsWith('0x')) ? 'hexadecimal' : style,
  };
}

const INTEGER = /^(-?\d+|0x[0-9a-f]+)$/;

/** Unless they are signed, numbers from 2^63 on are stored as negative ones. */
function numeric(numbers: Float64Array, style: NumberStyle): Pick<FieldValues, 'numbers' | 'textOf'> {
  return {
    numbers: style === 'signed' ? numbers : numbers.map((number) => (number < 0 ? number + 2 ** 64 : number)),
    textOf: (row) => numberText(numbers[row], style),
  };
}

function numbered(values: ArrayLike<number | string | null>): Pick<FieldValues, 'ids' | 'firstRow'> {
  const known = new Map<number | string, number>();
  const firstRow: number[] = [];
  const ids = new Int32Array(values.length).fill(NONE);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null || Number.isNaN(value)) continue;
    let id = known.get(value);
    if (id === undefined) known.set(value, (id = firstRow.push(row) - 1));
    ids[row] = id;
  }
  return { ids, firstRow };
}

// Counts values by range: by powers of two, or in equal steps.

/** How many values are from `from` to below `to`. */
export interface ValueBar {
  readonly from: number;
  readonly to: number;
  readonly samples: number;
}

/** Returns the ranges that have values, in their order. `step`: the size of all ranges; null: by powers of two. */
export function valueHistogram({ numbers }: FieldValues, rows: Uint32Array, step: number | null): ValueBar[] {
  if (numbers === null) return [];
  const counts = new Map<number, ValueBar>();
  for (const row of rows) {
    if (Number.isNaN(numbers[row])) continue;
    const { from, to } = step === null ? powersAround(numbers[row]) : stepAround(numbers[row], step);
    counts.set(from, { from, to, samples: (counts.get(from)?.samples ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => a.from - b.from);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function stepAround(value: number, step: number): Range {
  const from = Math.floor(value / step) * step;
  return { from, to: from + step };
}

/** 0, 1, 2 to 3, 4 to 7… and likewise −1, −3 to −2, −7 to −4… */
function powersAround(value: number): Range {
  if (value === 0) return { from: 0, to: 1 };
  const least = powerBelow(Math.abs(value));
  return value > 0 ? { from: least, to: 2 * least } : { from: 1 - 2 * least, to: 1 - least };
}

/** Returns the largest power of two up to a number. */
function powerBelow(value: number): number {
  const power = 2 ** Math.floor(Math.log2(value)); // a logarithm is rounded
  return power > value ? power / 2 : power;
}

// Describes the distribution of the values of some samples.

/** A number, exact. */
export type Exact = number | bigint;

export interface ValueStats {
  /** Those that have a value. */
  readonly samples: number;
  /** How many different values. */
  readonly distinct: number;
  /** null: there are none, or they are texts. A percentile is the least value that so many do not exceed. */
  readonly range: ValueRange | null;
}

interface ValueRange extends Readonly<Record<PercentileTitle, Exact>> {
  readonly avg: number;
  readonly min: Exact;
  readonly max: Exact;
}

/** `rows`: the samples in question. */
export function valueStats(values: FieldValues, rows: Uint32Array): ValueStats {
  const { ids, numbers } = values;
  const known = rows.filter((row) => ids[row] !== NONE);
  const distinct = new Set(Int32Array.from(known, (row) => ids[row])).size;
  return { samples: known.length, distinct, range: numbers && rangeOf(values, numbers, known) };
}

function rangeOf(values: FieldValues, numbers: Float64Array, rows: Uint32Array): ValueRange | null {
  if (rows.length === 0) return null;
  const exact = (row: number): Exact =>
    Number.isSafeInteger(numbers[row]) ? numbers[row] : BigInt(values.textOf(row));
  const tie = (a: number, b: number) => (Number.isSafeInteger(numbers[a]) ? 0 : exact(a) < exact(b) ? -1 : 1);
  rows.sort((a, b) => numbers[a] - numbers[b] || tie(a, b));
  const at = (part: number) => exact(rows[Math.max(0, Math.ceil(part * rows.length) - 1)]);
  let sum = 0;
  for (const row of rows) sum += numbers[row];
  return { avg: sum / rows.length, min: at(0), ...eachPercentileTitle(({ part }) => at(part)), max: at(1) };
}
