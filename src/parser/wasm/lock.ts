/**
 * The lock that a kernel holds while it writes to shared tables. Readers need no lock: what they find is complete.
 *
 * JavaScript waits for it (kernel.ts): after `memory.atomic.wait32`, optimized code of V8 11.3 (Node 20) went on with
 * its last parameter lost.
 */
import { FAILED, LOCK } from './head';
import { LOCK_AWAITED } from './layout';

const FREE: u32 = 0;
const HELD: u32 = 1;

/** Sleeps while the word at `address` is LOCK_AWAITED. */
declare function wait(address: usize): void;
/** Wakes one that sleeps. */
declare function wake(address: usize): void;
/** Throws: there is no memory left. */
declare function refuse(): void;

/** Throws if any kernel has failed: it may have left a table half written. */
export function lock(): void {
  if (atomic.cmpxchg<u32>(LOCK, FREE, HELD) !== FREE) while (atomic.xchg<u32>(LOCK, LOCK_AWAITED) !== FREE) wait(LOCK);
  if (atomic.load<u32>(FAILED) !== 0) fail();
}

export function unlock(): void {
  if (atomic.xchg<u32>(LOCK, FREE) === LOCK_AWAITED) wake(LOCK);
}

/** Gives up, whether or not this kernel holds the lock: so no other one waits for it forever. */
export function fail(): void {
  atomic.store<u32>(FAILED, 1);
  unlock();
  refuse();
}
