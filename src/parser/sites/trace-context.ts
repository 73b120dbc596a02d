/**
 * What all inputs of a trace share: ids, the origin of time, and counters.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Nanoseconds } from '../../model/units.js';
import { LineReader } from '../reader/line-reader.js';
import { fromLatin1, Interner } from './intern.js';
import { ReaderSites } from './reader-sites.js';

const MAX_WORDS = 100;
const MAX_WORD_LENGTH = 80;

/**
 * Counts lines with flags that no known perf prints, and keeps some of these flags.
 *
 * Keeps the smallest words, so that the result does not depend on their order.
 */
class UnknownFlags {
  lines = 0;
  private readonly smallest: string[] = [];

  /** Adds a word; bytes as latin1 characters. */
  add(word: string): void {
    this.lines++;
    const kept = fromLatin1(word.slice(0, MAX_WORD_LENGTH));
    if (this.smallest.includes(kept)) return;
    this.smallest.push(kept);
    this.smallest.sort();
    if (this.smallest.length > MAX_WORDS) this.smallest.pop();
  }

  /** Restores the state of another one; nothing may have been added to this one. */
  addAll(words: readonly string[], lines: number): void {
    this.smallest.push(...words);
    this.lines = lines;
  }

  /** The words, sorted, each once. */
  get words(): readonly string[] {
    return this.smallest;
  }
}

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
