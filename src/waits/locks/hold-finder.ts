/**
 * Finds the holds of one lock that futex calls show, as they show them: they may overlap.
 */
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { FutexKind, TIMED_OUT } from '../futexes/futex-ops.js';
import { rowsOf } from '../input/group-rows.js';
import { OffState } from '../schedule/off-state.js';
import { rowEndingFrom, threadOf } from '../schedule/schedule.js';
import type { Waits } from '../waits.js';
import { WakerKind } from '../wakers/find-wakers.js';
import type { UnseenReleases } from './unseen-releases.js';

/**
 * By futex call: when the thread found the lock taken and slept, and until when; NaN: it did not sleep, or that is not
 * known. It marks the lock just before it calls, as a holder frees the lock just before its call.
 */
export interface Sleeps {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

export function sleepsOf({ calls, length, waitCall, inNs, isOpen }: Waits): Sleeps {
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

export interface Hold {
  readonly tid: Tid;
  fromNs: Nanoseconds; // NaN: not known yet
  toNs: Nanoseconds;
  isFromKnown: boolean;
  /** The thread waited for the lock itself until then, so it did not have it. */
  readonly notBeforeNs: Nanoseconds;
}

/** Finds a hold for each release, and for each thread that has the lock at the end; by time. */
export class HoldFinder {
  private readonly waits: Waits;
  private readonly slept: Sleeps;
  private readonly isPassedOn: boolean;
  private readonly gotNs = new Map<Tid, Nanoseconds>();
  private readonly waitedUntilNs = new Map<Tid, Nanoseconds>();
  private readonly holds: Hold[] = [];

  constructor(waits: Waits, slept: Sleeps, isPassedOn: boolean) {
    this.waits = waits;
    this.slept = slept;
    this.isPassedOn = isPassedOn;
  }

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
