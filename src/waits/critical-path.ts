/**
 * Finds what an interval of a thread consisted of. Where the thread ran, it is its own doing. Where it was blocked, it
 * is what its waker did until it woke it, back to the moment at which the wait began; and so on. The pieces follow each
 * other without gap or overlap, so they add up to the interval.
 */

import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { WakerKind } from './find-wakers.js';
import { OffState, rowEndingFrom, threadOf } from './schedule.js';
import type { Waits } from './waits.js';

/** A thread that is followed back in time, down to a bound. */
interface Follower {
  readonly thread: number; // place in `Waits.tids`
  readonly sinceNs: Nanoseconds;
  /** Followers that it waits for, directly or not, count from the thread of the interval. */
  readonly depth: number;
}

export function criticalPathOf(waits: Waits, tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): CriticalPath {
  const path = new PathBuilder(toNs);
  const thread = threadOf(waits, tid);
  if (thread === NONE) path.add(fromNs, PieceKind.Unknown, tid, NONE, 0);
  else followAll(waits, path, { thread, sinceNs: fromNs, depth: 0 });
  return path.build();
}

/** Follows back from the path's end. The last follower is the one whose doing it is; those before wait for it. */
function followAll(waits: Waits, path: PathBuilder, first: Follower): void {
  const followers = [first];
  for (let follower = followers.at(-1); follower; follower = followers.at(-1)) {
    if (path.nowNs <= follower.sinceNs) followers.pop();
    else {
      const next = step(waits, path, follower);
      if (next) followers.push(next);
    }
  }
}

/** Adds the piece before those that are there. Returns whom to follow next; null: the same thread. */
function step(waits: Waits, path: PathBuilder, follower: Follower): Follower | null {
  const { thread, sinceNs, depth } = follower;
  const tid = waits.tids[thread];
  const { nowNs } = path;
  if (nowNs > waits.endNs[thread]) {
    path.add(Math.max(sinceNs, waits.endNs[thread]), PieceKind.Unknown, tid, NONE, depth);
    return null;
  }
  if (nowNs <= waits.startNs[thread]) {
    path.add(sinceNs, PieceKind.Unknown, tid, NONE, depth);
    return null;
  }
  const wait = rowEndingFrom(waits, thread, nowNs);
  if (wait < waits.starts[thread + 1] && waits.outNs[wait] < nowNs) return stepOverWait(waits, path, follower, wait);
  const ranSinceNs = wait > waits.starts[thread] ? waits.inNs[wait - 1] : waits.startNs[thread];
  path.add(Math.max(sinceNs, ranSinceNs), PieceKind.Running, tid, NONE, depth);
  return null;
}

/** The path begins within a wait, or where it ends. */
function stepOverWait(waits: Waits, path: PathBuilder, follower: Follower, wait: number): Follower | null {
  const { thread, depth } = follower;
  const tid = waits.tids[thread];
  const sinceNs = Math.max(follower.sinceNs, waits.outNs[wait]);
  if (waits.state[wait] !== OffState.Blocked) {
    const kind = waits.state[wait] === OffState.Preempted ? PieceKind.Preempted : PieceKind.Unknown;
    path.add(sinceNs, kind, tid, wait, depth);
    return null;
  }
  const wakeNs = Math.max(waits.wakeNs[wait], sinceNs);
  if (wakeNs < path.nowNs) path.add(wakeNs, PieceKind.WakeUp, tid, wait, depth);
  if (path.nowNs <= sinceNs) return null;
  return followWaker(waits, path, { thread, sinceNs, depth }, wait);
}

function followWaker(waits: Waits, path: PathBuilder, follower: Follower, wait: number): Follower | null {
  const { thread, sinceNs, depth } = follower;
  const kind = waits.wakerKind[wait];
  const waker = kind === WakerKind.Thread ? threadOf(waits, waits.waker[wait]) : NONE;
  if (waker !== NONE && path.mayFollow()) return { thread: waker, sinceNs, depth: depth + 1 };
  path.add(sinceNs, PIECE_BY_WAKER[kind], waits.tids[thread], wait, depth);
  return null;
}

/**
 * - `Running`, `Preempted`, `WakeUp`: of the piece's thread. `WakeUp` is the time from the waking to running.
 * - `Interrupt`: it waited for a timer or a device.
 * - `NotTraced`: it waited for a thread of which nothing else is known.
 * - `MaybeThread`: it waited for that thread, or for an interrupt that came while it ran.
 * - `NotSeen`: it was blocked, and its waking was not recorded.
 * - `Unknown`: what it did is not known.
 */
export const PieceKind = {
  Running: 0,
  Preempted: 1,
  WakeUp: 2,
  Interrupt: 3,
  NotTraced: 4,
  MaybeThread: 5,
  NotSeen: 6,
  Unknown: 7,
} as const;
export type PieceKind = (typeof PieceKind)[keyof typeof PieceKind];

const PIECE_BY_WAKER = {
  [WakerKind.NotSeen]: PieceKind.NotSeen,
  [WakerKind.Thread]: PieceKind.NotTraced,
  [WakerKind.MaybeThread]: PieceKind.MaybeThread,
  [WakerKind.Interrupt]: PieceKind.Interrupt,
} as Record<number, PieceKind>;

/** Pieces by time; each begins where the one before ends. */
export interface CriticalPath {
  readonly length: number;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly kind: Uint8Array; // PieceKind
  readonly tid: Int32Array; // whose doing, or whose wait it is
  readonly wait: Int32Array; // row of Waits; NONE: it ran
  /** How many waits led from the interval's thread to this one. */
  readonly depth: Int32Array;
}

/** Collects pieces from the end to the beginning. */
class PathBuilder {
  /** Where the pieces begin so far. */
  nowNs: Nanoseconds;
  private followedNs = Number.NaN;
  private followedHere = 0;

  private readonly fromNs = float64Column();
  private readonly toNs = float64Column();
  private readonly kind = uint8Column();
  private readonly tid = int32Column();
  private readonly wait = int32Column();
  private readonly depth = int32Column();

  constructor(toNs: Nanoseconds) {
    this.nowNs = toNs;
  }

  /** Adds the piece before all others. */
  add(fromNs: Nanoseconds, kind: PieceKind, tid: Tid, wait: number, depth: number): void {
    if (fromNs >= this.nowNs) return;
    this.fromNs.push(fromNs);
    this.toNs.push(this.nowNs);
    this.kind.push(kind);
    this.tid.push(tid);
    this.wait.push(wait);
    this.depth.push(depth);
    this.nowNs = fromNs;
  }

  /**
   * Whether a waker may be followed from here. Clocks that differ could show threads that wake each other at the same
   * moment; that would never end.
   */
  mayFollow(): boolean {
    this.followedHere = this.followedNs === this.nowNs ? this.followedHere + 1 : 1;
    this.followedNs = this.nowNs;
    return this.followedHere <= MAX_FOLLOWED_AT_ONCE;
  }

  build(): CriticalPath {
    const { fromNs, toNs, kind, tid, wait, depth } = this;
    return {
      length: fromNs.length,
      fromNs: fromNs.view().slice().reverse(),
      toNs: toNs.view().slice().reverse(),
      kind: kind.view().slice().reverse(),
      tid: tid.view().slice().reverse(),
      wait: wait.view().slice().reverse(),
      depth: depth.view().slice().reverse(),
    };
  }
}

const MAX_FOLLOWED_AT_ONCE = 2;
