/**
 * Finds wakings by thread and time.
 */

import { countAtOrBelow, countBelow, valuesOf } from '../../model/columns.js';
import type { Timeline, Wakings } from '../../model/profile/timeline.js';
import type { WaitThread } from '../../model/profile/waits-by-path.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';

/** A wait that a thread ended. Times as in `WakingRows`. */
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
export interface OwnWakings {
  readonly rows: Int32Array;
  /** When the waiter ran again, or when the waker woke it. */
  readonly ns: Float64Array;
}

export class WakingIndex {
  readonly wakings: Wakings;
  private readonly durationNs: Nanoseconds;
  private readonly placeOf: ReadonlyMap<Tid, number>;
  private readonly own: Readonly<Record<Role, readonly OwnWakings[]>>;

  constructor(wakings: Wakings, { durationNs }: Pick<Timeline, 'durationNs'>) {
    const { threads, rows } = wakings;
    this.wakings = wakings;
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
