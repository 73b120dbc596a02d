/**
 * Merges the lanes of a thread into one sequence of events.
 *
 * A thread runs on one CPU at a time, but the clocks of two CPUs differ by some microseconds, so merging by time alone
 * would interleave two stays. A stay that ends soon after another seems to begin is therefore delivered as a whole;
 * only longer overlaps are merged event by event.
 */
import { TraceEdge } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Lane, SiteEdges, ThreadSlice } from './lane.js';

/** Far more than the clocks of CPUs in one machine differ. */
const MAX_SKEW_NS = 100_000;

/**
 * Merges one lane per CPU; times in a lane may step back a little. Yields merged events in order, each slice valid until the
 * next one; their times may still step back.
 */
export function* mergeLanes(lanes: readonly Lane[], sites: SiteEdges): Generator<ThreadSlice> {
  const waiting = new CursorHeap();
  for (const lane of lanes) if (lane.length > 0) waiting.push(new Cursor(lane, sites));
  let current: Cursor | null = null;
  while (true) {
    current = nextCursor(waiting, current);
    if (current === null) return;
    yield* delivered(current, waiting.first);
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

/** Yields events of one lane until its stay ends or another lane is due. */
function* delivered(cursor: Cursor, other: Cursor | null): Generator<ThreadSlice> {
  const { lane, row } = cursor;
  const otherNs = other === null ? Number.POSITIVE_INFINITY : other.timeNs;
  const isWhole = cursor.stayEndNs() <= otherNs + MAX_SKEW_NS;
  cursor.row = isWhole ? cursor.stayEnd : firstLater(lane, row + 1, cursor.stayEnd, otherNs);
  for (let at = row; at < cursor.row; ) {
    const slice = lane.events.from(lane.start + at, lane.start + cursor.row);
    at += slice.length;
    yield { cpu: lane.cpu, place: null, ...slice };
  }
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
  return a.stayEndNs() - b.stayEndNs() || Number(b.hasTraceEnd) - Number(a.hasTraceEnd);
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
  row = 0;
  private readonly edge: Uint8Array;
  private knownStayEnd = 0;

  constructor(
    readonly lane: Lane,
    sites: SiteEdges,
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
    if (this.knownStayEnd <= this.row) this.knownStayEnd = this.findStayEnd();
    return this.knownStayEnd;
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

  /** True if the stay ends with a trace end. */
  get hasTraceEnd(): boolean {
    return this.edgeAt(this.stayEnd - 1) === TraceEdge.End;
  }

  stayEndNs(): Nanoseconds {
    return this.lane.events.timeAt(this.lane.start + this.stayEnd - 1);
  }

  private edgeAt(row: number): number {
    return this.edge[this.lane.events.siteAt(this.lane.start + row)];
  }
}
