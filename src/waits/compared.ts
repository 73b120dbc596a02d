/**
 * Selects the requests that are compared: the typical ones, and the slowest.
 */

import { bucketOf, percentile } from '../model/calls/durations.js';
import { rowNumbers } from '../model/columns.js';
import { eachPercentile, type Percentiles } from '../model/percentiles.js';
import type { Nanoseconds } from '../model/units.js';

export interface ComparedRequests {
  /** The half in the middle, by duration. */
  readonly typical: Int32Array;
  /** The slowest, slowest first. */
  readonly slowest: Int32Array;
}

/** `durationNs`: by request; NaN: not known, as its start or its end was not seen. */
export function comparedRequests(durationNs: Float64Array, slowest: number): ComparedRequests {
  const complete = rowNumbers(durationNs.length).filter((row) => !Number.isNaN(durationNs[row]));
  const ordered = complete.sort((a, b) => durationNs[a] - durationNs[b] || b - a);
  const quarter = Math.floor(ordered.length / 4);
  return {
    typical: ordered.slice(quarter, ordered.length - quarter),
    slowest: ordered.slice(Math.max(0, ordered.length - slowest)).reverse(),
  };
}

/** Of all requests, this part is compared as the slowest; at least one. */
export function slowestCount(complete: number): number {
  return Math.max(1, Math.floor(complete / 100));
}

export interface RequestStats extends Percentiles {
  readonly avgNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Percentiles are those of `ptflame latency`: of buckets of durations. Null: no request is complete. */
export function statsOf(durationNs: Float64Array): RequestStats | null {
  const ordered = durationNs.filter((ns) => !Number.isNaN(ns)).sort();
  if (ordered.length === 0) return null;
  const [minNs, maxNs] = [ordered[0], ordered[ordered.length - 1]];
  const histogram = { bucket: ordered.map((ns) => bucketOf(Math.round(ns))), calls: ordered.map(() => 1) };
  return {
    avgNs: ordered.reduce((sum, ns) => sum + ns, 0) / ordered.length,
    minNs,
    ...eachPercentile(({ part }) => percentile(histogram, part, minNs, maxNs)),
    maxNs,
  };
}
