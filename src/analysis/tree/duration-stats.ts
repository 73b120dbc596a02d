/**
 * Sums of calls, and counts of how long they took → what is told of their durations.
 */
import { type Histogram, percentile } from '../../model/calls/durations.js';
import type { Nanoseconds } from '../../model/units.js';

/** Some calls; durations are of those that were seen whole. */
export interface DurationSums {
  readonly calls: number;
  /** Those of which the start or the end was not seen. */
  readonly inferred: number;
  /** One of those lasted so long at least; 0: nobody knows. */
  readonly longestCutNs: Nanoseconds;
  readonly completeNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Of complete calls, in ns; NaN if there is none. */
export interface DurationRange {
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** Of the others one lasted so long at least; NaN if there is none, or nobody knows. */
  readonly longestCutNs: number;
}

/** Percentiles are NaN also if nobody counted. */
export interface DurationStats extends DurationRange {
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
}

export function durationRange({ calls, inferred, completeNs, minNs, maxNs, ...sums }: DurationSums): DurationRange {
  const complete = calls - inferred;
  const longestCutNs = sums.longestCutNs > 0 ? sums.longestCutNs : Number.NaN;
  if (complete <= 0) return { avgNs: Number.NaN, minNs: Number.NaN, maxNs: Number.NaN, longestCutNs };
  return { avgNs: completeNs / complete, minNs, maxNs, longestCutNs };
}

/** How long the longest call took; the least that it can be, if that is one of the others. */
export function longestNs({ maxNs, longestCutNs }: DurationRange): number {
  return Number.isNaN(maxNs) || longestCutNs > maxNs ? longestCutNs : maxNs;
}

export function durationStats(sums: DurationSums, histogram: Histogram | null): DurationStats {
  return {
    ...durationRange(sums),
    p50Ns: percentileOf(sums, histogram, 0.5),
    p90Ns: percentileOf(sums, histogram, 0.9),
    p99Ns: percentileOf(sums, histogram, 0.99),
  };
}

/** The duration that so large a part of the complete calls does not exceed. */
export function percentileOf(sums: DurationSums, histogram: Histogram | null, part: number): number {
  const { calls, inferred, minNs, maxNs } = sums;
  return histogram && calls > inferred ? percentile(histogram, part, minNs, maxNs) : Number.NaN;
}
