/**
 * Describes the distribution of many durations.
 */
import { PERCENTILES, type Percentiles } from '../../model/percentiles.js';
import type { Nanoseconds } from '../../model/units.js';

/** In ns; NaN if there are no durations. A percentile is the least duration that this part of them does not exceed. */
export interface Distribution extends Percentiles {
  readonly count: number;
  readonly sumNs: Nanoseconds;
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
}

/** Changes the order of the durations. */
export function distributionOf(durations: Float64Array): Distribution {
  const count = durations.length;
  let [sumNs, minNs, maxNs] = [0, count === 0 ? Number.NaN : durations[0], count === 0 ? Number.NaN : durations[0]];
  for (let row = 0; row < count; row++) {
    const ns = durations[row];
    sumNs += ns;
    if (ns < minNs) minNs = ns;
    if (ns > maxNs) maxNs = ns;
  }
  const avgNs = count === 0 ? Number.NaN : sumNs / count;
  const found = percentiles(
    durations,
    PERCENTILES.map(({ part }) => part),
  );
  const byKey = Object.fromEntries(PERCENTILES.map(({ key }, at) => [key, found[at]])) as unknown as Percentiles;
  return { count, sumNs, avgNs, minNs, ...byKey, maxNs };
}

/** How many durations are from `fromNs` to below `toNs`. */
interface HistogramRow {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly counts: readonly number[];
}

/** Counts several columns of durations, without NaN, by powers of two: 0, 1, 2 to 3, 4 to 7… */
export function histogramOf(...columns: readonly Float64Array[]): HistogramRow[] {
  const counts = columns.map(countByPower);
  const used = counts.flatMap((own) => own.flatMap((count, power) => (count > 0 ? [power] : [])));
  if (used.length === 0) return [];
  const first = used.reduce((least, power) => Math.min(least, power));
  const last = used.reduce((most, power) => Math.max(most, power));
  return Array.from({ length: last - first + 1 }, (_, row) => {
    const power = first + row;
    const fromNs = power === 0 ? 0 : 2 ** (power - 1);
    return { fromNs, toNs: 2 ** power, counts: counts.map((own) => own[power]) };
  });
}

const POWERS = 64;

function countByPower(durations: Float64Array): number[] {
  const counts = new Array<number>(POWERS).fill(0);
  for (const ns of durations) counts[ns < 1 ? 0 : Math.floor(Math.log2(ns)) + 1]++;
  return counts;
}

/** Short ranges are sorted; so is what is left after as many steps as a good choice of pivots never needs. */
const SORTED_LENGTH = 512;
const MAX_STEPS = 64;

/**
 * Finds percentiles without sorting everything.
 *
 * Returns for each part, ascending, the least value that this part of the values does not exceed; NaN if there are no
 * values. Changes their order.
 */
export function percentiles(values: Float64Array, parts: readonly number[]): number[] {
  let from = 0;
  return parts.map((part) => {
    if (values.length === 0) return Number.NaN;
    const at = Math.max(0, Math.ceil(part * values.length) - 1);
    moveToPlace(values, from, at);
    from = at; // nothing before it is greater
    return values[at];
  });
}

/** Moves values, from a row on, until this row has the value that it would have if they were sorted (Hoare's quickselect). */
function moveToPlace(values: Float64Array, first: number, at: number): void {
  let [from, to] = [first, values.length];
  for (let step = 0; step < MAX_STEPS && to - from > SORTED_LENGTH; step++) {
    const [left, right] = divide(values, from, to);
    if (at <= left) to = left + 1;
    else if (at >= right) from = right;
    else return; // all values between the two are equal
  }
  values.subarray(from, to).sort();
}

/** Divides rows at the median of three; returns the last row of the smaller values and the first of the greater ones. */
function divide(values: Float64Array, from: number, to: number): readonly [left: number, right: number] {
  const pivot = medianOf(values[from], values[(from + to) >>> 1], values[to - 1]);
  let [left, right] = [from, to - 1];
  while (left <= right) {
    while (values[left] < pivot) left++;
    while (values[right] > pivot) right--;
    if (left > right) break;
    const value = values[left];
    values[left++] = values[right];
    values[right--] = value;
  }
  return [right, left];
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
