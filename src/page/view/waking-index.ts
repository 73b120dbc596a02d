/**
 * Chooses the wakings of a thread that its stack chart shows as labelled arrows: so few that each can be read.
 */

import { countAtOrBelow, countBelow, valuesOf } from '../../model/columns.js';
import type { Timeline, Wakings } from '../../model/profile/timeline.js';
import type { WaitThread } from '../../model/profile/waits-by-path.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';

export interface ChartArrow {
  readonly waking: Waking;
  /** Where the waking is. */
  readonly xPx: number;
  /** Its label has the space from here. */
  readonly labelPx: number;
  readonly roomPx: number;
  /** Wakings of shorter waits, in whose place it is. */
  readonly others: number;
}

/** Of each part this wide, the longest wait. Parts begin at fixed times, so that arrows stay when the view moves. */
const PART_PX = 120;
/** Labels that are narrower cannot be hit. */
const MIN_ROOM_PX = 28;
/** What most labels need. */
export const WHOLE_PX = 160;

export interface ArrowWindow extends Bounds {
  readonly widthPx: number;
}

/** Returns the arrows by place. */
export function chartArrows(index: WakingIndex, tid: Tid, role: Role, window: ArrowWindow): ChartArrow[] {
  const pixelNs = (window.endNs - window.startNs) / window.widthPx;
  const { wakeNs } = index.wakings.rows;
  const isInWindow = (row: number) => wakeNs[row] >= window.startNs && wakeNs[row] <= window.endNs;
  const rows = index.within(tid, role, window).filter(isInWindow);
  return placed(spaced(longestByPart(index, rows, pixelNs * PART_PX), pixelNs), window, index);
}

interface Part {
  readonly row: number;
  readonly ns: Nanoseconds;
  readonly wakeNs: Nanoseconds;
  readonly others: number;
}

function longestByPart(index: WakingIndex, rows: Int32Array, partNs: Nanoseconds): Part[] {
  const parts = new Map<number, Part>();
  for (const row of rows) {
    const part = { row, ns: index.nsOf(row), wakeNs: index.wakings.rows.wakeNs[row], others: 0 };
    const key = Math.floor(part.wakeNs / partNs);
    const other = parts.get(key);
    parts.set(key, other === undefined ? part : longerOf(part, other));
  }
  return [...parts.values()].sort((a, b) => a.wakeNs - b.wakeNs || a.row - b.row);
}

function longerOf(a: Part, b: Part): Part {
  const longer = a.ns > b.ns || (a.ns === b.ns && a.row < b.row) ? a : b;
  return { ...longer, others: a.others + b.others + 1 };
}

/** Leaves out those too close to a longer one. */
function spaced(parts: readonly Part[], pixelNs: Nanoseconds): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    const before = kept.at(-1);
    if (before === undefined || part.wakeNs - before.wakeNs >= MIN_ROOM_PX * pixelNs) kept.push(part);
    else kept[kept.length - 1] = longerOf(before, part);
  }
  return kept;
}

function placed(parts: readonly Part[], { startNs, endNs, widthPx }: ArrowWindow, index: WakingIndex): ChartArrow[] {
  const xs = parts.map(({ wakeNs }) => ((wakeNs - startNs) * widthPx) / (endNs - startNs));
  // at the right edge, a label begins before its arrow
  const labels = xs.map((xPx, at) => {
    const leastPx = (xs[at - 1] ?? -MIN_ROOM_PX) + MIN_ROOM_PX;
    return Math.min(widthPx - MIN_ROOM_PX, Math.max(leastPx, Math.min(xPx, widthPx - WHOLE_PX)));
  });
  return parts.map(({ row, others }, at) => {
    const labelPx = labels[at] as number;
    const roomPx = (labels[at + 1] ?? widthPx) - labelPx;
    return { waking: index.at(row), xPx: xs[at] as number, labelPx, roomPx, others };
  });
}

/** Chooses the wakings that are arrows between strips: all of a range, if they are few enough to be told apart. */
export interface StripArrows {
  /** Empty: none, or too many. */
  readonly arrows: readonly Waking[];
  /** Wakings in the range between threads that have a strip. */
  readonly count: number;
  /** More are not drawn. */
  readonly most: number;
}

const MAX_ARROWS = 60;
const PX_PER_ARROW = 8;

/** `widthPx`: of the range. */
export function stripArrows(
  index: WakingIndex,
  hasStrip: ReadonlySet<Tid>,
  { startNs, endNs }: Bounds,
  widthPx: number,
): StripArrows {
  const { threads, rows } = index.wakings;
  const isShown = threads.map(({ tid }) => hasStrip.has(tid));
  const most = Math.min(MAX_ARROWS, Math.ceil(widthPx / PX_PER_ARROW));
  const found: number[] = [];
  let count = 0;
  for (const [row, wakeNs] of rows.wakeNs.entries()) {
    if (wakeNs < startNs || wakeNs > endNs || !isShown[rows.waiter[row]] || !isShown[rows.waker[row]]) continue;
    if (count++ < most) found.push(row);
  }
  return { arrows: count > most ? [] : found.map((row) => index.at(row)), count, most };
}

