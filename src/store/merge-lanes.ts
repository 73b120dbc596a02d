/**
 * One thread's events from all processors it ran on, put into the order in which they happened.
 *
 * A lane is what one processor saw of the thread. A thread runs on one processor at a time, but the clocks of two
 * differ by some microseconds, so times alone would deal two stays like cards. A stay that ends soon after another
 * seems to begin is therefore delivered whole; only longer overlaps are merged event by event.
 */
import { TraceEdge } from '../model/branch-sites.js';
import { countAtOrBelow } from '../model/columns.js';
import type { Nanoseconds } from '../model/units.js';

/** Of branch sites: where the trace begins and ends. */
export interface SiteEdges {
  readonly edge: Uint8Array; // TraceEdge
}

export interface Lane {
  readonly cpu: number;
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

export interface MergedLanes {
  readonly length: number;
  readonly site: Uint32Array;
  readonly timeNs: Float64Array; // never decreases
  readonly cpu: Int32Array;
  /** Times that stepped back, and were set to the time before them. */
  readonly clockSteps: number;
}

/** Clocks of processors in one machine differ by less, by far. */
const LARGEST_SKEW_NS = 100_000;

/** `lanes`: one per processor; times within a lane may step back a little. */
export function mergeLanes(lanes: readonly Lane[], sites: SiteEdges): MergedLanes {
  const out = new MergedEvents(lanes.reduce((sum, { length }) => sum + length, 0));
  const cursors = lanes.map((lane) => new Cursor(lane, sites)).sort((a, b) => a.lane.cpu - b.lane.cpu);
  let current: Cursor | null = null;
  while (true) {
    const next = nextCursor(cursors, current);
    if (next === null) return out.build();
    current = next;
    deliver(current, earliestOther(cursors, current), out);
  }
}

/** Delivers events of one lane until its stay ends, or another lane has to be heard. */
function deliver(cursor: Cursor, other: Cursor | null, out: MergedEvents): void {
  const otherNs = other === null ? Number.POSITIVE_INFINITY : other.timeNs;
  const isWhole = cursor.stayEndNs() <= otherNs + LARGEST_SKEW_NS;
  const stayEnd = cursor.stayEnd;
  do {
    out.add(cursor);
    cursor.row++;
  } while (cursor.row < stayEnd && (isWhole || cursor.timeNs <= otherNs));
}

/**
 * Equal times: what goes on goes before what begins; of two stays that begin the one that is over first, for behind one
 * that is not over no other can begin; then the processor the thread is on, then the lower one.
 */
function nextCursor(cursors: readonly Cursor[], current: Cursor | null): Cursor | null {
  let best: Cursor | null = null;
  for (const cursor of cursors) {
    if (!cursor.isDone && (best === null || isBefore(cursor, best, current))) best = cursor;
  }
  return best;
}

function isBefore(a: Cursor, b: Cursor, current: Cursor | null): boolean {
  if (a.timeNs !== b.timeNs) return a.timeNs < b.timeNs;
  if (a.isBegin !== b.isBegin) return b.isBegin;
  if (a.isBegin && a.stayEndNs() !== b.stayEndNs()) return a.stayEndNs() < b.stayEndNs();
  if (a.isBegin && a.isStayOver !== b.isStayOver) return a.isStayOver;
  return a === current;
}

function earliestOther(cursors: readonly Cursor[], current: Cursor): Cursor | null {
  let best: Cursor | null = null;
  for (const cursor of cursors) {
    if (cursor !== current && !cursor.isDone && (best === null || cursor.timeNs < best.timeNs)) best = cursor;
  }
  return best;
}

/** A place in a lane, and the end of the stay that it is in. */
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

  /** The row behind the stay: it ends with a trace end, or before the next trace start. */
  get stayEnd(): number {
    if (this.knownStayEnd > this.row) return this.knownStayEnd;
    let row = this.row;
    while (row < this.lane.length && this.edgeAt(row) !== TraceEdge.End) {
      row++;
      if (row < this.lane.length && this.edgeAt(row) === TraceEdge.Begin) return (this.knownStayEnd = row);
    }
    return (this.knownStayEnd = Math.min(row + 1, this.lane.length));
  }

  /** The stay was seen to end. */
  get isStayOver(): boolean {
    return this.edgeAt(this.stayEnd - 1) === TraceEdge.End;
  }

  stayEndNs(): Nanoseconds {
    return this.lane.timeNs[this.stayEnd - 1];
  }

  private edgeAt(row: number): number {
    return this.edge[this.lane.site[row]];
  }
}

class MergedEvents {
  private readonly site: Uint32Array;
  private readonly timeNs: Float64Array;
  private readonly cpu: Int32Array;
  private length = 0;
  private clockSteps = 0;
  private lastNs = Number.NEGATIVE_INFINITY;

  constructor(length: number) {
    this.site = new Uint32Array(length);
    this.timeNs = new Float64Array(length);
    this.cpu = new Int32Array(length);
  }

  add({ lane, row, timeNs }: Cursor): void {
    if (timeNs < this.lastNs) this.clockSteps++;
    else this.lastNs = timeNs;
    this.site[this.length] = lane.site[row];
    this.timeNs[this.length] = this.lastNs;
    this.cpu[this.length++] = lane.cpu;
  }

  build(): MergedLanes {
    const { length, site, timeNs, cpu, clockSteps } = this;
    return { length, site, timeNs, cpu, clockSteps };
  }
}

/** The row of the last event at or before a time, or NONE. */
export function lastRowAt(timeNs: Float64Array, atNs: Nanoseconds): number {
  return countAtOrBelow(timeNs, atNs) - 1; // NONE is −1
}
