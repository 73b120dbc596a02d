/**
 * Which waits were for locks, who held them, and when: everything about locks that futex calls and probes show.
 */

import { countAtOrBelow } from '../../model/columns.js';
import type { SampleTable } from '../../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { callBefore } from '../futex-calls.js';
import { type Groups, groupOf, groupRows, lastRowAt, rowsOf } from '../input/group-rows.js';
import { isLostWithin, type LostSpans, withSpans } from '../input/lost.js';
import { sampleRows } from '../input/sample-rows.js';
import { OffState } from '../schedule.js';
import type { Waits } from '../waits.js';
import { type Holds, holdsOf } from './holds.js';
import { type LockWords, lockWordsOf } from './lock-words.js';
import { unseenReleasesOf } from './unseen-releases.js';

export interface LockWaits extends Holders {
  readonly locks: LockWords;
  readonly holds: Holds;
  /** When releases may be missing. */
  readonly lost: LostSpans;
}

/** `ownerEvent`: the probe that reads owners of locks; null: none, even if there is one. */
export function lockWaitsOf(
  waits: Waits,
  samples: readonly SampleTable[],
  ownerEvent: string | null = ownerEventOf(samples),
): LockWaits {
  const locks = lockWordsOf(waits.calls);
  const unseen = unseenReleasesOf(waits, locks);
  const holds = holdsOf(waits, locks, unseen);
  const lost = withSpans(waits.lost, unseen.possible);
  return { locks, holds, lost, ...holdersOf(waits, locks, holds, lost, ownerProbesOf(samples, ownerEvent)) };
}

/** `Probe`: the lock itself said so. `Futex`: concluded from the calls that wake waiters. */
export const HolderSource = { None: 0, Futex: 1, Probe: 2 } as const;
export type HolderSource = (typeof HolderSource)[keyof typeof HolderSource];

/** By wait. */
interface Holders {
  readonly lock: Int32Array; // row of LockWords; NONE: not a wait for a lock
  readonly holder: Int32Array; // tid when the wait began; NONE: not known
  readonly holderSource: Uint8Array; // HolderSource
}

/** Finds the holder of the lock when each wait for one began. `lost`: when releases may be missing. */
function holdersOf(waits: Waits, locks: LockWords, holds: Holds, lost: LostSpans, probes: OwnerProbes): Holders {
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

/** Probes where threads begin to wait for a lock, with the fields `lock` and `owner`. */
interface OwnerProbes {
  readonly timeNs: Float64Array;
  readonly lock: Float64Array; // Address
  readonly owner: Float64Array; // tid; 0: none at that moment
  readonly byWaiter: Groups;
}

/** `event`: such as `probe_libc:lock_slow`; null: there is no such probe. */
function ownerProbesOf(samples: readonly SampleTable[], event: string | null): OwnerProbes {
  const { timeNs, tid, integers } = sampleRows(event === null ? [] : samples, event ?? '', ['lock', 'owner']);
  return { timeNs, lock: integers[0], owner: integers[1], byWaiter: groupRows(tid) };
}

/** Returns the first event with an owner's field among those of probes. */
export function ownerEventOf(samples: readonly SampleTable[]): string | null {
  const hasOwner = ({ fields }: SampleTable) =>
    ['lock', 'owner'].every((name) => fields.some((field) => field.name === name));
  return samples.find(hasOwner)?.event ?? null;
}

/** Returns who owned a lock when a thread found it taken, the last time within a span; NONE: not known. */
function ownerWithin(
  { timeNs, lock, owner, byWaiter }: OwnerProbes,
  waiter: Tid,
  address: number,
  afterNs: Nanoseconds,
  untilNs: Nanoseconds,
): Tid {
  const row = lastRowAt(rowsOf(byWaiter, waiter), timeNs, untilNs);
  if (row === NONE || timeNs[row] <= afterNs || lock[row] !== address) return NONE;
  return owner[row] > 0 ? owner[row] : NONE;
}
