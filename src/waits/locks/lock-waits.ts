/**
 * Which waits were for locks, who held them, and when: everything about locks that futex calls and probes show.
 */
import type { SampleTable } from '../../model/sample-table.js';
import { type LostSpans, withSpans } from '../input/lost.js';
import type { Waits } from '../waits.js';
import { type Holders, holdersOf } from './holders.js';
import { type Holds, holdsOf } from './holds.js';
import { type LockWords, lockWordsOf } from './lock-words.js';
import { ownerEventOf, ownerProbesOf } from './owner-probes.js';
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
