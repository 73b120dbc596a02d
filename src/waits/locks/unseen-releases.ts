/**
 * Finds releases of locks whose futex calls are not among the samples, though no loss was noted: by the threads that they
 * woke.
 *
 * While a thread waits for a lock, each release wakes a thread: this one, or one that waited before. So a waiter that was
 * woken without such a call shows a release. A thread that was woken out of a wait of which nothing is known may have
 * waited for any lock: if calls are missing, a release may have happened then.
 */
import { countAtOrBelow, countBelow } from '../../model/columns.js';
import type { LostSpan } from '../../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { WakerKind } from '../find-wakers.js';
import { type FutexCalls, FutexKind, lastCall } from '../futex-calls.js';
import { type Groups, groupRows, rowsOf } from '../input/group-rows.js';
import { OffState } from '../schedule.js';
import type { Waits } from '../waits.js';
import type { LockWords } from './lock-words.js';

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
  private readonly wakeCall: Int32Array;
  private readonly releases: Release[] = [];
  private readonly possible: LostSpan[] = [];

  constructor(
    private readonly waits: Waits,
    private readonly locks: LockWords,
  ) {
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

/** A call wakes a thread a few microseconds after it began; what comes later may be of another call, if some are missing. */
const MAX_NS_TO_WAKE = 10_000;

/**
 * Finds the futex call that ended each wait.
 *
 * By wait: row of FutexCalls; NONE: it did not end by a call of a known waker, or the call is not among the samples.
 */
function wakeCallsOf(waits: Waits): Int32Array {
  const { calls, state, wakerKind, wakeNs } = waits;
  const wakeCall = new Int32Array(waits.length).fill(NONE);
  const firstNs = new Float64Array(calls.length).fill(Number.POSITIVE_INFINITY);
  for (let wait = 0; wait < waits.length; wait++) {
    if (state[wait] !== OffState.Blocked || wakerKind[wait] !== WakerKind.Thread) continue;
    const call = callAt(waits, wait);
    wakeCall[wait] = call;
    if (call !== NONE) firstNs[call] = Math.min(firstNs[call], wakeNs[wait]);
  }
  return wakeCall.map((call, wait) =>
    call !== NONE && wakesOne(calls, call) && wakeNs[wait] > firstNs[call] ? NONE : call,
  );
}

/** Returns the call of the waker that began before the waking, and had not ended. */
function callAt({ calls, waker, wakeNs, waitCall }: Waits, wait: number): number {
  const call = lastCall(calls, waker[wait], wakeNs[wait]);
  if (call === NONE || !isRelease(calls, call) || !lasts(calls, call, wakeNs[wait])) return NONE;
  const isForWord = waitCall[wait] === NONE || calls.address[call] === calls.address[waitCall[wait]];
  return isForWord || calls.kind[call] === FutexKind.Requeue ? call : NONE;
}

function lasts({ exitNs, enterNs, isIncomplete }: FutexCalls, call: number, atNs: Nanoseconds): boolean {
  return !(exitNs[call] < atNs) && (!isIncomplete || atNs - enterNs[call] <= MAX_NS_TO_WAKE);
}

function wakesOne({ kind, value }: FutexCalls, call: number): boolean {
  return kind[call] === FutexKind.Wake && value[call] <= 1;
}

/** Whether a call wakes threads that wait for its word. */
function isRelease({ kind }: FutexCalls, call: number): boolean {
  return kind[call] === FutexKind.Wake || kind[call] === FutexKind.UnlockPi || kind[call] === FutexKind.Requeue;
}
