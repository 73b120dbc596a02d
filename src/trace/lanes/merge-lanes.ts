/**
 * Merges the lanes of a thread into one sequence of events.
 *
 * A thread runs on one CPU at a time, but the clocks of two CPUs differ by some microseconds, so merging by time alone
 * would interleave two stays. A stay that ends soon after another seems to begin is therefore delivered as a whole;
 * only longer overlaps are merged event by event.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';
import { Cursor, CursorHeap, compareCursors } from './lane-cursors.js';
import type { EventRows, Lane, SiteEdges } from './lane-rows.js';

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
