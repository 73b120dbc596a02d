/**
 * Times on perf's clock.
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
