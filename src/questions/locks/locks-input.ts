/**
 * Everything that questions about locks are answered from.
 */
import { PtflameError } from '../../model/errors.js';
import { type Address, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { HeldTime } from '../../waits/locks/held-time.js';
import { type LockWaits, lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { objectsOfSome, type WaitedObjects, waitedObjectsOf } from '../../waits/locks/waited-objects.js';
import type { TraceWaits } from '../waits/ask-waits.js';
import { WaitFacts } from '../waits/wait-facts.js';

export interface LocksInput extends TraceWaits {
  readonly facts: WaitFacts;
  readonly locks: LockWaits;
  readonly objects: WaitedObjects;
  readonly held: HeldTime;
}

export function locksInputOf(traceWaits: TraceWaits, address: Address | null = null): LocksInput {
  const { waits, shown, window, threads, trace } = traceWaits;
  const facts = new WaitFacts(traceWaits);
  const locks = lockWaitsOf(waits, trace.samples);
  const selected = new Set([...waits.tids].filter((tid) => threads.of(tid).isSelected));
  const isShown = (wait: number) => selected.has(waits.tid[wait]);
  const all = waitedObjectsOf(waits, facts.reason, isShown);
  const isAsked = (wait: number) =>
    shown.isWithin[wait] === 1 && (address === null || all.address[all.objectOf[wait]] === address);
  const objects = objectsOfSome(all, isAsked);
  return { ...traceWaits, facts, locks, objects, held: new HeldTime(waits, locks, window) };
}

/** By object and thread: where that thread was when it woke waiters, most often. */
export function releasePlaces({ waits, objects, facts }: LocksInput): (object: number, tid: Tid) => SymbolId {
  const { objectOf, length } = objects;
  const counts = Array.from({ length }, () => new Map<Tid, Map<SymbolId, number>>());
  for (let wait = 0; wait < waits.length; wait++) {
    const { symbol } = facts.wakerPlaceOf(wait);
    if (objectOf[wait] === NONE || symbol === NONE) continue;
    const own = counts[objectOf[wait]];
    let places = own.get(waits.waker[wait]);
    if (places === undefined) own.set(waits.waker[wait], (places = new Map()));
    places.set(symbol, (places.get(symbol) ?? 0) + 1);
  }
  const mostOf = (places: ReadonlyMap<SymbolId, number>) => [...places].sort((a, b) => b[1] - a[1])[0][0];
  const most = counts.map((own) => new Map(Array.from(own, ([tid, places]) => [tid, mostOf(places)])));
  return (object, tid) => most[object].get(tid) ?? NONE;
}

/** @throws PtflameError BAD_OPTION */
export function parseAddress(text: string): Address {
  const digits = text.replace(/^0x/i, '');
  if (/^[0-9a-f]{1,16}$/i.test(digits)) return Number(BigInt.asIntN(64, BigInt(`0x${digits}`)));
  throw new PtflameError('BAD_OPTION', `${text} is not an address`, { hint: 'such as 0x7f0012345678' });
}
