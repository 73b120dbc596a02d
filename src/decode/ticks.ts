/**
 * Converts between perf's clock and the time stamp counter (TSC) of the CPU.
 */
import type { TraceTiming } from '../model/trace/perf-time.js';

/** Converts perf's nanoseconds to TSC ticks: the inverse of the clock, rounded as perf rounds. */
export function toTicks(ns: bigint, { shift, mult, zero }: TraceTiming): bigint {
  const elapsed = BigInt.asUintN(64, ns - zero);
  const quotient = elapsed / mult;
  const remainder = elapsed % mult;
  return BigInt.asUintN(64, (quotient << BigInt(shift)) + (remainder << BigInt(shift)) / mult);
}

/** Converts TSC ticks to perf's nanoseconds. */
export function toNs(ticks: bigint, { shift, mult, zero }: TraceTiming): bigint {
  return BigInt.asUintN(64, zero + ((ticks * mult) >> BigInt(shift)));
}
