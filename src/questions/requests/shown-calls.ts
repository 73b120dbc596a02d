/**
 * Decides which requests are described, and which of their calls are shown: those that last long enough, or the longest.
 */
import type { LogAnswers } from '../../analysis/log/answer-thread.js';
import { boundForLongest, float64Column } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';
import type { RequestsOptions } from './request-question.js';
import type { Scene } from './scene.js';

export interface AskedDetails {
  /** Rows of roots, slowest first. */
  readonly requests: Int32Array;
  /** How many others should be described, but have too many parts in all. */
  readonly leftOut: number;
  /** Shorter calls are left out, and of the others, all but so many of the longest. */
  readonly minNs: Nanoseconds;
  readonly maxCalls: number;
}

/** `slowest`: the complete requests to describe. The requests themselves are always seen. */
export function askedDetails(
  { roots, parts }: Scene,
  slowest: Int32Array,
  { minNs, maxSpans }: Pick<RequestsOptions, 'minNs' | 'maxSpans'>,
): AskedDetails {
  if (maxSpans === undefined) {
    const maxCalls = Number.POSITIVE_INFINITY;
    return { requests: slowest, leftOut: 0, minNs: minCallNs(roots.durationNs, slowest, minNs ?? null), maxCalls };
  }
  const partsOf = new Int32Array(roots.length);
  parts.request.forEach((request, part) => {
    if (parts.isInside[part] === 0) partsOf[request]++;
  });
  let [count, maxCalls] = [0, maxSpans];
  while (count < slowest.length && partsOf[slowest[count]] <= maxCalls) maxCalls -= partsOf[slowest[count++]];
  return { requests: slowest.subarray(0, count), leftOut: slowest.length - count, minNs: minNs ?? 0, maxCalls };
}

const MIN_SHARE = 0.01;
const MIN_CALL_NS = 10_000;

/** `minNs`: null, to see what matters in the slowest. */
function minCallNs(durationNs: Float64Array, described: Int32Array, minNs: Nanoseconds | null): Nanoseconds {
  if (described.length === 0) return minNs ?? MIN_CALL_NS;
  const [longest, shortest] = [durationNs[described[0]], durationNs[described[described.length - 1]]];
  return Math.min(minNs ?? Math.max(MIN_CALL_NS, MIN_SHARE * longest), shortest);
}

/** Returns the shortest duration of which all calls are shown, and how many calls are not. `answers`: by host. */
export function shownCalls(
  answers: readonly (LogAnswers | null)[],
  { minNs, maxCalls }: AskedDetails,
): { readonly minNs: Nanoseconds; readonly leftOut: number } {
  const trees = answers.flatMap((answer) => (answer ? [...answer.threads.values()] : []));
  const spans = trees.flatMap(({ spanTrees }) => spanTrees ?? []);
  const durations = float64Column();
  for (const { startNs, endNs } of spans) durations.append(endNs.map((ns, row) => ns - startNs[row]));
  const bounds = [minNs, ...spans.map((tree) => tree.minNs), boundForLongest(durations.view(), maxCalls)];
  const bound = Math.max(...bounds);
  const tooShort = durations.view().filter((ns) => ns < bound).length;
  return { minNs: bound, leftOut: spans.reduce((sum, { leftOut }) => sum + leftOut, tooShort) };
}
