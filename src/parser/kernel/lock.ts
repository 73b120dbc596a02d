/**
 * The lock that a kernel holds while it writes to shared tables. Readers need no lock: what they find is complete.
 *
 * JavaScript waits for it (kernel.ts): after `memory.atomic.wait32`, optimized code of V8 11.3 (Node 20) went on with its
 * last parameter lost.
 */
import { LOCK_AWAITED, SHARED_LOCK } from './layout';
import { shared } from './memory';

const FREE: u32 = 0;
const HELD: u32 = 1;

/** Sleeps while the word at `address` is LOCK_AWAITED. */
declare function wait(address: usize): void;
/** Wakes one that sleeps. */
declare function wake(address: usize): void;

const state = shared(SHARED_LOCK, 4);

export function lock(): void {
  if (atomic.cmpxchg<u32>(state, FREE, HELD) === FREE) return;
  while (atomic.xchg<u32>(state, LOCK_AWAITED) !== FREE) wait(state);
}

export function unlock(): void {
  if (atomic.xchg<u32>(state, FREE) === LOCK_AWAITED) wake(state);
}
