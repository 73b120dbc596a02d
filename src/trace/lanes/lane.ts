/**
 * Assembles a lane from the runs of all inputs, whatever their order.
 */
import {
  BUNDLE,
  bundleEnd,
  bundleEndNs,
  bundleEvents,
  bundleStartNs,
  FAR,
  FAR_LENGTH,
  farTime,
  MAX_BUNDLE_EVENTS,
  NEAR_LENGTH,
  readBundle,
} from '../../model/trace/event-runs.js';
import type { Nanoseconds } from '../../model/units.js';
import { type RunAddress, runAt, type SharedEvents } from '../event-memory.js';

/**
 * A larger step back is no jitter: what follows was recorded earlier, for example in files joined in the wrong order.
 */
export const MAX_JITTER_NS = 1_000_000;

/** The runs of a lane from one input, in order; plain data. */
export interface LaneRuns {
  readonly cpu: number;
  readonly input: string;
  readonly addresses: RunAddress[];
  /** Of each run, in numbers. */
  readonly lengths: number[];
}

/**
 * Reads the runs of a lane into `rows`, from row `start` on. Ranges without a large step back are ordered by time,
 * whatever the order of the inputs.
 */
export function readLane(inputs: readonly LaneRuns[], shared: SharedEvents, rows: EventRows, start: number): Lane {
  const decoder = new Decoder(rows, start);
  for (const { input, addresses, lengths } of inputs) {
    decoder.beginInput(input);
    for (let run = 0; run < addresses.length; run++) decoder.add(runAt(shared, addresses[run], lengths[run]));
  }
  return decoder.build(inputs[0].cpu);
}

/** A range of events without a large step back in time. */
interface OrderedRange {
  readonly input: string;
  readonly start: number;
  end: number;
}

class Decoder {
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
  private readonly start: number;
  /** After the last row. */
  private end: number;
  private readonly ranges: OrderedRange[] = [];
  private input = '';

  constructor({ site, timeNs }: EventRows, start: number) {
    this.site = site;
    this.timeNs = timeNs;
    this.start = start;
    this.end = start;
  }

  beginInput(input: string): void {
    this.endRange();
    this.input = input;
    this.ranges.push({ input, start: this.end, end: this.end });
  }

  add(run: Int32Array): void {
    for (let at = 0; at < run.length; ) at = run[at] === BUNDLE ? this.addBundle(run, at) : this.addEvents(run, at);
  }

  /** Adds the events before the next bundle. Returns the index after them. */
  private addEvents(run: Int32Array, start: number): number {
    const { site, timeNs } = this;
    let row = this.end;
    let lastNs = this.lastNs();
    let at = start;
    for (; at < run.length && run[at] !== BUNDLE; at += NEAR_LENGTH) {
      const isFar = run[at] === FAR;
      const atNs = isFar ? farTime(run, at) : lastNs + run[at + 1];
      site[row] = isFar ? run[at + 1] : run[at];
      timeNs[row] = atNs;
      if (atNs < lastNs - MAX_JITTER_NS) this.breakAt(row);
      lastNs = atNs;
      row++;
      if (isFar) at += FAR_LENGTH - NEAR_LENGTH;
    }
    this.end = row;
    return at;
  }

  /** Adds the events of a bundle. Returns the index after it. */
  private addBundle(run: Int32Array, at: number): number {
    if (bundleStartNs(run, at) < this.lastNs() - MAX_JITTER_NS) this.breakAt(this.end);
    readBundle(run, at, this, this.end);
    this.end += bundleEvents(run, at);
    return bundleEnd(run, at);
  }

  build(cpu: number): Lane {
    this.endRange();
    const { start, end } = this;
    const ranges = this.ranges.filter((range) => range.end > range.start);
    const ordered = ranges.toSorted((a, b) => this.byTimeThenInput(a, b));
    if (ordered.some((range, index) => range !== ranges[index])) this.reorder(ordered);
    return { cpu, length: end - start, site: this.site.subarray(start, end), timeNs: this.timeNs.subarray(start, end) };
  }

  private reorder(ranges: readonly OrderedRange[]): void {
    const site = this.site.slice(this.start, this.end);
    const timeNs = this.timeNs.slice(this.start, this.end);
    let row = this.start;
    for (const { start, end } of ranges) {
      this.site.set(site.subarray(start - this.start, end - this.start), row);
      this.timeNs.set(timeNs.subarray(start - this.start, end - this.start), row);
      row += end - start;
    }
  }

  /** The time before the next event of the range. */
  private lastNs(): Nanoseconds {
    const hasBegun = this.end > (this.ranges.at(-1) as OrderedRange).start;
    return hasBegun ? this.timeNs[this.end - 1] : Number.NEGATIVE_INFINITY;
  }

  private breakAt(row: number): void {
    (this.ranges.at(-1) as OrderedRange).end = row;
    this.ranges.push({ input: this.input, start: row, end: row });
  }

  private endRange(): void {
    const last = this.ranges.at(-1);
    if (last) last.end = this.end;
  }

  private byTimeThenInput(a: OrderedRange, b: OrderedRange): number {
    const { timeNs } = this;
    const byTime = timeNs[a.start] - timeNs[b.start] || timeNs[a.end - 1] - timeNs[b.end - 1];
    return byTime || (a.input === b.input ? 0 : a.input < b.input ? -1 : 1);
  }
}

