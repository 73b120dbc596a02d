/**
 * Concludes from futex calls who held each lock, and when.
 *
 * A hold that a thread waited for ends with a call that wakes a waiter: the waiter left a mark in the word. It began
 * - when the thread came back from its own wait for the lock, if it waited, or
 * - unseen, if the thread found the lock free. It is then known from the first moment at which another thread slept.
 *
 * The call that wakes comes after the lock is free. If another thread has got the lock by then, the earlier hold ended
 * before that.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { WakerKind } from '../find-wakers.js';
import { FutexKind, TIMED_OUT } from '../futex-calls.js';
import { rowsOf } from '../input/group-rows.js';
import { OffState, rowEndingFrom, threadOf } from '../schedule.js';
import type { Waits } from '../waits.js';
import type { LockWords } from './lock-words.js';
import type { UnseenReleases } from './unseen-releases.js';

/** By lock, then by time: holds of one lock do not overlap. */
export interface Holds {
  readonly starts: Uint32Array; // by lock
  readonly length: number;
  readonly tid: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** 0: it began earlier, at a time that nothing shows. */
  readonly isFromKnown: Uint8Array;
}

export function holdsOf(waits: Waits, locks: LockWords, unseen: UnseenReleases): Holds {
  const slept = sleepsOf(waits);
  const starts = [0];
  const tid = int32Column();
  const fromNs = float64Column();
  const toNs = float64Column();
  const isFromKnown = uint8Column();
  for (let lock = 0; lock < locks.length; lock++) {
    const rows = rowsOf(locks.byLock, lock);
    const holds = new HoldFinder(waits, slept, locks.isPassedOn[lock] === 1).find(rows, unseen, lock);
    if (waits.calls.isIncomplete) doubtAroundReleases(holds);
    endBeforeNext(holds);
    for (const hold of beginKnown(holds, rows, slept)) {
      tid.push(hold.tid);
      fromNs.push(hold.fromNs);
      toNs.push(hold.toNs);
      isFromKnown.push(hold.isFromKnown ? 1 : 0);
    }
    starts.push(tid.length);
  }
  return {
    starts: Uint32Array.from(starts),
    length: tid.length,
    tid: tid.view(),
    fromNs: fromNs.view(),
    toNs: toNs.view(),
    isFromKnown: isFromKnown.view(),
  };
}

/** A thread calls a few microseconds after it gave the lock back, and by then another thread may have it. */
const MAX_NS_TO_CALL = 10_000;

/** A thread gave the lock back within the hold of another: that one lost the lock in between. `holds`: by time. */
function doubtAroundReleases(holds: readonly Hold[]): void {
  for (let at = 1; at < holds.length; at++) {
    const { tid, toNs } = holds[at - 1];
    if (toNs < holds[at].toNs && toNs > holds[at].fromNs + MAX_NS_TO_CALL && tid !== holds[at].tid)
      holds[at].isFromKnown = false;
  }
}

/** Ends holds before another thread had the lock for certain. `holds`: by time. */
function endBeforeNext(holds: readonly Hold[]): void {
  const certain = certainOf(holds);
  certain.forEach((hold, at) => {
    if (at + 1 < certain.length) hold.toNs = Math.min(hold.toNs, certain[at + 1].fromNs);
  });
  let next = 0;
  for (const hold of holds) {
    if (hold.isFromKnown) continue;
    while (next < certain.length && certain[next].fromNs < hold.toNs) next++;
    if (next > 0 && certain[next - 1].toNs > hold.toNs) hold.toNs = certain[next - 1].fromNs;
  }
}

/**
 * Returns the holds whose beginning is known, by beginning. A hold around another one is none of them: the thread came
 * back from its wait, but was preempted until the other thread had got the lock and given it back.
 */
function certainOf(holds: readonly Hold[]): Hold[] {
  const sorted = holds.filter(({ isFromKnown }) => isFromKnown).sort((a, b) => b.fromNs - a.fromNs);
  let earliestEndNs = Number.POSITIVE_INFINITY; // of the holds that begin later
  for (const hold of sorted) {
    if (hold.toNs > earliestEndNs) hold.isFromKnown = false;
    else earliestEndNs = hold.toNs;
  }
  return sorted.filter(({ isFromKnown }) => isFromKnown).reverse();
}

/**
 * A hold whose beginning is not known is known from when a thread slept because of it, but not before its own thread
 * waited for the lock. Returns all by time.
 */
function beginKnown(holds: readonly Hold[], rows: Uint32Array, { fromNs }: Sleeps): Hold[] {
  const sorted = [...holds].sort((a, b) => a.toNs - b.toNs);
  let endNs = Number.NEGATIVE_INFINITY; // of the hold before
  let at = 0;
  for (const hold of sorted) {
    while (at < rows.length && !(fromNs[rows[at]] > endNs)) at++;
    const sleptNs = at < rows.length ? fromNs[rows[at]] : Number.POSITIVE_INFINITY;
    if (!hold.isFromKnown) hold.fromNs = Math.min(Math.max(sleptNs, hold.notBeforeNs), hold.toNs);
    endNs = hold.toNs;
  }
  return sorted;
}

