/**
 * For which thread each wait for a lock was: the holder when it began.
 */
import { countAtOrBelow } from '../../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { callBefore } from '../futex-calls.js';
import { groupOf } from '../input/group-rows.js';
import { isLostWithin, type LostSpans } from '../input/lost.js';
import { OffState } from '../schedule/off-state.js';
import type { Waits } from '../waits.js';
import type { Holds } from './holds.js';
import type { LockWords } from './lock-words.js';
import { type OwnerProbes, ownerWithin } from './owner-probes.js';

/** `Probe`: the lock itself said so. `Futex`: concluded from the calls that wake waiters. */
export const HolderSource = { None: 0, Futex: 1, Probe: 2 } as const;
export type HolderSource = (typeof HolderSource)[keyof typeof HolderSource];

/** By wait. */
export interface Holders {
  readonly lock: Int32Array; // row of LockWords; NONE: not a wait for a lock
  readonly holder: Int32Array; // tid when the wait began; NONE: not known
  readonly holderSource: Uint8Array; // HolderSource
}

/** `lost`: when releases may be missing. */
export function holdersOf(waits: Waits, locks: LockWords, holds: Holds, lost: LostSpans, probes: OwnerProbes): Holders {
  const lock = waits.waitCall.map((call) => (call === NONE ? NONE : locks.lockOf[call]));
  const holder = new Int32Array(waits.length).fill(NONE);
  const holderSource = new Uint8Array(waits.length);
  for (let wait = 0; wait < waits.length; wait++) {
    if (lock[wait] === NONE) continue;
    const owner = ownerAt(waits, locks, probes, wait);
    holder[wait] =
      owner === NONE
        ? holderAt(holds, lock[wait], waits.calls.enterNs[waits.waitCall[wait]], waits.tid[wait], lost)
        : owner;
    if (holder[wait] !== NONE) holderSource[wait] = owner === NONE ? HolderSource.Futex : HolderSource.Probe;
  }
  return { lock, holder, holderSource };
}

/** The probe is passed once in a call of a lock function, before its first wait. */
function ownerAt(waits: Waits, locks: LockWords, probes: OwnerProbes, wait: number): Tid {
  const { calls, tid, waitCall } = waits;
  const call = waitCall[wait];
  const before = callBefore(calls, call);
  const calledNs = before === NONE ? Number.NEGATIVE_INFINITY : calls.enterNs[before];
  const address = locks.address[locks.lockOf[call]];
  return ownerWithin(probes, tid[wait], address, Math.max(calledNs, sleptNs(waits, wait)), calls.enterNs[call]);
}

/** Returns when the thread slept before a wait: if a call is missing, that was for the lock, too. */
function sleptNs({ starts, tids, tid, state, outNs }: Waits, wait: number): Nanoseconds {
  const first = starts[groupOf(tids, tid[wait])];
  let before = wait - 1;
  while (before >= first && state[before] === OffState.Preempted) before--;
  return before < first ? Number.NEGATIVE_INFINITY : outNs[before];
}

function holderAt(holds: Holds, lock: number, atNs: Nanoseconds, waiter: Tid, lost: LostSpans): Tid {
  const hold = firstEndingAfter(holds, lock, atNs);
  if (hold === NONE || holds.fromNs[hold] > atNs || holds.tid[hold] === waiter) return NONE;
  return isLostWithin(lost, atNs, holds.toNs[hold]) ? NONE : holds.tid[hold];
}

/** Returns the first hold of a lock that ends after a time; NONE. */
export function firstEndingAfter({ starts, toNs }: Holds, lock: number, timeNs: Nanoseconds): number {
  const hold = countAtOrBelow(toNs, timeNs, starts[lock], starts[lock + 1]);
  return hold < starts[lock + 1] ? hold : NONE;
}
