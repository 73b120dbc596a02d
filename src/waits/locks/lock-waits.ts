/**
 * Which waits were for locks, who held them, and when: everything about locks that futex calls and probes show.
 */
import type { SampleTable } from '../../model/samples/sample-table.js';
import type { Waits } from '../waits.js';
import { type Holders, holdersOf } from './holders.js';
import { type Holds, holdsOf } from './holds.js';
import { type LockWords, lockWordsOf } from './lock-words.js';
import { ownerEventOf, ownerProbesOf } from './owner-probes.js';

export interface LockWaits extends Holders {
  readonly locks: LockWords;
  readonly holds: Holds;
}

/** `ownerEvent`: the probe that reads owners of locks; null: none, even if there is one. */
export function lockWaitsOf(
  waits: Waits,
  samples: readonly SampleTable[],
  ownerEvent: string | null = ownerEventOf(samples),
): LockWaits {
  const locks = lockWordsOf(waits.calls);
  const holds = holdsOf(waits, locks);
  return { locks, holds, ...holdersOf(waits, locks, holds, ownerProbesOf(samples, ownerEvent)) };
}
