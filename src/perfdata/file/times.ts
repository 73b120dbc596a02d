/**
 * Times in recordings: nanoseconds in 64 bits, more than a number holds exactly.
 */
import { comparePerfTimes, type PerfTime } from '../../model/trace/perf-time.js';

const NS_IN_SECOND = 1e9;
/** 2^32 ns are 4 s and this. */
const NS_LEFT_OF_HIGH_WORD = 2 ** 32 - 4e9;
/** Below this, 2 years of uptime, the sums of these remainders are exact as numbers. */
const EXACT_HIGH_WORDS = 2 ** 24;
/** perf's value for "unknown". */
const UNKNOWN = 2n ** 64n - 1n;

export function timeOf(view: DataView, at: number): PerfTime | null {
  const high = view.getUint32(at + 4, true);
  if (high >= EXACT_HIGH_WORDS) return farTimeOf(view.getBigUint64(at, true));
  const left = high * NS_LEFT_OF_HIGH_WORD + view.getUint32(at, true);
  const ns = left % NS_IN_SECOND;
  return { seconds: 4 * high + (left - ns) / NS_IN_SECOND, ns };
}

function farTimeOf(all: bigint): PerfTime | null {
  if (all === UNKNOWN) return null;
  return { seconds: Number(all / BigInt(NS_IN_SECOND)), ns: Number(all % BigInt(NS_IN_SECOND)) };
}

/** The first and the last time, except for records from before the recording began. */
export class TimeBounds {
  private start: PerfTime | null = null;
  private end: PerfTime | null = null;

  include(time: PerfTime | null): void {
    if (time === null || (time.seconds === 0 && time.ns === 0)) return;
    if (this.start === null || comparePerfTimes(time, this.start) < 0) this.start = time;
    if (this.end === null || comparePerfTimes(time, this.end) > 0) this.end = time;
  }

  get bounds(): { readonly start: PerfTime; readonly end: PerfTime } | null {
    return this.start && this.end && { start: this.start, end: this.end };
  }
}
