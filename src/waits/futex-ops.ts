/**
 * What the arguments of a futex call mean (man 2 futex, include/uapi/linux/futex.h).
 */

const COMMAND = 0x7f; // without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
const PRIVATE = 0x80;

const WAIT = new Set([0, 9]); // FUTEX_WAIT, FUTEX_WAIT_BITSET
const WAKE = new Set([1, 10]); // FUTEX_WAKE, FUTEX_WAKE_BITSET
const WAKES_OTHERWISE = new Set([3, 4, 5, 12]); // FUTEX_REQUEUE, CMP_REQUEUE, WAKE_OP, CMP_REQUEUE_PI
const LOCK_PI = new Set([6, 13]); // FUTEX_LOCK_PI, FUTEX_LOCK_PI2
const UNLOCK_PI = 7;
const WAIT_REQUEUE_PI = 11;

export const FutexKind = { Other: 0, Wait: 1, Wake: 2, LockPi: 3, UnlockPi: 4, Requeue: 5 } as const;
export type FutexKind = (typeof FutexKind)[keyof typeof FutexKind];

/** Returns the kind of each operation. */
export function kindsOfOps(ops: Float64Array): Uint8Array {
  const byCommand = Uint8Array.from({ length: COMMAND + 1 }, (_, command) => kindOf(command));
  const kinds = new Uint8Array(ops.length);
  for (let row = 0; row < ops.length; row++) kinds[row] = byCommand[ops[row] & COMMAND];
  return kinds;
}

function kindOf(command: number): FutexKind {
  if (WAIT.has(command) || command === WAIT_REQUEUE_PI) return FutexKind.Wait;
  if (WAKE.has(command)) return FutexKind.Wake;
  if (LOCK_PI.has(command)) return FutexKind.LockPi;
  if (command === UNLOCK_PI) return FutexKind.UnlockPi;
  return WAKES_OTHERWISE.has(command) ? FutexKind.Requeue : FutexKind.Other;
}

/** Whether threads of other processes may use the word. */
export function isShared(op: number): boolean {
  return (op & PRIVATE) === 0;
}

/** A result of a futex call: -errno. */
export const TIMED_OUT = -110;