/**
 * Finds wakings by thread and time.
 *
 * A wait that a thread ended. Times as in `WakingRows`.
 */
export interface Waking {
  readonly waiter: WaitThread;
  readonly waker: WaitThread;
  readonly startNs: Nanoseconds;
  readonly wakeNs: Nanoseconds;
  readonly runNs: Nanoseconds;
  readonly isMaybe: boolean;
}

/** What a thread is in a waking: the one that was woken, or the one that woke it. */
export type Role = 'waiter' | 'waker';

/** Wakings of a thread in one role, by `ns`. */
interface OwnWakings {
  readonly rows: Int32Array;
  /** When the waiter ran again, or when the waker woke it. */
  readonly ns: Float64Array;
}

export class WakingIndex {
  private readonly durationNs: Nanoseconds;
  private readonly placeOf: ReadonlyMap<Tid, number>;
  private readonly own: Readonly<Record<Role, readonly OwnWakings[]>>;

  constructor(
    readonly wakings: Wakings,
    { durationNs }: Pick<Timeline, 'durationNs'>,
  ) {
    const { threads, rows } = wakings;
    this.durationNs = durationNs;
    this.placeOf = new Map(threads.map(({ tid }, place) => [tid, place]));
    this.own = {
      waiter: grouped(rows.waiter, rows.runNs, threads.length),
      waker: grouped(rows.waker, rows.wakeNs, threads.length),
    };
  }

  at(row: number): Waking {
    const { threads, rows } = this.wakings;
    return {
      waiter: threads[rows.waiter[row]] as WaitThread,
      waker: threads[rows.waker[row]] as WaitThread,
      startNs: rows.startNs[row],
      wakeNs: rows.wakeNs[row],
      runNs: rows.runNs[row],
      isMaybe: rows.isMaybe[row] === 1,
    };
  }

  /** How long its waiter waited. */
  nsOf(row: number): Nanoseconds {
    return this.wakings.rows.runNs[row] - this.wakings.rows.startNs[row];
  }

  has(tid: Tid, role: Role): boolean {
    return this.ownOf(tid, role).rows.length > 0;
  }

  /** Returns the rows of a thread in a window: its waits that overlap it, or what it woke in it. */
  within(tid: Tid, role: Role, { startNs, endNs }: Bounds): Int32Array {
    const { rows, ns } = this.ownOf(tid, role);
    if (role === 'waker') return rows.subarray(countBelow(ns, startNs), countAtOrBelow(ns, endNs));
    // waits of a thread do not overlap, so at most one that is in the window ends after it
    const end = countAtOrBelow(ns, endNs);
    const isCut = end < rows.length && this.wakings.rows.startNs[rows[end]] < endNs;
    return rows.subarray(countAtOrBelow(ns, startNs), end + Number(isCut));
  }

  /** Returns the waking of the longest wait in a window; null: none. */
  longestWithin(tid: Tid, role: Role, window: Bounds): Waking | null {
    const rows = this.within(tid, role, window);
    if (rows.length === 0) return null;
    return this.at(rows.reduce((most, row) => (this.nsOf(row) > this.nsOf(most) ? row : most)));
  }

  /** Returns how many wakings may be left out in a window, of all threads. */
  leftOutWithin({ startNs, endNs }: Bounds): number {
    const { leftOut } = this.wakings;
    const sliceNs = this.durationNs / leftOut.length;
    return leftOut
      .slice(Math.max(0, Math.floor(startNs / sliceNs)), Math.ceil(endNs / sliceNs))
      .reduce((sum, count) => sum + count, 0);
  }

  private ownOf(tid: Tid, role: Role): OwnWakings {
    const place = this.placeOf.get(tid);
    return place === undefined ? NONE_OWN : (this.own[role][place] as OwnWakings);
  }
}

const NONE_OWN: OwnWakings = { rows: new Int32Array(0), ns: new Float64Array(0) };

function grouped(thread: Int32Array, ns: Float64Array, threads: number): OwnWakings[] {
  const rows = Array.from({ length: threads }, (): number[] => []);
  for (const [row, place] of thread.entries()) rows[place]?.push(row);
  return rows.map((own) => {
    const sorted = Int32Array.from(own).sort((a, b) => ns[a] - ns[b] || a - b);
    return { rows: sorted, ns: valuesOf(ns, sorted) };
  });
}
