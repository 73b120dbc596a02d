/**
 * Everything that questions about locks are answered from.
 */
import { PtflameError } from '../../model/errors.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import { type Address, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { type HeldTime, heldTimeOf } from '../../waits/locks/held-time.js';
import { type LockWaits, lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { type WaitedObjects, waitedObjectsOf } from '../../waits/locks/waited-objects.js';
import type { TraceWaits } from '../waits/ask-waits.js';
import type { KnownThread } from '../waits/thread-directory.js';
import { WaitFacts } from '../waits/wait-facts.js';

export interface LocksInput extends TraceWaits {
  readonly facts: WaitFacts;
  readonly locks: LockWaits;
  readonly objects: WaitedObjects;
  readonly held: HeldTime;
}

export function locksInputOf(
  traceWaits: TraceWaits,
  select: Selection = {},
  address: Address | null = null,
): LocksInput {
  const { waits, threads, trace } = traceWaits;
  const facts = new WaitFacts(traceWaits);
  const locks = lockWaitsOf(waits, trace.samples);
  const selected = new Set([...waits.tids].filter((tid) => isSelected(threads.of(tid), select)));
  const isShown = (wait: number) => selected.has(waits.tid[wait]);
  const all = waitedObjectsOf(waits, facts.reason, isShown);
  const isAsked = (wait: number) => isShown(wait) && all.address[all.objectOf[wait]] === address;
  const objects = address === null ? all : waitedObjectsOf(waits, facts.reason, isAsked);
  return { ...traceWaits, facts, locks, objects, held: heldTimeOf(waits, locks) };
}

/** A recording without branches does not select threads itself. */
function isSelected({ tid, pid, comm, isRecorded }: KnownThread, { tids, pids, comm: pattern }: Selection): boolean {
  if (!isRecorded || (tids && !tids.includes(tid)) || (pids && !pids.includes(pid ?? NONE))) return false;
  return pattern === undefined || (comm !== null && pattern.test(comm));
}

/** By object and thread: where that thread was when it woke waiters, most often. */
export function releasePlaces({ waits, objects, facts }: LocksInput): (object: number, tid: Tid) => SymbolId {
  const counts = new Map<string, Map<SymbolId, number>>();
  for (let wait = 0; wait < waits.length; wait++) {
    const { symbol } = facts.wakerPlaceOf(wait);
    if (objects.objectOf[wait] === NONE || symbol === NONE) continue;
    const key = `${objects.objectOf[wait]} ${waits.waker[wait]}`;
    const own = counts.get(key) ?? new Map<SymbolId, number>();
    counts.set(key, own.set(symbol, (own.get(symbol) ?? 0) + 1));
  }
  const most = new Map([...counts].map(([key, own]) => [key, [...own].sort((a, b) => b[1] - a[1])[0][0]]));
  return (object, tid) => most.get(`${object} ${tid}`) ?? NONE;
}

/** @throws PtflameError BAD_OPTION */
export function parseAddress(text: string): Address {
  const digits = text.replace(/^0x/i, '');
  if (/^[0-9a-f]{1,16}$/i.test(digits)) return Number(BigInt.asIntN(64, BigInt(`0x${digits}`)));
  throw new PtflameError('BAD_OPTION', `${text} is not an address`, { hint: 'such as 0x7f0012345678' });
}
