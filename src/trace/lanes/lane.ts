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
  readBundle,
} from '../../model/trace/event-runs.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
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

/** A range of events without a large step back in time, and where it begins. */
interface StoredRange {
  readonly input: LaneRuns;
  readonly run: number;
  readonly at: number;
  readonly beforeNs: Nanoseconds;
  readonly startNs: Nanoseconds;
  endNs: Nanoseconds;
  events: number;
  /** Events of its largest bundle. */
  largest: number;
}

/** A batch has more if a bundle has: they stay in the cache. */
const BATCH_EVENTS = 8192;

/** Reused: one lane is read at a time, because new memory is slow. */
let batch = { site: new Uint32Array(0), timeNs: new Float64Array(0) };

/** Yields the events of a lane in batches. Ranges without a large step back are ordered by time. */
export function* laneEvents(inputs: readonly LaneRuns[], shared: SharedEvents): Generator<LaneEvents> {
  const runs = new Runs(shared);
  const ranges = inputs.flatMap((input) => rangesOf(input, runs)).sort(byTimeThenInput);
  const largest = ranges.reduce((most, range) => Math.max(most, range.largest), BATCH_EVENTS);
  if (largest > batch.site.length) batch = { site: new Uint32Array(largest), timeNs: new Float64Array(largest) };
  for (const range of ranges) yield* eventsOf(range, runs, batch);
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
      const atNs = timeAt(numbers, at, lastNs);
      let range = ranges.at(-1);
      if (range === undefined || atNs < lastNs - MAX_JITTER_NS) {
        range = { input, run, at, beforeNs: lastNs, startNs: atNs, endNs: atNs, events: 0, largest: 1 };
        ranges.push(range);
      }
      const count = eventsAt(numbers, at);
      range.events += count;
      if (count > range.largest) range.largest = count;
      lastNs = numbers[at] === BUNDLE ? bundleEndNs(numbers, at) : atNs;
      at = next(numbers, at);
      const near = at;
      const end = numbers.length;
      for (; at < end && numbers[at] >= 0 && numbers[at + 1] >= -MAX_JITTER_NS; at += NEAR_LENGTH)
        lastNs += numbers[at + 1];
      range.events += (at - near) / NEAR_LENGTH;
      range.endNs = lastNs;
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
    for (let from = row === run ? at : 0; from < numbers.length && left > 0; ) {
      if (length + eventsAt(numbers, from) > site.length) {
        yield { length, ...rows };
        length = 0;
      }
      const first = length;
      const end = Math.min(site.length, length + left);
      if (numbers[from] === BUNDLE) {
        readBundle(numbers, from, rows, length);
        length += bundleEvents(numbers, from);
        from = bundleEnd(numbers, from);
      } else if (numbers[from] === FAR) {
        site[length] = numbers[from + 1];
        timeNs[length++] = farTime(numbers, from);
        from += FAR_LENGTH;
      } else
        for (; length < end && from < numbers.length && numbers[from] >= 0; from += NEAR_LENGTH) {
          lastNs += numbers[from + 1];
          site[length] = numbers[from];
          timeNs[length++] = lastNs;
        }
      left -= length - first;
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
