/**
 * Turns the log of a thread into nested events of its calls.
 */
import { CallEvent, type CallEvents, isBeginning, type LongestCalls } from '../model/calls/call-events.js';
import type { CallLog } from '../model/calls/call-log.js';
import {
  boundForLongest,
  float64Column,
  int32Column,
  rowNumbers,
  rowsOf,
  uint8Column,
  viewsOf,
} from '../model/columns.js';
import { assert } from '../model/errors.js';
import { UNWOUND } from '../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId, type Tid } from '../model/units.js';
import { overlaps } from './log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './log/walk-calls.js';

/** Nodes are those of the log. */
export function callEvents(log: CallLog, question: EventsQuestion): ThreadEventsOfCalls {
  const nesting = new Nesting(new EventsBuilder(question));
  walkCalls(log, nesting);
  return nesting.finish();
}

class OpenPartOfCall extends OpenCall {
  /** Of its last beginning. */
  eventRow = NONE;
}

/**
 * Calls are on the thread's stack in the order in which they began or resumed. If a frame changes below open stops, these
 * leave and resume at once.
 */
class Nesting implements CallListener<OpenPartOfCall> {
  private readonly stack: OpenPartOfCall[] = [];
  private nowNs: Nanoseconds = 0;

  constructor(private readonly builder: EventsBuilder) {}

  newCall(): OpenPartOfCall {
    return new OpenPartOfCall();
  }

  opened(call: OpenPartOfCall): void {
    this.nowNs = call.entryNs;
    this.belowStops(call, () => this.begin(call, false));
  }

  spent(_top: OpenPartOfCall | null, _fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.nowNs = toNs;
  }

  suspended(call: OpenPartOfCall): void {
    this.belowStops(call, () => this.end(call, CallEvent.Leave));
  }

  resumed(call: OpenPartOfCall): void {
    this.belowStops(call, () => this.begin(call, true));
  }

  closed(call: OpenPartOfCall, exitNs: Nanoseconds, ending: number): void {
    this.nowNs = Math.max(this.nowNs, exitNs);
    if (call.isSuspended) return; // its last part has ended
    this.belowStops(call, () => this.end(call, endOf(ending)));
  }

  finish(): ThreadEventsOfCalls {
    assert(this.stack.length === 0, 'a call has not ended');
    return this.builder.build();
  }

  private belowStops(call: OpenPartOfCall, change: () => void): void {
    if (call.isStop || this.stack.at(-1)?.isStop !== true) return change();
    const stops = this.stack.slice(this.stack.findIndex(({ isStop }) => isStop));
    for (const stop of stops.toReversed()) this.end(stop, CallEvent.Leave);
    change();
    for (const stop of stops) this.begin(stop, true);
  }

  private begin(call: OpenPartOfCall, isResumed: boolean): void {
    this.builder.begin(call, isResumed, this.nowNs, this.stack);
    this.stack.push(call);
  }

  private end(call: OpenPartOfCall, kind: CallEvent): void {
    assert(this.stack.pop() === call, 'calls end in another order than they began');
    this.builder.end(call, kind, this.nowNs);
  }
}

function endOf(ending: number): CallEvent {
  if (ending === NONE) return CallEvent.End;
  return ending === UNWOUND ? CallEvent.Unwound : CallEvent.Cut;
}

const MIN_EVENTS = 1024;
/** Of a call that was too short. */
const LEFT_OUT = -1;

/**
 * Builds the events of a thread's calls, and leaves out the shortest ones while it grows: memory is bounded by how many
 * calls are wanted. It keeps `eventRow` of those that have not ended up to date.
 */
class EventsBuilder {
  private columns = newColumns();
  private minNs: Nanoseconds;
  private leftOut = 0;
  private nextCheck: number;

  constructor(private readonly question: EventsQuestion) {
    this.minNs = question.minNs;
    this.nextCheck = Math.max(MIN_EVENTS, 4 * question.maxCalls);
  }

  /** `open`: all that have not ended, in the order of their beginnings. */
  begin(call: OpenPartOfCall, isResumed: boolean, ns: Nanoseconds, open: readonly OpenPartOfCall[]): void {
    if (this.length >= this.nextCheck) this.dropShortest(open);
    call.eventRow = this.length;
    this.push(isResumed ? CallEvent.Resume : CallEvent.Begin, call.node, ns, Number.POSITIVE_INFINITY);
  }

  /** `kind`: how it ended. */
  end({ eventRow: row, node }: OpenPartOfCall, kind: CallEvent, ns: Nanoseconds): void {
    const { timeNs, durationNs } = this.columns;
    const startNs = timeNs.values[row];
    const ownNs = ns - startNs;
    const isCounted = overlaps(this.question.window, startNs, ns) && !this.isEmptyPart(row, kind, ownNs);
    if (isCounted && ownNs >= this.minNs) {
      durationNs.values[row] = ownNs;
      this.push(kind, node, ns, ownNs);
      return;
    }
    if (isCounted) this.leftOut++;
    if (row === this.length - 1) this.pop();
    else durationNs.values[row] = LEFT_OUT;
  }

  build(): ThreadEventsOfCalls {
    this.dropShortest([]);
    const { minNs, leftOut } = this;
    const { timeNs, node, kind, durationNs } = viewsOf(this.columns);
    // columns have room for more, which would be copied with them
    const events = { timeNs: timeNs.slice(), node: node.slice(), kind: kind.slice(), durationNs: durationNs.slice() };
    return { events, minNs, leftOut };
  }

  private get length(): number {
    return this.columns.kind.length;
  }

  /** A stack that is switched away from at once, or frames that change below a stop several times. */
  private isEmptyPart(row: number, kind: CallEvent, ns: Nanoseconds): boolean {
    return ns === 0 && kind === CallEvent.Leave && this.columns.kind.values[row] === CallEvent.Resume;
  }

