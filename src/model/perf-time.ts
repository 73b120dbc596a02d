/**
 * Times of perf's clock.
 */

/** Seconds and nanoseconds stand apart: together they pass 2^53 after 104 days of uptime. */
export interface PerfTime {
  readonly seconds: number;
  readonly ns: number;
}
