/**
 * Times of perf's clock, in two numbers: as nanoseconds alone they are exact for 104 days of uptime only.
 */
/** Seconds and nanoseconds stand apart: together they pass 2^53 after 104 days of uptime. */
export interface PerfTime {
  readonly seconds: number;
  readonly ns: number;
}
