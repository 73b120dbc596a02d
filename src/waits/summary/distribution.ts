/**
 * Describes the distribution of many durations.
 */
import type { Nanoseconds } from '../../model/units.js';

/** In ns; NaN if there are no durations. A percentile is the least duration that so many do not exceed. */
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

/** Sorts the durations. */
export function distributionOf(durations: Float64Array): Distribution {
  durations.sort();
  const count = durations.length;
  const at = (part: number) => (count === 0 ? Number.NaN : durations[Math.max(0, Math.ceil(part * count) - 1)]);
  let sumNs = 0;
  for (const ns of durations) sumNs += ns;
  return {
    ...{ count, sumNs, avgNs: count === 0 ? Number.NaN : sumNs / count },
    ...{ minNs: at(0), p50Ns: at(0.5), p90Ns: at(0.9), p99Ns: at(0.99), maxNs: at(1) },
  };
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
