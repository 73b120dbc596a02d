/**
 * Times on perf's clock, and how it relates to those of the CPU.
 */

/** Seconds and nanoseconds are separate: as one number they pass 2^53 after 104 days of uptime. */
export interface PerfTime {
  readonly seconds: number;
  readonly ns: number;
}

/** Returns a negative number if `a` is earlier. */
export function comparePerfTimes(a: PerfTime, b: PerfTime): number {
  return a.seconds - b.seconds || a.ns - b.ns;
}

export function nextNanosecond({ seconds, ns }: PerfTime): PerfTime {
  return ns === 999_999_999 ? { seconds: seconds + 1, ns: 0 } : { seconds, ns: ns + 1 };
}

/** Formats a time as perf prints and accepts it: "858572.850211120". */
export function perfTimeText({ seconds, ns }: PerfTime): string {
  return `${seconds}.${String(ns).padStart(9, '0')}`;
}

/** How perf's clock, the time stamp counter, the core crystal and the bus relate, as perf records it (AUXTRACE_INFO). */
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
