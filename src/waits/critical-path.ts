/**
 * Finds what an interval of a thread consisted of. Where the thread ran, it is its own doing. Where it was blocked, it
 * is what its waker did until it woke it, back to the moment at which the wait began; and so on. The pieces follow each
 * other without gap or overlap, so they add up to the interval.
 */
import type { Nanoseconds, Tid } from '../model/units.js';
import { NONE } from '../model/units.js';
import { WakerKind } from './find-wakers.js';
import { type CriticalPath, PathBuilder, PieceKind } from './path-builder.js';
import { OffState } from './schedule/off-state.js';
import { rowEndingFrom, threadOf } from './schedule/schedule.js';
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

const PIECE_BY_WAKER = {
  [WakerKind.NotSeen]: PieceKind.NotSeen,
  [WakerKind.Thread]: PieceKind.NotTraced,
  [WakerKind.MaybeThread]: PieceKind.MaybeThread,
  [WakerKind.Interrupt]: PieceKind.Interrupt,
} as Record<number, PieceKind>;