/** Events of a thread as columns, one row per event. */
export interface EventRows {
  readonly timeNs: Float64Array;
  readonly site: Uint32Array;
}

/** Where tracing begins and ends, by site. */
export interface SiteEdges {
  readonly edge: Uint8Array; // TraceEdge
}

/** All events of one thread on one CPU. */
export interface Lane extends EventRows {
  readonly cpu: number;
  readonly length: number;
}

// Yields the events of one lane in order, in batches: the same lane that `readLane` returns, but with bounded memory.

/** Valid until the next batch. */
export interface LaneEvents {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

/** A range of events without a large step back in time, and where it begins. */
interface StoredRange {
  readonly input: LaneRuns;
  readonly run: number;
  readonly at: number;
  readonly beforeNs: Nanoseconds;
  readonly startNs: Nanoseconds;
  endNs: Nanoseconds;
  events: number;
}

/** At least one bundle. */
const BATCH_EVENTS = MAX_BUNDLE_EVENTS;

export function* laneEvents(inputs: readonly LaneRuns[], shared: SharedEvents): Generator<LaneEvents> {
  const runs = new Runs(shared);
  const ranges = inputs.flatMap((input) => rangesOf(input, runs)).sort(byTimeThenInput);
  const maxLength = ranges.reduce((maxLength, { events }) => Math.max(maxLength, Math.min(events, BATCH_EVENTS)), 0);
  const rows = { site: new Uint32Array(maxLength), timeNs: new Float64Array(maxLength) };
  for (const range of ranges) yield* eventsOf(range, runs, rows);
}

/** The order of `readLane`. */
function byTimeThenInput(a: StoredRange, b: StoredRange): number {
  const byTime = a.startNs - b.startNs || a.endNs - b.endNs;
  return byTime || (a.input.input === b.input.input ? 0 : a.input.input < b.input.input ? -1 : 1);
}

function rangesOf(input: LaneRuns, runs: Runs): StoredRange[] {
  const ranges: StoredRange[] = [];
  let lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  for (let run = 0; run < input.addresses.length; run++) {
    const numbers = runs.of(input, run);
    for (let at = 0; at < numbers.length; at = next(numbers, at)) {
      const atNs = timeAt(numbers, at, lastNs);
      let range = ranges.at(-1);
      if (range === undefined || atNs < lastNs - MAX_JITTER_NS) {
        range = { input, run, at, beforeNs: lastNs, startNs: atNs, endNs: atNs, events: 0 };
        ranges.push(range);
      }
      range.events += eventsAt(numbers, at);
      range.endNs = lastNs = numbers[at] === BUNDLE ? bundleEndNs(numbers, at) : atNs;
    }
  }
  return ranges;
}

/** Returns the index after an event or a bundle. */
function next(numbers: Int32Array, at: number): number {
  if (numbers[at] === BUNDLE) return bundleEnd(numbers, at);
  return at + (numbers[at] === FAR ? FAR_LENGTH : NEAR_LENGTH);
}

function eventsAt(numbers: Int32Array, at: number): number {
  return numbers[at] === BUNDLE ? bundleEvents(numbers, at) : 1;
}

/** Returns the time of an event, or of the first one of a bundle. */
function timeAt(numbers: Int32Array, at: number, lastNs: Nanoseconds): Nanoseconds {
  if (numbers[at] === BUNDLE) return bundleStartNs(numbers, at);
  return numbers[at] === FAR ? farTime(numbers, at) : lastNs + numbers[at + 1];
}

function* eventsOf(
  { input, run, at, beforeNs, events }: StoredRange,
  runs: Runs,
  rows: Omit<LaneEvents, 'length'>,
): Generator<LaneEvents> {
  const { site, timeNs } = rows;
  let left = events;
  let lastNs = beforeNs;
  let length = 0;
  for (let row = run; left > 0; row++) {
    const numbers = runs.of(input, row);
    for (let from = row === run ? at : 0; from < numbers.length && left > 0; from = next(numbers, from)) {
      const count = eventsAt(numbers, from);
      if (length + count > site.length) {
        yield { length, ...rows };
        length = 0;
      }
      if (numbers[from] === BUNDLE) readBundle(numbers, from, rows, length);
      else {
        site[length] = numbers[from] === FAR ? numbers[from + 1] : numbers[from];
        timeNs[length] = timeAt(numbers, from, lastNs);
      }
      length += count;
      left -= count;
      lastNs = timeNs[length - 1];
    }
  }
  yield { length, ...rows };
}

/** Caches the last run, so that consecutive reads of a spilled run read the disk once. */
class Runs {
  private input: LaneRuns | null = null;
  private run = 0;
  private numbers: Int32Array = new Int32Array();
  private readonly shared: SharedEvents;

  constructor(shared: SharedEvents) {
    this.shared = shared;
  }

  of(input: LaneRuns, run: number): Int32Array {
    if (this.input === input && this.run === run) return this.numbers;
    this.input = input;
    this.run = run;
    this.numbers = runAt(this.shared, input.addresses[run], input.lengths[run]);
    return this.numbers;
  }
}
