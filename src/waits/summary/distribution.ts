/**
 * Describes the distribution of many durations.
 */
import type { Nanoseconds } from '../../model/units.js';
import { percentiles } from './percentiles.js';

/** In ns; NaN if there are no durations. A percentile is the least duration that this part of them does not exceed. */
export interface Distribution {
  readonly count: number;
  readonly sumNs: Nanoseconds;
  readonly avgNs: number;
  readonly minNs: number;
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
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
  const [p50Ns, p90Ns, p99Ns] = percentiles(durations, [0.5, 0.9, 0.99]);
  return { count, sumNs, avgNs, minNs, p50Ns, p90Ns, p99Ns, maxNs };
}

/** How many durations are from `fromNs` to below `toNs`. */
export interface HistogramRow {
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
