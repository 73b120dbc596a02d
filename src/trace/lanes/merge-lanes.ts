/**
 * Merges the lanes of a thread into one sequence of events.
 *
 * A thread runs on one CPU at a time, but the clocks of two CPUs differ by some microseconds, so merging by time alone
 * would interleave two stays. A stay that ends soon after another seems to begin is therefore delivered as a whole;
 * only longer overlaps are merged event by event.
 */
import { countAtOrBelow } from '../../model/columns.js';
import { TraceEdge } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { EventRows, Lane, SiteEdges } from './lane.js';

export interface MergedLanes {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array; // never decreases
  /** null if not requested. */
  readonly cpu: Int32Array | null;
  /** Number of times that stepped back and were set to the previous time. */
  readonly clockSteps: number;
}

/** Far more than the clocks of CPUs in one machine differ. */
const MAX_SKEW_NS = 100_000;

/** Merges one lane per CPU into `rows`; times in a lane may step back a little. A single lane may be there already. */
export function mergeLanes(lanes: readonly Lane[], sites: SiteEdges, rows: EventRows, wantsCpus: boolean): MergedLanes {
  const length = lanes.reduce((sum, lane) => sum + lane.length, 0);
  const out = new MergedEvents(rows, wantsCpus ? new Int32Array(length) : null);
  const [only, ...others] = lanes;
  if (only !== undefined && others.length === 0) {
    if (isThere(only, rows) && isOrdered(only)) return inPlace(only, wantsCpus);
    out.add(only, 0, only.length);
    return out.build();
  }
  const waiting = new CursorHeap();
  for (const lane of lanes) if (lane.length > 0) waiting.push(new Cursor(lane, sites));
  let current: Cursor | null = null;
  while (true) {
    current = nextCursor(waiting, current);
    if (current === null) return out.build();
    deliver(current, waiting.first, out);
  }
}

/** True if the lane is already where merged events go. */
function isThere(lane: Lane, { site, timeNs }: EventRows): boolean {
  const isSame = (a: Uint32Array | Float64Array, b: Uint32Array | Float64Array) =>
    a.buffer === b.buffer && a.byteOffset === b.byteOffset;
  return isSame(lane.site, site) && isSame(lane.timeNs, timeNs);
}

function isOrdered({ timeNs, length }: Lane): boolean {
  for (let row = 1; row < length; row++) if (timeNs[row] < timeNs[row - 1]) return false;
  return true;
}

function inPlace({ length, site, timeNs, cpu }: Lane, wantsCpus: boolean): MergedLanes {
  return { length, site, timeNs, cpu: wantsCpus ? new Int32Array(length).fill(cpu) : null, clockSteps: 0 };
}

/** Returns the next lane. The current one, unless done, continues or waits with the others. */
function nextCursor(waiting: CursorHeap, current: Cursor | null): Cursor | null {
  const { first } = waiting;
  if (current === null || current.isDone) return waiting.pop();
  if (first === null || compareCursors(current, first) <= 0) return current;
  waiting.push(current);
  return waiting.pop();
}

/** Delivers events of one lane until its stay ends or another lane is due. */
function deliver(cursor: Cursor, other: Cursor | null, out: MergedEvents): void {
  const { lane, row } = cursor;
  const otherNs = other === null ? Number.POSITIVE_INFINITY : other.timeNs;
  const isWhole = cursor.stayEndNs() <= otherNs + MAX_SKEW_NS;
  cursor.row = isWhole ? cursor.stayEnd : firstLater(lane.timeNs, row + 1, cursor.stayEnd, otherNs);
  out.add(lane, row, cursor.row);
}

/** Returns the first row in a range with a later time, or the end of the range. */
function firstLater(timeNs: Float64Array, start: number, end: number, atNs: Nanoseconds): number {
  let row = start;
  while (row < end && timeNs[row] <= atNs) row++;
  return row;
}

class MergedEvents {
  private readonly site: Uint32Array;
  private readonly timeNs: Float64Array;
  private readonly cpu: Int32Array | null;
  private length = 0;
  private clockSteps = 0;
  private lastNs = Number.NEGATIVE_INFINITY;

  constructor({ site, timeNs }: EventRows, cpu: Int32Array | null) {
    this.site = site;
    this.timeNs = timeNs;
    this.cpu = cpu;
  }

  /** Appends rows of a lane. */
  add(lane: Lane, start: number, end: number): void {
    const { site, timeNs } = this;
    let { length, lastNs } = this;
    this.cpu?.fill(lane.cpu, length, length + end - start);
    for (let row = start; row < end; row++) {
      const atNs = lane.timeNs[row];
      if (atNs < lastNs) this.clockSteps++;
      else lastNs = atNs;
      site[length] = lane.site[row];
      timeNs[length++] = lastNs;
    }
    this.length = length;
    this.lastNs = lastNs;
  }

  build(): MergedLanes {
    const { length, site, timeNs, cpu, clockSteps } = this;
    return { length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length), cpu, clockSteps };
  }
}

/** Returns the row of the last event at or before a time, or NONE. */
export function lastRowAt(timeNs: Float64Array, atNs: Nanoseconds): number {
  return countAtOrBelow(timeNs, atNs) - 1; // −1 is NONE
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
  readonly lane: Lane;
  row = 0;
  private readonly edge: Uint8Array;
  private knownStayEnd = 0;

  constructor(lane: Lane, sites: SiteEdges) {
    this.lane = lane;
    this.edge = sites.edge;
  }

  get isDone(): boolean {
    return this.row === this.lane.length;
  }

  get timeNs(): Nanoseconds {
    return this.lane.timeNs[this.row];
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
    const { site, length } = this.lane;
    let row = this.row;
    if (edge[site[row]] === TraceEdge.End) return row + 1;
    while (++row < length) {
      const at = edge[site[row]];
      if (at === TraceEdge.End) return row + 1;
      if (at === TraceEdge.Begin) return row;
    }
    return length;
  }

  /** True if the stay ends with a trace end. */
  get hasTraceEnd(): boolean {
    return this.edgeAt(this.stayEnd - 1) === TraceEdge.End;
  }

  stayEndNs(): Nanoseconds {
    return this.lane.timeNs[this.stayEnd - 1];
  }

  private edgeAt(row: number): number {
    return this.edge[this.lane.site[row]];
  }
}
