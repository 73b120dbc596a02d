/**
 * Everything that questions about locks are answered from.
 */
import type { Address } from '../../model/units.js';
import { HeldTime } from '../../waits/locks/held-time.js';
import { type LockWaits, lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { objectsOfSome, type WaitedObjects, waitedObjectsOf } from '../../waits/locks/waited-objects.js';
import type { TraceWaits } from '../waits/ask-waits.js';
import { type ThreadCalls, waitsInside } from '../waits/spans-of-calls.js';
import { WaitFacts } from '../waits/wait-facts.js';

export interface LocksInput extends TraceWaits {
  readonly facts: WaitFacts;
  readonly locks: LockWaits;
  readonly objects: WaitedObjects;
  readonly held: HeldTime;
}

/** Only of waits for the lock at `address`, and inside of calls; null: all. */
export function locksInputOf(traceWaits: TraceWaits, address: Address | null, inside: ThreadCalls | null): LocksInput {
  const { waits, shown, window, threads, trace } = traceWaits;
  const facts = new WaitFacts(traceWaits);
  const locks = lockWaitsOf(waits, trace.samples);
  const selected = new Set([...waits.tids].filter((tid) => threads.of(tid).isSelected));
  const isShown = (wait: number) => selected.has(waits.tid[wait]);
  const all = waitedObjectsOf(waits, facts.reason, isShown);
  const isInside = inside === null ? null : new Set(waitsInside(waits, inside));
  const isAsked = (wait: number) =>
    shown.isWithin[wait] === 1 &&
    isInside?.has(wait) !== false &&
    (address === null || all.address[all.objectOf[wait]] === address);
  const objects = objectsOfSome(all, isAsked);
  return { ...traceWaits, facts, locks, objects, held: new HeldTime(waits, locks, window) };
}
