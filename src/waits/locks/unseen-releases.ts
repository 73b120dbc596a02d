/**
 * Finds releases of locks whose futex calls are not among the samples, though no loss was noted: by the threads that they
 * woke.
 *
 * While a thread waits for a lock, each release wakes a thread: this one, or one that waited before. So a waiter that was
 * woken without such a call shows a release. A thread that was woken out of a wait of which nothing is known may have
 * waited for any lock: if calls are missing, a release may have happened then.
 */
import { countAtOrBelow, countBelow } from '../../model/columns.js';
import type { LostSpan } from '../../model/samples/sample-account.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { lastCall } from '../futexes/futex-calls.js';
import { type Groups, groupRows, rowsOf } from '../input/group-rows.js';
import { OffState } from '../schedule/off-state.js';
import type { Waits } from '../waits.js';
import { WakerKind } from '../wakers/find-wakers.js';
import type { LockWords } from './lock-words.js';
import { isRelease, wakeCallsOf } from './wake-calls.js';

export interface UnseenReleases {
  readonly tid: Int32Array;
  readonly timeNs: Float64Array;
  /** In the order of time. */
  readonly byLock: Groups;
  /** When others may have happened. */
  readonly possible: readonly LostSpan[];
}

export function unseenReleasesOf(waits: Waits, locks: LockWords): UnseenReleases {
  const finder = new ReleaseFinder(waits, locks);
  for (let wait = 0; wait < waits.length; wait++)
    if (waits.state[wait] === OffState.Blocked && !waits.isOpen[wait]) finder.addWait(wait);
  return finder.build();
}

interface Release {
  readonly lock: number;
  readonly tid: Tid;
  readonly timeNs: Nanoseconds;
}

class ReleaseFinder {
  private readonly waits: Waits;
  private readonly locks: LockWords;
  private readonly wakeCall: Int32Array;
  private readonly releases: Release[] = [];
  private readonly possible: LostSpan[] = [];

  constructor(waits: Waits, locks: LockWords) {
    this.waits = waits;
    this.locks = locks;
    this.wakeCall = wakeCallsOf(waits);
  }

  addWait(wait: number): void {
    const { wakerKind, waker, wakeNs, waitCall, calls } = this.waits;
    const lock = waitCall[wait] === NONE ? NONE : this.locks.lockOf[waitCall[wait]];
    const isForOther = waitCall[wait] !== NONE && lock === NONE;
    if (isForOther || wakerKind[wait] === WakerKind.Interrupt || this.wakeCall[wait] !== NONE) return;
    const isKnown = wakerKind[wait] === WakerKind.Thread;
    const isFailed = waitCall[wait] !== NONE && calls.result[waitCall[wait]] < 0; // a signal, or the time ran out
    if (isKnown && lock !== NONE) {
      if (!isFailed) this.releases.push({ lock, tid: waker[wait], timeNs: wakeNs[wait] });
    } else if (calls.isIncomplete && this.usesFutexes(wait) && (isKnown || !this.isExplained(wait, lock)))
      this.addPossible(wait);
  }

  build(): UnseenReleases {
    const releases = this.releases.sort((a, b) => a.timeNs - b.timeNs);
    return {
      tid: Int32Array.from(releases, ({ tid }) => tid),
      timeNs: Float64Array.from(releases, ({ timeNs }) => timeNs),
      byLock: groupRows(Int32Array.from(releases, ({ lock }) => lock)),
      possible: this.possible,
    };
  }

  private usesFutexes(wait: number): boolean {
    return rowsOf(this.waits.calls.byThread, this.waits.tid[wait]).length > 0;
  }

  /** Whether a wait whose waker is not known certainly ended without an unseen release. */
  private isExplained(wait: number, lock: number): boolean {
    const { calls, waitCall } = this.waits;
    if (lock === NONE) return !this.mayBeFutexWait(wait);
    const rows = rowsOf(this.locks.byLock, lock);
    const endNs = endOf(this.waits, wait);
    for (let at = countBelow(rows, waitCall[wait]); at < rows.length && calls.enterNs[rows[at]] <= endNs; at++)
      if (isRelease(calls, rows[at])) return true;
    return false;
  }

  /** Whether the thread waited in a futex call of which a sample is missing. */
  private mayBeFutexWait(wait: number): boolean {
    const { calls, tid, outNs, inNs } = this.waits;
    const before = lastCall(calls, tid[wait], outNs[wait]);
    if (before !== NONE && !(calls.exitNs[before] <= outNs[wait])) return true;
    const strayNs = calls.strayExitsNs.get(tid[wait]) ?? new Float64Array();
    const next = countAtOrBelow(strayNs, inNs[wait]);
    return next < strayNs.length && lastCall(calls, tid[wait], strayNs[next]) === before;
  }

  private addPossible(wait: number): void {
    const { outNs, wakeNs } = this.waits;
    const fromNs = Number.isNaN(wakeNs[wait]) ? outNs[wait] : wakeNs[wait];
    this.possible.push({ fromNs, toNs: endOf(this.waits, wait) });
  }
}

function endOf({ wakeNs, inNs }: Waits, wait: number): Nanoseconds {
  return Number.isNaN(wakeNs[wait]) ? inNs[wait] : wakeNs[wait];
}
