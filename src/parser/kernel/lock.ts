/**
 * The lock that a kernel holds while it writes to shared tables. Readers need no lock: what they find is complete.
 */
import { SHARED_LOCK } from './layout';
import { shared } from './memory';

const FREE: u32 = 0;
const HELD: u32 = 1;
/** Held, and others may be waiting. */
const AWAITED: u32 = 2;
const FOREVER: i64 = -1;

const state = shared(SHARED_LOCK, 4);

export function lock(): void {
  if (atomic.cmpxchg<u32>(state, FREE, HELD) === FREE) return;
  while (atomic.xchg<u32>(state, AWAITED) !== FREE) atomic.wait<i32>(state, AWAITED, FOREVER);
}

export function unlock(): void {
  if (atomic.xchg<u32>(state, FREE) === AWAITED) atomic.notify(state, 1);
}
