/**
 * Times of a recording: nanoseconds in 64 bits, more than a number holds.
 */
import type { PerfTime } from '../model/perf-time.js';

const NS_IN_SECOND = 1_000_000_000n;
/** perf's word for "unknown". */
const UNKNOWN = 2n ** 64n - 1n;

export function timeOf(view: DataView, at: number): PerfTime | null {
  const ns = view.getBigUint64(at, true);
  return ns === UNKNOWN ? null : { seconds: Number(ns / NS_IN_SECOND), ns: Number(ns % NS_IN_SECOND) };
}

export function compareTimes(a: PerfTime, b: PerfTime): number {
  return a.seconds - b.seconds || a.ns - b.ns;
}

/** The first and the last of the times it is shown, but those of what was there before. */
export class TimeBounds {
  private start: PerfTime | null = null;
  private end: PerfTime | null = null;

  include(time: PerfTime | null): void {
    if (time === null || (time.seconds === 0 && time.ns === 0)) return;
    if (this.start === null || compareTimes(time, this.start) < 0) this.start = time;
    if (this.end === null || compareTimes(time, this.end) > 0) this.end = time;
  }

  get bounds(): { readonly start: PerfTime; readonly end: PerfTime } | null {
    return this.start && this.end && { start: this.start, end: this.end };
  }
}
