/**
 * What the inputs saw of one thread on one processor, in the order of its lane, some events at a time: a lane as `readLane` makes it,
 * however little memory there is.
 */
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH } from '../../model/trace/event-run.js';
import type { Nanoseconds } from '../../model/units.js';
import { runAt, type SharedEvents } from '../runs/event-memory.js';
import { type LaneRuns, MAX_JITTER_NS } from './lane.js';

/** Good until the next are asked for. */
export interface LaneEvents {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

/** A stretch of events without a large step back, and where it begins. */
interface Stretch {
  readonly input: LaneRuns;
  readonly run: number;
  readonly at: number;
  readonly beforeNs: Nanoseconds;
  readonly startNs: Nanoseconds;
  endNs: Nanoseconds;
  events: number;
}

const EVENTS_AT_ONCE = 16 * 1024;

export function* laneEvents(inputs: readonly LaneRuns[], shared: SharedEvents): Generator<LaneEvents> {
  const runs = new Runs(shared);
  const stretches = inputs.flatMap((input) => stretchesOf(input, runs)).sort(byTimeThenInput);
  const most = stretches.reduce((most, { events }) => Math.max(most, Math.min(events, EVENTS_AT_ONCE)), 0);
  const rows = { site: new Uint32Array(most), timeNs: new Float64Array(most) };
  for (const stretch of stretches) yield* eventsOf(stretch, runs, rows);
}

/** As `readLane` orders them. */
function byTimeThenInput(a: Stretch, b: Stretch): number {
  const byTime = a.startNs - b.startNs || a.endNs - b.endNs;
  return byTime || (a.input.input === b.input.input ? 0 : a.input.input < b.input.input ? -1 : 1);
}

function stretchesOf(input: LaneRuns, runs: Runs): Stretch[] {
  const stretches: Stretch[] = [];
  let lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  for (let run = 0; run < input.addresses.length; run++) {
    const numbers = runs.of(input, run);
    for (let at = 0; at < numbers.length; at += lengthAt(numbers, at)) {
      const atNs = numbers[at] === FAR ? farTime(numbers, at) : lastNs + numbers[at + 1];
      let stretch = stretches.at(-1);
      if (stretch === undefined || atNs < lastNs - MAX_JITTER_NS) {
        stretch = { input, run, at, beforeNs: lastNs, startNs: atNs, endNs: atNs, events: 0 };
        stretches.push(stretch);
      }
      stretch.events++;
      stretch.endNs = lastNs = atNs;
    }
  }
  return stretches;
}

function lengthAt(numbers: Int32Array, at: number): number {
  return numbers[at] === FAR ? FAR_LENGTH : NEAR_LENGTH;
}

function* eventsOf(
  { input, run, at, beforeNs, events }: Stretch,
  runs: Runs,
  { site, timeNs }: Omit<LaneEvents, 'length'>,
): Generator<LaneEvents> {
  let left = events;
  let lastNs = beforeNs;
  let length = 0;
  for (let row = run; left > 0; row++) {
    const numbers = runs.of(input, row);
    for (let next = row === run ? at : 0; next < numbers.length && left > 0; left--) {
      const isFar = numbers[next] === FAR;
      lastNs = isFar ? farTime(numbers, next) : lastNs + numbers[next + 1];
      site[length] = isFar ? numbers[next + 1] : numbers[next];
      timeNs[length++] = lastNs;
      next += isFar ? FAR_LENGTH : NEAR_LENGTH;
      if (length < site.length && left > 1) continue;
      yield { length, site, timeNs };
      length = 0;
    }
  }
}

/** What is read from the disk is read once, as long as nothing else is asked for. */
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
