/**
 * How the clocks of the recorded CPU relate: perf's, the time stamp counter, the core crystal and the bus.
 */

/** As perf records it (AUXTRACE_INFO). */
export interface TraceTiming {
  /** Nanoseconds = zero + (ticks × mult) >> shift. */
  readonly shift: number;
  readonly mult: bigint;
  readonly zero: bigint;
  /** An MTC packet every 2^period ticks of the core crystal clock; 0 also if there are none. */
  readonly mtcPeriod: number;
  /** TSC ticks per tick of the core crystal clock, as a fraction. */
  readonly ctcNumerator: number;
  readonly ctcDenominator: number;
  /** TSC ticks per tick of the bus clock: the maximum non-turbo ratio. */
  readonly maxBusRatio: number;
}
