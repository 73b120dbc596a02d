/**
 * Yields the events of one lane in order, in batches: the same lane that `readLane` returns, but with bounded memory.
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
import { runAt, type SharedEvents } from '../event-memory.js';
import { type LaneRuns, MAX_JITTER_NS } from './lane.js';

/** Valid until the next batch. */
export interface LaneEvents {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

/** A range of events without a large step back in time, and where it begins. */
interface OrderedRange {
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
function byTimeThenInput(a: OrderedRange, b: OrderedRange): number {
  const byTime = a.startNs - b.startNs || a.endNs - b.endNs;
  return byTime || (a.input.input === b.input.input ? 0 : a.input.input < b.input.input ? -1 : 1);
}

function rangesOf(input: LaneRuns, runs: Runs): OrderedRange[] {
  const ranges: OrderedRange[] = [];
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
  { input, run, at, beforeNs, events }: OrderedRange,
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
