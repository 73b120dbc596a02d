/**
 * Judges whether two times may differ by chance: by the number of calls, and by how much their durations vary.
 *
 * Numbers of calls are exact and have no noise. Of durations, a difference is noise up to three standard errors (99.7 %), by
 * Welch's test: few calls widen it by Student's factor. The variance is never underestimated: it is an upper bound from the
 * histogram, or from the shortest, longest and average call.
 */
import { bucketStart, type Histogram, percentile } from '../model/calls/durations.js';
import type { Nanoseconds } from '../model/units.js';

/** Sums over calls, of which `complete` have a known duration. */
export interface DurationSample {
  readonly complete: number;
  readonly completeNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Returns an upper bound for the variance of durations, in ns²; NaN for fewer than two calls. */
export function variance({ complete, completeNs, minNs, maxNs }: DurationSample, histogram: Histogram | null): number {
  if (!(complete > 1) || !(maxNs >= minNs)) return Number.NaN;
  const avgNs = completeNs / complete;
  const byRange = Math.max(0, maxNs - avgNs) * Math.max(0, avgNs - minNs); // Bhatia and Davis, 2000
  const byHistogram = histogram ? farthestSquares(histogram, avgNs, minNs, maxNs) / complete : Number.POSITIVE_INFINITY;
  return (Math.min(byRange, byHistogram) * complete) / (complete - 1);
}

/** Sums the squared distances from the average, each call at the end of its bucket that is farther away. */
function farthestSquares({ bucket, calls }: Histogram, avgNs: number, minNs: number, maxNs: number): number {
  let sum = 0;
  for (let row = 0; row < calls.length; row++) {
    const from = Math.max(minNs, bucketStart(bucket[row]));
    const to = Math.min(maxNs, bucketStart(bucket[row] + 1) - 1);
    sum += calls[row] * Math.max((from - avgNs) ** 2, (to - avgNs) ** 2);
  }
  return sum;
}

/**
 * Returns an upper bound for the variance of self times, whose range is not recorded: from zero to the longest call. They are
 * assumed to vary no more than the durations of the calls.
 */
export function selfVariance({ complete, maxNs }: DurationSample, selfNs: Nanoseconds, ofCalls: number): number {
  if (Number.isNaN(ofCalls)) return Number.NaN;
  const avgNs = selfNs / complete;
  return Math.min(ofCalls, (Math.max(0, maxNs - avgNs) * avgNs * complete) / (complete - 1));
}

/** The variance of a number that is one side of a difference, estimated from this many calls. */
export interface Uncertainty {
  readonly variance: number;
  readonly calls: number;
}

/** Returns the largest difference that may be chance; NaN if unknown, as one side has fewer than two calls. */
export function noiseOf(before: Uncertainty, after: Uncertainty): number {
  const sum = before.variance + after.variance;
  if (Number.isNaN(sum) || !(before.calls > 1 && after.calls > 1)) return Number.NaN;
  if (sum === 0) return 0;
  const [a, b] = [before.variance / sum, after.variance / sum];
  const freedom = 1 / (a ** 2 / (before.calls - 1) + b ** 2 / (after.calls - 1)); // Welch and Satterthwaite
  return studentFactor(freedom) * Math.sqrt(sum);
}

const SIGMAS = 3;
/** Student's factors that correspond to three standard deviations, by degrees of freedom from 1. */
const FACTORS = [235.8, 19.21, 9.22, 6.62, 5.51, 4.9, 4.53, 4.28, 4.09, 3.96] as const;

/** Returns Student's factor; for more degrees of freedom than the table has, by the expansion of Cornish and Fisher. */
function studentFactor(freedom: number): number {
  const known = FACTORS[Math.max(1, Math.floor(freedom)) - 1];
  if (known !== undefined) return known;
  const z = SIGMAS;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** Whether a difference may be chance. Equal numbers do not differ, and unknown noise excuses nothing. */
export function isWithinNoise(before: number, after: number, noise: number): boolean {
  return before !== after && Math.abs(after - before) <= noise;
}

/** The calls of a function, with their histogram. */
export interface CountedSample extends DurationSample {
  readonly histogram: Histogram | null;
}

/** Where a percentile is to be expected, in nanoseconds: `high` is infinite if no call is certainly beyond it. */
export interface QuantileRange {
  readonly low: Nanoseconds;
  readonly high: Nanoseconds;
}

/** Whether two percentiles may differ by chance: whether their ranges overlap. False if they are not known. */
export function mayShareQuantile(a: QuantileRange | null, b: QuantileRange | null): boolean {
  return a !== null && b !== null && a.low <= b.high && b.low <= a.high;
}

/** Returns the range by the number of calls alone; null: the durations are not known. */
export function quantileRange(sample: CountedSample, part: number): QuantileRange | null {
  const { complete, histogram, minNs, maxNs } = sample;
  if (histogram === null || complete === 0) return null;
  const error = SIGMAS * Math.sqrt(complete * part * (1 - part));
  const [first, last] = [Math.floor(complete * part - error), Math.ceil(complete * part + error)];
  const valueAt = (rank: number) => percentile(histogram, rank / complete, minNs, maxNs);
  return { low: first < 1 ? 0 : valueAt(first), high: last > complete ? Number.POSITIVE_INFINITY : valueAt(last) };
}
