/**
 * What the decoder must know of a recording before it decodes.
 */

/** How the recorded CPU's clocks relate (perf's AUXTRACE_INFO). */
export interface Timing {
  /** Nanoseconds = zero + (ticks × mult) >> shift. */
  readonly shift: number;
  readonly mult: bigint;
  readonly zero: bigint;
  /** An MTC packet every 2^period ticks of the core crystal clock; 0 also if there are none. */
  readonly mtcPeriod: number;
  /** TSC ticks per tick of the core crystal clock, as a fraction. */
  readonly ctcNumerator: number;
  readonly ctcDenominator: number;
  /** TSC ticks per bus clock tick: the maximum non-turbo ratio. */
  readonly maxBusRatio: number;
}

/** Converts perf's nanoseconds to TSC ticks: the inverse of the clock, rounded as perf rounds. */
export function toTicks(ns: bigint, { shift, mult, zero }: Timing): bigint {
  const elapsed = BigInt.asUintN(64, ns - zero);
  const quotient = elapsed / mult;
  const remainder = elapsed % mult;
  return BigInt.asUintN(64, (quotient << BigInt(shift)) + (remainder << BigInt(shift)) / mult);
}

/** Converts TSC ticks to perf's nanoseconds. */
export function toNs(ticks: bigint, { shift, mult, zero }: Timing): bigint {
  return BigInt.asUintN(64, zero + ((ticks * mult) >> BigInt(shift)));
}
