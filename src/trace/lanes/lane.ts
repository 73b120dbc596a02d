/**
 * Assembles a lane from the runs of all inputs, whatever their order, and with bounded memory.
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
  NEAR_LENGTH,
} from '../../model/trace/event-runs.js';
import type { EventSlice, ThreadEvents } from '../../model/trace/thread-events.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';
import { type RunAddress, runAt, type SharedEvents } from '../event-memory.js';
import { BundleColumns } from './bundles.js';

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
  /** Of each run, how many events it has. */
  readonly events: number[];
}

/** Where tracing begins and ends, by site. */
export interface SiteEdges {
  readonly edge: Uint8Array; // TraceEdge
}

/** All events of one thread on one CPU: as many rows, from `start` on. */
export interface Lane {
  readonly cpu: number;
  readonly events: ThreadEvents;
  readonly start: number;
  readonly length: number;
}

/** Valid until the next batch. */
export interface LaneEvents {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

/** Events of a thread on one CPU, valid until the next ones. `place`: where they are read again; null: that is not possible. */
export interface ThreadSlice<Place = unknown> extends EventSlice {
  readonly cpu: number;
  readonly place: Place | null;
  /** Its first and its last time, if times are known never to decrease. */
  readonly bounds?: Bounds;
}

/** Events of a thread in slices. */
export interface Slices<Place = unknown> {
  /** Yields those from a place on: all by default. */
  from(place?: Place): IterableIterator<ThreadSlice<Place>>;
  /** False if something else was read into the memory of the last slice. */
  isValid(): boolean;
}

/** Where a batch of a lane begins: it can be read again from there. */
export interface LanePlace extends RangeStart {
  readonly range: number;
}

/** Where a range of events begins that ends before the next large step back in time. */
interface RangeStart {
  readonly input: LaneRuns;
  readonly run: number;
  readonly at: number;
  readonly beforeNs: Nanoseconds;
}

interface StoredRange extends RangeStart {
  readonly startNs: Nanoseconds;
  endNs: Nanoseconds;
}

/** Of several bundles: they stay in the cache. */
const BATCH_EVENTS = 8192;
/** A bundle of so many is a batch of its own. */
const ALONE_EVENTS = 32;

/** The lane that was read last. */
let lastRead: LaneReader | null = null;

/** Used for all lanes, because new memory is slow. */
let batch: BundleColumns | null = null;

/** A batch that is one bundle: its columns are read when they are needed. */
class BundleSlice implements ThreadSlice<LanePlace> {
  readonly siteAt = 0;
  readonly timeAt = 0;
  readonly length: number;
  readonly bounds: Bounds;
  private hasSites = false;
  private hasTimes = false;

  constructor(
    readonly cpu: number,
    readonly place: LanePlace,
    private readonly numbers: Int32Array,
    private readonly at: number,
    private readonly columns: BundleColumns,
  ) {
    this.length = bundleEvents(numbers, at);
    this.bounds = { startNs: bundleStartNs(numbers, at), endNs: bundleEndNs(numbers, at) };
  }

  get site(): Uint32Array {
    if (!this.hasSites) this.columns.readSites(this.numbers, this.at, 0);
    this.hasSites = true;
    return this.columns.site;
  }

  get timeNs(): Float64Array {
    if (!this.hasTimes) this.columns.readTimes(this.numbers, this.at, 0);
    this.hasTimes = true;
    return this.columns.timeNs;
  }
}

/** A lane that was taken to be in order has a large step back: what was read of it may be out of order. */
export class OutOfOrder extends Error {}

/**
 * Reads the events of a lane in batches, from any of them on. Ranges without a large step back are ordered by time.
 * `isInOrder`: there should be one range, which need not be looked for.
 */
export class LaneReader implements Slices<LanePlace> {
  private readonly runs: Runs;
  private readonly ranges: readonly RangeStart[];
  private readonly isOneRange: boolean;

