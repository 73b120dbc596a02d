/**
 * Sums of calls, and counts of how long they took → what is told of their durations.
 */
import { type Histogram, percentile } from '../model/durations.js';
import type { Nanoseconds } from '../model/units.js';

/** Some calls; durations are of those that were seen whole. */
export interface DurationSums {
  readonly calls: number;
  /** Those of which the start or the end was not seen. */
  readonly inferred: number;
  readonly completeNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Of complete calls, in ns; NaN if there is none. */
export interface DurationRange {
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
}

/** Percentiles are NaN also if nobody counted. */
export interface DurationStats extends DurationRange {
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
}

export function durationRange({ calls, inferred, completeNs, minNs, maxNs }: DurationSums): DurationRange {
  const complete = calls - inferred;
  if (complete <= 0) return { avgNs: Number.NaN, minNs: Number.NaN, maxNs: Number.NaN };
  return { avgNs: completeNs / complete, minNs, maxNs };
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
