/**
 * Places in the lanes of a thread, and which of them is heard next.
 */
import { TraceEdge } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Lane, SiteEdges } from './lane-rows.js';

/**
 * Equal times: what goes on goes before what begins; of two stays that begin the one that is over first, for behind one
 * that is not over no other can begin. Of equals the processor that the thread is on is heard first, then the lower one.
 */
export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.timeNs !== b.timeNs) return a.timeNs - b.timeNs;
  if (a.isBegin !== b.isBegin) return b.isBegin ? -1 : 1;
  if (!a.isBegin) return 0;
  return a.stayEndNs() - b.stayEndNs() || Number(b.isStayOver) - Number(a.isStayOver);
}

/** Lanes that wait to be heard, in a heap: there may be thousands. */
export class CursorHeap {
  private readonly cursors: Cursor[] = [];

  get first(): Cursor | null {
    return this.cursors[0] ?? null;
  }

  push(cursor: Cursor): void {
    const { cursors } = this;
    let place = cursors.push(cursor) - 1;
    for (let above = parentOf(place); place > 0 && isBefore(cursor, cursors[above]); above = parentOf(place)) {
      cursors[place] = cursors[above];
      place = above;
    }
    cursors[place] = cursor;
  }

  pop(): Cursor | null {
    const { cursors } = this;
    const first = this.first;
    const last = cursors.pop();
    if (last === undefined || cursors.length === 0) return first;
    let place = 0;
    for (let below = this.lesserBelow(place); below !== NONE; below = this.lesserBelow(place)) {
      if (!isBefore(cursors[below], last)) break;
      cursors[place] = cursors[below];
      place = below;
    }
    cursors[place] = last;
    return first;
  }

  private lesserBelow(place: number): number {
    const left = 2 * place + 1;
    if (left >= this.cursors.length) return NONE;
    const right = this.cursors[left + 1];
    return right !== undefined && isBefore(right, this.cursors[left]) ? left + 1 : left;
  }
}

function parentOf(place: number): number {
  return (place - 1) >> 1;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return (compareCursors(a, b) || a.lane.cpu - b.lane.cpu) < 0;
}

/** A place in a lane, and the end of the stay that it is in. */
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

  /** The row behind the stay: it ends with a trace end, or before the next trace start. */
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
