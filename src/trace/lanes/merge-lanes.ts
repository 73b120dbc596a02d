/**
 * Merges the lanes of a thread into one sequence of events.
 *
 * A thread runs on one CPU at a time, but the clocks of two CPUs differ by some microseconds, so merging by time alone
 * would interleave two stays. A stay that ends soon after another seems to begin is therefore delivered as a whole;
 * only longer overlaps are merged event by event.
 */
import { TraceEdge } from '../../model/trace/branch-sites.js';
import type { EventSlice } from '../../model/trace/thread-events.js';
import { type Bounds, type Nanoseconds, NONE } from '../../model/units.js';
import type { Lane, SiteEdges, Slices, ThreadSlice } from './lane.js';

/** Far more than the clocks of CPUs in one machine differ. */
export const MAX_SKEW_NS = 100_000;

/** Of the events of a lane: when they begin and end, and whether a stay does with them. */
export interface LaneEnds extends Bounds {
  readonly cpu: number;
  readonly beginsStay: boolean;
  readonly endsStay: boolean;
}

export function laneEnds({ cpu, events, start, length }: Lane, { edge }: SiteEdges): LaneEnds {
  const last = start + length - 1;
  return {
    cpu,
    startNs: events.timeAt(start),
    endNs: events.timeAt(last),
    beginsStay: edge[events.siteAt(start)] === TraceEdge.Begin,
    endsStay: edge[events.siteAt(last)] === TraceEdge.End,
  };
}

/** Where a merged slice begins: the next row of each lane, and the last one that is taken from its own. */
export interface MergedPlace {
  readonly rows: readonly number[];
  readonly lane: number;
  readonly end: number;
}

/** Merges one lane per CPU, in which times may step back a little. Those of merged events may, too. */
export class MergedLanes implements Slices<MergedPlace> {
  /** `areReadAgain`: merged events can be, from any slice on. */
  constructor(
    private readonly lanes: readonly Lane[],
    private readonly sites: SiteEdges,
    private readonly areReadAgain = false,
  ) {}

  *from(place?: MergedPlace): Generator<ThreadSlice<MergedPlace>> {
    const cursors = this.lanes.map((lane, at) => new Cursor(lane, this.sites, place?.rows[at] ?? 0));
    let current: Cursor | null = null;
    if (place) {
      current = cursors[place.lane];
      yield* this.slices(current, place.end, cursors);
    }
    const waiting = new CursorHeap();
    for (const cursor of cursors) if (!cursor.isDone && cursor !== current) waiting.push(cursor);
    while (true) {
      current = nextCursor(waiting, current);
      if (current === null) return;
      yield* this.slices(current, endOfTurn(current, waiting.first), cursors);
    }
  }

  isValid(): boolean {
    return true;
  }

  /** Yields the events of one lane up to a row. */
  private *slices(cursor: Cursor, end: number, cursors: readonly Cursor[]): Generator<ThreadSlice<MergedPlace>> {
    const { cpu, events, start } = cursor.lane;
    while (cursor.row < end) {
      const { row } = cursor;
      const slice = events.from(start + row, start + end);
      yield this.areReadAgain ? new MergedSlice(cpu, slice, cursors, cursor, end) : { cpu, place: null, ...slice };
      cursor.row += slice.length;
    }
  }
}

/** Says where it begins only if that is asked, while it is valid: slices may be short. */
class MergedSlice implements ThreadSlice<MergedPlace> {
  readonly site: Uint32Array;
  readonly siteAt: number;
  readonly timeNs: Float64Array;
  readonly timeAt: number;
  readonly length: number;

  constructor(
    readonly cpu: number,
    { site, siteAt, timeNs, timeAt, length }: EventSlice,
    private readonly cursors: readonly Cursor[],
    private readonly cursor: Cursor,
    private readonly end: number,
  ) {
    this.site = site;
    this.siteAt = siteAt;
    this.timeNs = timeNs;
    this.timeAt = timeAt;
    this.length = length;
  }

  get place(): MergedPlace {
    const { cursors, cursor, end } = this;
    return { rows: cursors.map(({ row }) => row), lane: cursors.indexOf(cursor), end };
  }
}

/** Returns the next lane. The current one, unless done, continues or waits with the others. */
function nextCursor(waiting: CursorHeap, current: Cursor | null): Cursor | null {
  const { first } = waiting;
  if (current === null || current.isDone) return waiting.pop();
  if (first === null || compareCursors(current, first) <= 0) return current;
  waiting.push(current);
  return waiting.pop();
}

/** Returns the row of a lane after which its stay ends or another lane is due. */
function endOfTurn(cursor: Cursor, other: Cursor | null): number {
  const { lane, row, stayEnd } = cursor;
  const otherNs = other === null ? Number.POSITIVE_INFINITY : other.timeNs;
  const isWhole = cursor.stayEndNs <= otherNs + MAX_SKEW_NS;
  return isWhole ? stayEnd : firstLater(lane, row + 1, stayEnd, otherNs);
}

