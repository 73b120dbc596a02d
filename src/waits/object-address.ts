/**
 * Where the object is that a thread waited for: glibc waits for words within conditions and read-write locks.
 */
import type { Address } from '../model/units.js';
import { Reason } from './reason.js';

/**
 * Offsets of the words (glibc 2.25 and later, x86-64, struct_rwlock.h and thread-shared-types.h): of a read-write lock,
 * `__wrphase_futex` and `__writers_futex`; of a condition, the two of `__g_signals`. Objects are aligned to 8 bytes, so
 * the lower half of the address tells the two apart.
 */
const FIRST_WORD: Partial<Record<Reason, number>> = { [Reason.RwLock]: 8, [Reason.Condition]: 40 };

/** Returns the address of the object that contains a word; other objects begin with their word. */
export function objectAddress(reason: Reason, word: Address): Address {
  const first = FIRST_WORD[reason];
  return first === undefined ? word : word - first - (word % 8);
}