/**
 * Finds the holds of one lock that futex calls show, as they show them: they may overlap.
 *
 * By futex call: when the thread found the lock taken and slept, and until when; NaN: it did not sleep, or that is not
 * known. It marks the lock just before it calls, as a holder frees the lock just before its call.
 */
interface Sleeps {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

function sleepsOf({ calls, length, waitCall, inNs, isOpen }: Waits): Sleeps {
  const sleeps = { fromNs: new Float64Array(calls.length), toNs: new Float64Array(calls.length) };
  sleeps.fromNs.fill(Number.NaN);
  sleeps.toNs.fill(Number.NaN);
  for (let wait = 0; wait < length; wait++) {
    const call = waitCall[wait];
    if (call < 0) continue;
    sleeps.fromNs[call] = calls.enterNs[call];
    sleeps.toNs[call] = isOpen[wait] ? Number.NaN : inNs[wait];
  }
  return sleeps;
}

interface Hold {
  readonly tid: Tid;
  fromNs: Nanoseconds; // NaN: not known yet
  toNs: Nanoseconds;
  isFromKnown: boolean;
  /** The thread waited for the lock itself until then, so it did not have it. */
  readonly notBeforeNs: Nanoseconds;
}

/** Finds a hold for each release, and for each thread that has the lock at the end; by time. */
class HoldFinder {
  private readonly gotNs = new Map<Tid, Nanoseconds>();
  private readonly waitedUntilNs = new Map<Tid, Nanoseconds>();
  private readonly holds: Hold[] = [];

  constructor(
    private readonly waits: Waits,
    private readonly slept: Sleeps,
    private readonly isPassedOn: boolean,
  ) {}

  find(rows: Uint32Array, unseen: UnseenReleases, lock: number): Hold[] {
    const { calls } = this.waits;
    const others = rowsOf(unseen.byLock, lock);
    let next = 0;
    for (const call of rows) {
      for (; next < others.length && unseen.timeNs[others[next]] < calls.enterNs[call]; next++)
        this.addRelease(unseen.tid[others[next]], unseen.timeNs[others[next]]);
      this.addCall(call);
    }
    for (; next < others.length; next++) this.addRelease(unseen.tid[others[next]], unseen.timeNs[others[next]]);
    for (const [tid, fromNs] of this.gotNs)
      this.holds.push({ tid, fromNs, toNs: Number.POSITIVE_INFINITY, isFromKnown: true, notBeforeNs: fromNs });
    return this.holds;
  }

  private addCall(call: number): void {
    const { calls } = this.waits;
    const { tid, kind, enterNs, exitNs, result } = calls;
    if (kind[call] !== FutexKind.Wait && kind[call] !== FutexKind.LockPi)
      return this.addRelease(tid[call], enterNs[call]);
    const endNs = Number.isNaN(exitNs[call]) ? this.slept.toNs[call] : exitNs[call];
    this.waitedUntilNs.set(tid[call], Number.isNaN(endNs) ? enterNs[call] : endNs);
    // A thread may give back a lock that is passed on without a call, if no other thread waits.
    if (Number.isNaN(endNs) || result[call] === TIMED_OUT || this.isPassedOn) this.gotNs.delete(tid[call]);
    else this.gotNs.set(tid[call], endNs);
  }

  private addRelease(tid: Tid, toNs: Nanoseconds): void {
    const fromNs = this.gotNs.get(tid) ?? Number.NaN;
    const isFromKnown = !Number.isNaN(fromNs) && !this.mayHaveWaited(tid, fromNs, toNs);
    const notBeforeNs = this.waitedUntilNs.get(tid) ?? Number.NEGATIVE_INFINITY;
    this.holds.push({ tid, fromNs, toNs, isFromKnown, notBeforeNs });
    this.gotNs.delete(tid);
  }

  /** Whether a thread may have waited for the lock again, in a call that is not among the samples. */
  private mayHaveWaited(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): boolean {
    const { waits } = this;
    const thread = threadOf(waits, tid);
    if (!waits.calls.isIncomplete || thread === NONE) return false;
    for (let wait = rowEndingFrom(waits, thread, fromNs); wait < waits.starts[thread + 1]; wait++) {
      if (waits.outNs[wait] >= toNs) return false;
      const isUnknown = waits.state[wait] === OffState.Blocked && waits.waitCall[wait] === NONE;
      if (isUnknown && waits.outNs[wait] > fromNs && waits.wakerKind[wait] !== WakerKind.Interrupt) return true;
    }
    return false;
  }
}
