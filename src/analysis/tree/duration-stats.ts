/**
 * Computes statistics of durations from sums and histograms.
 */

import { type Histogram, percentile } from '../../model/calls/durations.js';
import { eachPercentile, type Percentiles } from '../../model/percentiles.js';
import type { Nanoseconds } from '../../model/units.js';

/** Sums over some calls; durations are of complete calls. */
export interface DurationSums {
  readonly calls: number;
  /** Calls with an unseen start or end. */
  readonly inferred: number;
  /** The longest time that one of these lasted at least; 0: unknown. */
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
  /** The longest time that an inferred call lasted at least; NaN if there is none or it is unknown. */
  readonly longestCutNs: number;
}

/** Percentiles are also NaN if durations were not counted. */
export interface DurationStats extends DurationRange, Percentiles {}

export function durationRange({ calls, inferred, completeNs, minNs, maxNs, ...sums }: DurationSums): DurationRange {
  const complete = calls - inferred;
  const longestCutNs = sums.longestCutNs > 0 ? sums.longestCutNs : Number.NaN;
  if (complete <= 0) return { avgNs: Number.NaN, minNs: Number.NaN, maxNs: Number.NaN, longestCutNs };
  return { avgNs: completeNs / complete, minNs, maxNs, longestCutNs };
}

/** Returns the duration of the longest call; if an inferred one is the longest, how long it lasted at least. */
export function longestNs({ maxNs, longestCutNs }: DurationRange): number {
  return Number.isNaN(maxNs) || longestCutNs > maxNs ? longestCutNs : maxNs;
}

export function durationStats(sums: DurationSums, histogram: Histogram | null): DurationStats {
  return { ...durationRange(sums), ...eachPercentile(({ part }) => percentileOf(sums, histogram, part)) };
}

/** Returns the duration that this part of the complete calls does not exceed. */
export function percentileOf(sums: DurationSums, histogram: Histogram | null, part: number): number {
  const { calls, inferred, minNs, maxNs } = sums;
  return histogram && calls > inferred ? percentile(histogram, part, minNs, maxNs) : Number.NaN;
}