/** Returns the first row in a range with a later time, or the end of the range. */
function firstLater({ events, start }: Lane, first: number, end: number, atNs: Nanoseconds): number {
  let row = first;
  while (row < end && events.timeAt(start + row) <= atNs) row++;
  return row;
}

// Positions in the lanes of a thread, and the order in which they are merged.
//
// A stay is a period of tracing on one CPU: from a trace start to the next trace end, or up to the next trace start.

/**
 * Orders positions by time. At equal times an event inside a stay precedes one that begins a stay. Of two stays that
 * begin, the one that ends first comes first, because no other stay can begin before one has ended. Ties go to the CPU
 * that the thread is on, then to the lower one.
 */
function compareCursors(a: Cursor, b: Cursor): number {
  if (a.timeNs !== b.timeNs) return a.timeNs - b.timeNs;
  if (a.isBegin !== b.isBegin) return b.isBegin ? -1 : 1;
  if (!a.isBegin) return 0;
  return a.stayEndNs - b.stayEndNs || Number(b.hasTraceEnd) - Number(a.hasTraceEnd);
}

/** A heap of the waiting lanes: there may be thousands. */
class CursorHeap {
  private readonly cursors: Cursor[] = [];

  get first(): Cursor | null {
    return this.cursors[0] ?? null;
  }

  push(cursor: Cursor): void {
    const { cursors } = this;
    let index = cursors.push(cursor) - 1;
    for (let parent = parentOf(index); index > 0 && isBefore(cursor, cursors[parent]); parent = parentOf(index)) {
      cursors[index] = cursors[parent];
      index = parent;
    }
    cursors[index] = cursor;
  }

  pop(): Cursor | null {
    const { cursors } = this;
    const first = this.first;
    const last = cursors.pop();
    if (last === undefined || cursors.length === 0) return first;
    let index = 0;
    for (let child = this.smallerChild(index); child !== NONE; child = this.smallerChild(index)) {
      if (!isBefore(cursors[child], last)) break;
      cursors[index] = cursors[child];
      index = child;
    }
    cursors[index] = last;
    return first;
  }

  private smallerChild(index: number): number {
    const left = 2 * index + 1;
    if (left >= this.cursors.length) return NONE;
    const right = this.cursors[left + 1];
    return right !== undefined && isBefore(right, this.cursors[left]) ? left + 1 : left;
  }
}

function parentOf(index: number): number {
  return (index - 1) >> 1;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return (compareCursors(a, b) || a.lane.cpu - b.lane.cpu) < 0;
}

/** A position in a lane, and the end of the stay that it is in. */
class Cursor {
  private readonly edge: Uint8Array;
  /** Of the stay: the row after its last event, and that event. */
  private readonly stay = { end: 0, lastNs: 0, hasTraceEnd: false };

  constructor(
    readonly lane: Lane,
    sites: SiteEdges,
    public row: number,
  ) {
    this.edge = sites.edge;
  }

  get isDone(): boolean {
    return this.row === this.lane.length;
  }

  get timeNs(): Nanoseconds {
    return this.lane.events.timeAt(this.lane.start + this.row);
  }

  get isBegin(): boolean {
    return this.edgeAt(this.row) === TraceEdge.Begin;
  }

  /** The row after the stay, which ends with a trace end or before the next trace start. */
  get stayEnd(): number {
    return this.ownStay().end;
  }

  get stayEndNs(): Nanoseconds {
    return this.ownStay().lastNs;
  }

  /** True if the stay ends with a trace end. */
  get hasTraceEnd(): boolean {
    return this.ownStay().hasTraceEnd;
  }

  /** Its last event may be far: rows are read again to get there. */
  private ownStay(): Cursor['stay'] {
    const { stay, row } = this;
    if (stay.end > row) return stay;
    const { events, start } = this.lane;
    stay.end = this.findStayEnd();
    stay.lastNs = events.timeAt(start + stay.end - 1);
    stay.hasTraceEnd = this.edgeAt(stay.end - 1) === TraceEdge.End;
    return stay;
  }

  private findStayEnd(): number {
    const { edge } = this;
    const { events, start, length } = this.lane;
    if (this.edgeAt(this.row) === TraceEdge.End) return this.row + 1;
    for (let row = this.row + 1; row < length; ) {
      const { site, siteAt, length: rows } = events.from(start + row, start + length);
      for (let at = siteAt; at < siteAt + rows; at++) {
        const found = edge[site[at]];
        if (found === TraceEdge.End) return row + at - siteAt + 1;
        if (found === TraceEdge.Begin) return row + at - siteAt;
      }
      row += rows;
    }
    return length;
  }

  private edgeAt(row: number): number {
    return this.edge[this.lane.events.siteAt(this.lane.start + row)];
  }
}
