/**
 * Describes the distribution of the values of some samples.
 */
import { eachPercentileTitle, type PercentileTitle } from '../model/percentiles.js';
import { NONE } from '../model/units.js';
import type { FieldValues } from './field-values.js';

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

export interface ValueRange extends Readonly<Record<PercentileTitle, Exact>> {
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
