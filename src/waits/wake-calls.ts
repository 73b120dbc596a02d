/**
 * System calls that may wake a thread, by the functions above them; and who may have ended waits, from these calls alone.
 */
import { countAtOrBelow, countBelow } from '../model/columns.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { WakerKind, type Wakers } from './find-wakers.js';
import { Reason } from './reason.js';
import { OffState } from './schedule/off-state.js';
import type { Schedule } from './schedule/schedule.js';

/** Functions of glibc and Rust that make a system call to wake, and the waits that this ends. The first decides. */
const ENDS: readonly (readonly [RegExp, readonly Reason[]])[] = [
  [/lll_(lock_wake|unlock)|mutex_unlock|mtx_unlock|futex::Mutex::wake/i, [Reason.Mutex]],
  [/cond_(signal|broadcast)|cnd_(signal|broadcast)|Condvar::notify/, [Reason.Condition]],
  [/rwlock_unlock/, [Reason.RwLock]],
  [/\bsem_post|new_sem_post/, [Reason.Semaphore]],
  [/pthread_barrier_wait/, [Reason.Barrier]],
  [
    /eventfd_write|^(__)?(GI_+)?(libc_)?(pwrite|write|writev|send|sendto|sendmsg|sendmmsg)(64)?$/,
    [Reason.Poll, Reason.Socket],
  ],
];

/** Returns the waits that a system call in a function may end, as bits by reason; 0: none is known. */
export function endsWaits(name: string): number {
  const bare = name.replace(/@plt$|@@?[\w.]+$/, '');
  const reasons = ENDS.find(([pattern]) => pattern.test(bare))?.[1] ?? [];
  return reasons.reduce<number>((bits, reason) => bits | (1 << reason), 0);
}

/** By time. */
export interface WakeCalls {
  readonly length: number;
  readonly timeNs: Float64Array;
  readonly tid: Int32Array;
  /** The waits that it may end: bits by reason. */
  readonly ends: Int32Array;
}

/** A woken thread runs soon, if a CPU is idle. */
const MAX_NS_TO_RUN: Nanoseconds = 100_000;

/** If another thread leaves a CPU this shortly before, the woken one may have waited for it much longer. */
const MAX_NS_OF_SWITCH: Nanoseconds = 5_000;

/**
 * Returns by wait the last call that may have ended it, if only one thread made such calls shortly before the thread ran
 * again, and no thread left a CPU for it; NONE. Calls do not show what they wake, so this is a candidate only.
 */
export function candidateCalls(waits: Schedule & Wakers, reason: Uint8Array, calls: WakeCalls): Int32Array {
  const found = new Int32Array(waits.length).fill(NONE);
  const outs = waits.outNs.toSorted();
  const hadIdleCpu = (wait: number) =>
    countBelow(outs, waits.inNs[wait]) ===
    countAtOrBelow(outs, Math.max(waits.outNs[wait], waits.inNs[wait] - MAX_NS_OF_SWITCH));
  for (let wait = 0; wait < waits.length; wait++) {
    const isBlocked = waits.state[wait] === OffState.Blocked && !waits.isOpen[wait];
    if (isBlocked && waits.wakerKind[wait] === WakerKind.NotSeen && hadIdleCpu(wait))
      found[wait] = onlyCall(waits, wait, reason[wait], calls);
  }
  return found;
}

function onlyCall({ tid, outNs, inNs }: Schedule, wait: number, reason: number, calls: WakeCalls): number {
  const sinceNs = Math.max(outNs[wait], inNs[wait] - MAX_NS_TO_RUN);
  let found = NONE;
  for (let call = countBelow(calls.timeNs, inNs[wait]) - 1; call >= 0 && calls.timeNs[call] >= sinceNs; call--) {
    if (calls.tid[call] === tid[wait] || (calls.ends[call] & (1 << reason)) === 0) continue;
    if (found !== NONE && calls.tid[call] !== calls.tid[found]) return NONE;
    if (found === NONE) found = call;
  }
  return found;
}
