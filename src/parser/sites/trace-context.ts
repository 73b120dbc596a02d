/**
 * What all inputs of a trace have in common: ids, and what their times are counted from.
 */

import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Nanoseconds } from '../../model/units.js';
import { LineReader } from '../reader/line-reader.js';
import { Interner } from './intern.js';
import { ReaderSites } from './reader-sites.js';
import { UnknownFlags } from './unknown-flags.js';

/** Shared by all inputs of a trace: ids, the origin of time, and what is known so far. */
export class TraceContext {
  readonly interner = new Interner();
  /** Reads what is parsed right here. */
  readonly reader = new LineReader();
  readonly readerSites = new ReaderSites(this.interner);
  readonly unknownFlags = new UnknownFlags();
  /** perf's clock at our time 0, whole seconds; null before the first time. */
  originSeconds: number | null = null;
  /** Branches without a time, and with one: a trace has one kind or the other. */
  timeless = 0;
  timed = 0;
  flagless = 0;

  timeOf(time: PerfTime): Nanoseconds {
    this.originSeconds ??= time.seconds;
    return (time.seconds - this.originSeconds) * 1e9 + time.ns;
  }

  /** What was given to `timeOf`. */
  perfTimeOf(timeNs: Nanoseconds): PerfTime {
    const seconds = Math.floor(timeNs / 1e9);
    return { seconds: seconds + (this.originSeconds ?? 0), ns: timeNs - seconds * 1e9 };
  }
}