  constructor(inputs: readonly LaneRuns[], shared: SharedEvents, isInOrder = false) {
    this.runs = new Runs(shared);
    this.isOneRange = isInOrder && inputs.length === 1;
    this.ranges = this.isOneRange
      ? [{ input: inputs[0], run: 0, at: 0, beforeNs: Number.NEGATIVE_INFINITY }]
      : inputs.flatMap((input) => rangesOf(input, this.runs)).sort(byTimeThenInput);
  }

  /** Yields batches. @throws OutOfOrder if there is more than the one range */
  *from(from?: LanePlace): Generator<ThreadSlice<LanePlace>> {
    for (let range = from?.range ?? 0; range < this.ranges.length; range++) {
      const start = from?.range === range ? from : this.ranges[range];
      const batches = batchesOf({ ...start, range }, this.runs);
      for (let batch = batches.next(); ; batch = batches.next()) {
        lastRead = this;
        if (batch.done === true) {
          if (!batch.value && this.isOneRange) throw new OutOfOrder();
          break;
        }
        yield batch.value;
      }
    }
  }

  isValid(): boolean {
    return lastRead === this;
  }
}

/** Yields what begins with the first event that is not before a time, and ends before the first that is after another. */
export function* slicesWithin(slices: Iterable<ThreadSlice>, { startNs, endNs }: Bounds): Generator<ThreadSlice> {
  let hasBegun = false;
  for (const slice of slices) {
    const { bounds } = slice;
    let [first, end] = [0, slice.length];
    if (bounds && !hasBegun && bounds.endNs < startNs) continue;
    const isWhole = bounds && (hasBegun || bounds.startNs >= startNs) && bounds.endNs < endNs;
    if (!isWhole) {
      const { timeNs, timeAt, length } = slice;
      if (!hasBegun) while (first < length && timeNs[timeAt + first] < startNs) first++;
      if (first === length) continue;
      end = first;
      while (end < length && timeNs[timeAt + end] < endNs) end++;
    }
    hasBegun = true;
    if (end > first) yield isWhole ? slice : partOf(slice, first, end);
    if (end < slice.length) return;
  }
}

function partOf({ cpu, site, siteAt, timeNs, timeAt }: ThreadSlice, first: number, end: number): ThreadSlice {
  return { cpu, place: null, site, siteAt: siteAt + first, timeNs, timeAt: timeAt + first, length: end - first };
}

/** Whatever the order of the inputs. */
function byTimeThenInput(a: StoredRange, b: StoredRange): number {
  const byTime = a.startNs - b.startNs || a.endNs - b.endNs;
  return byTime || (a.input.input === b.input.input ? 0 : a.input.input < b.input.input ? -1 : 1);
}

function rangesOf(input: LaneRuns, runs: Runs): StoredRange[] {
  const ranges: StoredRange[] = [];
  let lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  for (let run = 0; run < input.addresses.length; run++) {
    const numbers = runs.of(input, run);
    for (let at = 0; at < numbers.length; ) {
      const atNs = startAt(numbers, at, lastNs);
      let range = ranges.at(-1);
      if (range === undefined || atNs < lastNs - MAX_JITTER_NS) {
        range = { input, run, at, beforeNs: lastNs, startNs: atNs, endNs: atNs };
        ranges.push(range);
      }
      lastNs = numbers[at] === BUNDLE ? bundleEndNs(numbers, at) : atNs;
      at = next(numbers, at);
      for (; isNear(numbers, at); at += NEAR_LENGTH) lastNs += numbers[at + 1];
      range.endNs = lastNs;
    }
  }
  return ranges;
}

/** Returns whether there is an event without a large step back that is neither far nor in a bundle. */
function isNear(numbers: Int32Array, at: number): boolean {
  return at < numbers.length && numbers[at] >= 0 && numbers[at + 1] >= -MAX_JITTER_NS;
}

/** Returns the index after an event or a bundle. */
function next(numbers: Int32Array, at: number): number {
  if (numbers[at] === BUNDLE) return bundleEnd(numbers, at);
  return at + (numbers[at] === FAR ? FAR_LENGTH : NEAR_LENGTH);
}

function eventsAt(numbers: Int32Array, at: number): number {
  return numbers[at] === BUNDLE ? bundleEvents(numbers, at) : 1;
}

/** The head of a run, which has the time of its first event. */
const RUN_HEAD_LENGTH = 8;

/** Returns the time of the first event of a run. */
export function startOfRun({ addresses, lengths }: LaneRuns, run: number, shared: SharedEvents): Nanoseconds {
  return startAt(runAt(shared, addresses[run], Math.min(lengths[run], RUN_HEAD_LENGTH)), 0, Number.NaN);
}

/** Returns the time of an event, or of the first one of a bundle. */
function startAt(numbers: Int32Array, at: number, lastNs: Nanoseconds): Nanoseconds {
  if (numbers[at] === BUNDLE) return bundleStartNs(numbers, at);
  return numbers[at] === FAR ? farTime(numbers, at) : lastNs + numbers[at + 1];
}

/** Yields the events of a range from a place on. Returns whether the input has no more. */
function* batchesOf(place: LanePlace, runs: Runs): Generator<ThreadSlice<LanePlace>, boolean> {
  const columns = (batch ??= new BundleColumns());
  const { site, siteAt, timeNs, timeAt } = columns;
  const { input, range } = place;
  const { cpu } = input;
  let lastNs = place.beforeNs;
  let first = place;
  let isFirst = true;
  let length = 0;
  const taken = () => {
    const slice = { cpu, place: first, length, site, siteAt, timeNs, timeAt };
    length = 0;
    return slice;
  };
  for (let { run } = place; run < input.addresses.length; run++) {
    const numbers = runs.of(input, run);
    for (let at = run === place.run ? place.at : 0; at < numbers.length; ) {
      const atNs = startAt(numbers, at, lastNs);
      if (!isFirst && atNs < lastNs - MAX_JITTER_NS) {
        if (length > 0) yield taken();
        return false;
      }
      isFirst = false;
      const events = eventsAt(numbers, at);
      const isBundle = numbers[at] === BUNDLE;
      const isAlone = isBundle && events >= ALONE_EVENTS;
      if (length > 0 && (isAlone || length + events > BATCH_EVENTS)) yield taken();
      if (length === 0) first = { input, range, run, at, beforeNs: lastNs };
      if (isAlone) {
        yield new BundleSlice(cpu, first, numbers, at, columns);
        lastNs = bundleEndNs(numbers, at);
        at = bundleEnd(numbers, at);
        continue;
      }
      if (isBundle) columns.read(numbers, at, length);
      else {
        site[length] = numbers[at] === FAR ? numbers[at + 1] : numbers[at];
        timeNs[length] = atNs;
      }
      at = next(numbers, at);
      const near = length + events;
      length = readNear(columns, numbers, at, near);
      at += NEAR_LENGTH * (length - near);
      lastNs = timeNs[length - 1];
    }
  }
  if (length > 0) yield taken();
  return true;
}

/** Reads near events into the batch, from a row on that is not the first one. Returns the row after them. */
function readNear({ site, timeNs }: BundleColumns, numbers: Int32Array, start: number, first: number): number {
  let atNs = timeNs[first - 1];
  let row = first;
  for (let at = start; row < BATCH_EVENTS && isNear(numbers, at); at += NEAR_LENGTH) {
    atNs += numbers[at + 1];
    site[row] = numbers[at];
    timeNs[row++] = atNs;
  }
  return row;
}

/** Caches the last run, so that consecutive reads of a spilled run read the disk once. */
class Runs {
  private input: LaneRuns | null = null;
  private run = 0;
  private numbers: Int32Array = new Int32Array();

  constructor(private readonly shared: SharedEvents) {}

  of(input: LaneRuns, run: number): Int32Array {
    if (this.input === input && this.run === run) return this.numbers;
    this.input = input;
    this.run = run;
    this.numbers = runAt(this.shared, input.addresses[run], input.lengths[run]);
    return this.numbers;
  }
}
