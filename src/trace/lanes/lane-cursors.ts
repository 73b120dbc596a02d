/**
 * Positions in the lanes of a thread, and the order in which they are merged.
 *
 * A stay is a period of tracing on one CPU: from a trace start to the next trace end, or up to the next trace start.
 */
import { TraceEdge } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Lane, SiteEdges } from './lane-rows.js';

/**
 * Orders positions by time. At equal times an event inside a stay precedes one that begins a stay. Of two stays that
 * begin, the one that ends first comes first, because no other stay can begin before one has ended. Ties go to the CPU
 * that the thread is on, then to the lower one.
 */
export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.timeNs !== b.timeNs) return a.timeNs - b.timeNs;
  if (a.isBegin !== b.isBegin) return b.isBegin ? -1 : 1;
  if (!a.isBegin) return 0;
  return a.stayEndNs() - b.stayEndNs() || Number(b.hasTraceEnd) - Number(a.hasTraceEnd);
}

/** A heap of the waiting lanes: there may be thousands. */
export class CursorHeap {
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
export class Cursor {
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
