/**
 * Counts calls by powers of two of their duration, of their time outside traced code, and of their time off CPU.
 */
import { bucketMiddle, type FunctionDurations } from '../../model/calls/durations.js';
import type { Nanoseconds } from '../../model/units.js';
import type { CallsAnswer } from '../calls/calls-answer.js';

/** Calls that took at least `fromNs` and less than `toNs`; `toNs` is a power of two. */
export interface HistogramRow {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  /** Calls that spent this much time outside traced code, or off CPU. */
  readonly outsideCalls: number;
  readonly offCpuCalls: number;
}

/** From the shortest to the longest, including powers of two without calls. */
export function histogramRows({ durations }: CallsAnswer): HistogramRow[] {
  const [latency, outside, offCpu] = [durations.latency, durations.outside, durations.offCpu].map(callsByPower);
  const powers = [...latency.keys(), ...outside.keys(), ...offCpu.keys()];
  if (powers.length === 0) return [];
  const [first, last] = [Math.min(...powers), Math.max(...powers)];
  return Array.from({ length: last - first + 1 }, (_, row) => {
    const power = first + row;
    return {
      fromNs: power === 0 ? 0 : 2 ** (power - 1),
      toNs: 2 ** power,
      calls: latency.get(power) ?? 0,
      outsideCalls: outside.get(power) ?? 0,
      offCpuCalls: offCpu.get(power) ?? 0,
    };
  });
}

/** Keyed by the exponent of the next larger power of two; 0: no time at all. */
function callsByPower({ length, bucket, calls }: FunctionDurations): Map<number, number> {
  const powers = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const ns = bucketMiddle(bucket[row]);
    const power = ns < 1 ? 0 : Math.floor(Math.log2(ns)) + 1;
    powers.set(power, (powers.get(power) ?? 0) + calls[row]);
  }
  return powers;
}
