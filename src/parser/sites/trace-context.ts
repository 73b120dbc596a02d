/**
 * What all inputs of a trace share: ids, the origin of time, and counters.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Nanoseconds } from '../../model/units.js';
import { LineReader } from '../reader/line-reader.js';
import { Interner } from './intern.js';
import { ReaderSites } from './reader-sites.js';
import { UnknownFlags } from './unknown-flags.js';

export class TraceContext {
  readonly interner = new Interner();
  /** Reads the pieces that this thread parses itself. */
  readonly reader = new LineReader();
  /** Of all readers: they share its memory. */
  readonly readerSites = new ReaderSites(this.reader.branches, this.interner);
  readonly unknownFlags = new UnknownFlags();
  /** perf's clock at time 0, in whole seconds; null before the first time. */
  originSeconds: number | null = null;
  /** Branches without and with a time: in a trace either all have one or none has. */
  timeless = 0;
  timed = 0;
  flagless = 0;

  timeOf(time: PerfTime): Nanoseconds {
    this.originSeconds ??= time.seconds;
    return (time.seconds - this.originSeconds) * 1e9 + time.ns;
  }

  /** The inverse of `timeOf`. */
  perfTimeOf(timeNs: Nanoseconds): PerfTime {
    const seconds = Math.floor(timeNs / 1e9);
    return { seconds: seconds + (this.originSeconds ?? 0), ns: timeNs - seconds * 1e9 };
  }
}
