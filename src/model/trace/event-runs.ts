/**
 * The compact form of runs: the events of one lane from one piece.
 *
 * An event is two numbers: its site, and the nanoseconds since the previous event. The first one, and one whose step
 * does not fit, is four: FAR, the site, and the time itself as the two halves of a floating-point number. Events
 * can also be in bundles (below).
 */
import { resized } from '../columns.js';
import type { Nanoseconds, SiteId, Tid } from '../units.js';
import type { GroupedEvents } from './trace-chunk.js';

export const FAR = -1;
/** Numbers per event, near and far. */
export const NEAR_LENGTH = 2;
export const FAR_LENGTH = 4;

/** Builds runs of events that come in any order. */
export class RunsBuilder {
  private readonly lanes = new Map<string, RunBuilder>();
  /** That of the last event: mostly of the next one, too. */
  private last: RunBuilder | null = null;

  /** `timeNs`: as printed, so it may step back. */
  add(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds): void {
    if (this.last?.tid !== tid || this.last.cpu !== cpu) this.last = this.runOf(tid, cpu);
    this.last.add(site, timeNs);
  }

  /** Returns what was added, by lane, and starts over. */
  build(): GroupedEvents[] {
    const runs = [...this.lanes.values()].map((run) => run.build());
    this.lanes.clear();
    this.last = null;
    return runs;
  }

  private runOf(tid: Tid, cpu: number): RunBuilder {
    const key = `${tid} ${cpu}`;
    let run = this.lanes.get(key);
    if (run === undefined) this.lanes.set(key, (run = new RunBuilder(tid, cpu)));
    return run;
  }
}

class RunBuilder {
  private values = new Int32Array(64);
  private length = 0;
  private events = 0;
  private lastNs: Nanoseconds = Number.NaN;
  private startNs = Number.POSITIVE_INFINITY;
  private endNs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly tid: Tid,
    readonly cpu: number,
  ) {}

  add(site: SiteId, timeNs: Nanoseconds): void {
    if (this.length + FAR_LENGTH > this.values.length) this.values = resized(this.values, 2 * this.values.length);
    this.events++;
    if (timeNs < this.startNs) this.startNs = timeNs;
    if (timeNs > this.endNs) this.endNs = timeNs;
    const step = timeNs - this.lastNs;
    this.lastNs = timeNs;
    if ((step | 0) === step) {
      this.values[this.length++] = site;
      this.values[this.length++] = step;
      return;
    }
    this.values.set([FAR, site], this.length);
    writeTime(this.values, this.length + 2, timeNs);
    this.length += FAR_LENGTH;
  }

  /** Shares memory with the builder. */
  build(): GroupedEvents {
    const { tid, cpu, length, events, startNs, endNs } = this;
    return { runs: [{ tid, cpu, length, events }], events: this.values.subarray(0, length), startNs, endNs };
  }
}

const HALVES = new DataView(new ArrayBuffer(8));

/** Returns the time of the far event that begins at `at`. */
export function farTime(run: Int32Array, at: number): Nanoseconds {
  return readTime(run, at + 2);
}

/** Returns the time whose halves are at `at` and after it. */
export function readTime(numbers: Int32Array, at: number): Nanoseconds {
  HALVES.setInt32(0, numbers[at], true);
  HALVES.setInt32(4, numbers[at + 1], true);
  return HALVES.getFloat64(0, true);
}

/** Writes the halves of a time to `at` and after it. */
export function writeTime(numbers: Int32Array, at: number, timeNs: Nanoseconds): void {
  HALVES.setFloat64(0, timeNs, true);
  numbers[at] = HALVES.getInt32(0, true);
  numbers[at + 1] = HALVES.getInt32(4, true);
}

// A bundle: events of a run, whose sites are listed once. So sites can be renumbered without a look at each event, and an event
// takes one to three bytes. Times never decrease within a bundle.
//
//     BUNDLE, length, events, sites, time of the first event, of the last one     eight numbers
//     the sites, in the order in which they first come
//     of each event, the row of its site                                          one byte each, or two
//     times: how many events have the same, nanoseconds since the time before     two bytes each, or six if these are 255

/** The first number of a bundle. */
export const BUNDLE = -2;
const BUNDLE_LENGTH = 1;
const BUNDLE_EVENTS = 2;
const BUNDLE_SITES = 3;
export const BUNDLE_START = 4;
export const BUNDLE_END = 6;
export const BUNDLE_HEAD_LENGTH = 8;
/** Rows of sites have 16 bits. */
export const MAX_BUNDLE_EVENTS = 65_536;
/** With more sites, rows have two bytes. */
export const MAX_BYTE_SITES = 256;

/** Returns the index after a bundle. */
export function bundleEnd(run: Int32Array, at: number): number {
  return at + run[at + BUNDLE_LENGTH];
}

export function bundleEvents(run: Int32Array, at: number): number {
  return run[at + BUNDLE_EVENTS];
}

/** Returns the sites of a bundle: they may be replaced. */
export function bundleSites(run: Int32Array, at: number): Int32Array {
  const start = at + BUNDLE_HEAD_LENGTH;
  return run.subarray(start, start + run[at + BUNDLE_SITES]);
}

export function bundleStartNs(run: Int32Array, at: number): Nanoseconds {
  return readTime(run, at + BUNDLE_START);
}

export function bundleEndNs(run: Int32Array, at: number): Nanoseconds {
  return readTime(run, at + BUNDLE_END);
}

/** The bytes of rows are padded, so that the next bundle is aligned. */
export function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}
