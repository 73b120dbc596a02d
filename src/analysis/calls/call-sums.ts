/**
 * Sums over calls of a function.
 */
import type { Nanoseconds } from '../../model/units.js';

/** Sums over the calls that one caller made. */
export interface CallSums {
  /** All calls in the selection; inferred: those with an unseen start or end. */
  calls: number;
  inferred: number;
  /** Complete calls that ended in an exception or a longjmp. */
  unwound: number;
  /** The longest time that an inferred call lasted at least; 0: unknown. */
  longestCutNs: Nanoseconds;
  /** Sum, minimum and maximum of the durations of complete calls. */
  completeNs: Nanoseconds;
  minNs: Nanoseconds;
  maxNs: Nanoseconds;
  /** Of complete calls: time outside traced code; the part of it directly on them, and the part off CPU. */
  outsideNs: Nanoseconds;
  outsideSelfNs: Nanoseconds;
  offCpuNs: Nanoseconds;
}

export function emptySums(): CallSums {
  const [minNs, maxNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const counts = { calls: 0, inferred: 0, unwound: 0, longestCutNs: 0 };
  return { ...counts, completeNs: 0, minNs, maxNs, outsideNs: 0, outsideSelfNs: 0, offCpuNs: 0 };
}

export function addSums(a: CallSums, b: CallSums): CallSums {
  return {
    calls: a.calls + b.calls,
    inferred: a.inferred + b.inferred,
    unwound: a.unwound + b.unwound,
    longestCutNs: Math.max(a.longestCutNs, b.longestCutNs),
    completeNs: a.completeNs + b.completeNs,
    minNs: Math.min(a.minNs, b.minNs),
    maxNs: Math.max(a.maxNs, b.maxNs),
    outsideNs: a.outsideNs + b.outsideNs,
    outsideSelfNs: a.outsideSelfNs + b.outsideSelfNs,
    offCpuNs: a.offCpuNs + b.offCpuNs,
  };
}