  private dropShortest(open: readonly OpenPartOfCall[]): void {
    const { maxCalls } = this.question;
    const all = withoutShorter(viewsOf(this.columns), 0);
    this.minNs = Math.max(this.minNs, longestBound([all], maxCalls + open.length));
    const kept = withoutShorter(all, this.minNs);
    this.leftOut += (all.kind.length - kept.kind.length) / 2;
    this.columns = newColumns();
    for (const name of COLUMNS) this.columns[name].append(kept[name]);
    this.nextCheck = Math.max(MIN_EVENTS, 4 * maxCalls, 2 * this.length);
    let at = 0;
    kept.durationNs.forEach((ns, row) => {
      if (ns === Number.POSITIVE_INFINITY) (open[at++] as OpenPartOfCall).eventRow = row;
    });
  }

  private push(kind: CallEvent, node: NodeId, ns: Nanoseconds, durationNs: Nanoseconds): void {
    const { columns } = this;
    columns.kind.push(kind);
    columns.node.push(node);
    columns.timeNs.push(ns);
    columns.durationNs.push(durationNs);
  }

  private pop(): void {
    for (const name of COLUMNS) this.columns[name].length--;
  }
}

const COLUMNS = ['timeNs', 'node', 'kind', 'durationNs'] as const;

function newColumns() {
  return { timeNs: float64Column(), node: int32Column(), kind: uint8Column(), durationNs: float64Column() };
}

/** Up to this many times the wanted calls are kept, because leaving out the shortest takes time. */
const SLACK = 2;

// The longest calls of all threads, from those of each thread.

/** Collects threads, in any order. */
export class LongestCallsCollector {
  private readonly threads = new Map<Tid, TimedEvents>();
  private calls = 0;
  /** Of calls. */
  private nextCheck: number;
  private minNs: Nanoseconds;
  private leftOut = 0;
  private readonly maxCalls: number;

  constructor({ minNs, maxCalls }: EventsQuestion) {
    this.minNs = minNs;
    this.maxCalls = maxCalls;
    this.nextCheck = SLACK * maxCalls;
  }

  add(tid: Tid, { events, minNs, leftOut }: ThreadEventsOfCalls): void {
    this.minNs = Math.max(this.minNs, minNs);
    this.leftOut += leftOut;
    this.threads.set(tid, events);
    this.calls += events.kind.length / 2;
    if (this.calls > this.nextCheck) this.dropShortest();
  }

  /** `shiftNs`: from the times of the result to the trace's. */
  build(shiftNs: Nanoseconds): LongestCalls {
    this.dropShortest();
    const byTid = [...this.threads].sort(([a], [b]) => a - b);
    const threads = byTid.map(([tid, { timeNs, node, kind }]) => ({
      tid,
      timeNs: timeNs.map((ns) => ns - shiftNs),
      node,
      kind,
    }));
    return { threads, minNs: this.minNs, leftOut: this.leftOut };
  }

  private dropShortest(): void {
    this.minNs = Math.max(this.minNs, longestBound([...this.threads.values()], this.maxCalls));
    this.calls = 0;
    for (const [tid, all] of this.threads) {
      const kept = withoutShorter(all, this.minNs);
      this.leftOut += (all.kind.length - kept.kind.length) / 2;
      this.calls += kept.kind.length / 2;
      this.threads.set(tid, kept);
    }
    // Of calls that all lasted as long, more are kept than are wanted. Looking at a thread takes time, too.
    this.nextCheck = SLACK * Math.max(this.maxCalls, this.calls, this.threads.size);
  }
}

/** The question about single calls as events, and the answer of a thread. */
export interface EventsQuestion {
  /** Calls outside of it are left out; those that it cuts are whole. */
  readonly window: Bounds;
  /** Shorter calls are left out. */
  readonly minNs: Nanoseconds;
  /** If there are more, the shortest are left out. */
  readonly maxCalls: number;
}

/** The longest calls of a thread. */
export interface ThreadEventsOfCalls {
  readonly events: TimedEvents;
  /** Shorter ones are left out. */
  readonly minNs: Nanoseconds;
  readonly leftOut: number;
}

// Leaves out the shortest calls of lists of events.

/** Events, and how long the call of each lasted; Infinity while it is open. */
export interface TimedEvents extends CallEvents {
  readonly durationNs: Float64Array;
}

/**
 * Returns the bound that selects the longest `maxCalls` calls; if several are the longest of all, they are selected even
 * if they are more.
 */
export function longestBound(lists: readonly TimedEvents[], maxCalls: number): Nanoseconds {
  const durations = durationsOf(lists);
  const longestNs = durations.reduce((longest, ns) => Math.max(longest, ns), 0);
  return Math.min(boundForLongest(durations, maxCalls), longestNs);
}

/** Returns the duration of each call. */
function durationsOf(lists: readonly TimedEvents[]): Float64Array {
  const durations = new Float64Array(lists.reduce((sum, { kind }) => sum + kind.length, 0));
  let count = 0;
  for (const { kind, durationNs } of lists)
    for (let row = 0; row < kind.length; row++) if (isBeginning(kind[row])) durations[count++] = durationNs[row];
  return durations.subarray(0, count);
}

/** Returns the events of calls that lasted at least so long. */
export function withoutShorter(events: TimedEvents, minNs: Nanoseconds): TimedEvents {
  const { timeNs, node, kind, durationNs } = events;
  const rows = rowNumbers(kind.length).filter((row) => durationNs[row] >= minNs);
  return rows.length === kind.length ? events : rowsOf({ timeNs, node, kind, durationNs }, rows);
}
