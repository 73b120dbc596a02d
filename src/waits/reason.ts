/**
 * Why a thread waited: all reasons, and which of them the functions above its system call, or the arguments of its futex
 * call, tell. What the kernel did meanwhile says more of all but futexes (kernel-functions.ts).
 */
import { NONE } from '../model/units.js';
import type { FutexCalls } from './futex-calls.js';
import { FutexKind, isShared } from './futex-ops.js';
import { groupOf } from './input/group-rows.js';
import type { Schedule } from './schedule/schedule.js';
import type { WaitCalls } from './wait-calls.js';

export const Reason = {
  Unknown: 0,
  Mutex: 1,
  RwLock: 2,
  Condition: 3,
  Semaphore: 4,
  Barrier: 5,
  Join: 6,
  Futex: 7,
  Poll: 8,
  Socket: 9,
  Sleep: 10,
  File: 11,
  Child: 12,
  NetworkWrite: 13,
  Accept: 14,
  Connect: 15,
  Pipe: 16,
  Terminal: 17,
  Disk: 18,
  Fsync: 19,
  AsyncIo: 20,
  FileLock: 21,
  PageFault: 22,
  Signal: 23,
  Event: 24,
  KernelLock: 25,
  Stopped: 26,
  /** The kernel's stack is known, and has none of the functions that say more. */
  Other: 27,
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];

/** Functions of glibc, of Rust's standard library, and of the kernel's interface. The first that matches decides. */
const BY_NAME: readonly (readonly [RegExp, Reason])[] = [
  [/pthread_cond_|__pthread_cond_wait|cnd_(timed)?wait|Condvar/, Reason.Condition],
  [/pthread_rwlock_|_rwlock_(rd|wr)lock|RwLock/, Reason.RwLock],
  [/pthread_mutex_|lll_(\w{1,40}_)?lock|mtx_lock|futex::Mutex|sync::mutex/i, Reason.Mutex],
  [/\bsem_(timed|clock)?wait|new_sem_wait/, Reason.Semaphore],
  [/pthread_barrier_wait/, Reason.Barrier],
  [/pthread_(timed|clock)?join|thrd_join|clockjoin/, Reason.Join],
  [/epoll_p?wait|\bp?poll$|__poll\b|\bp?select$|__select\b|ppoll/, Reason.Poll],
  [/\b(__)?(libc_)?recv(from|msg|mmsg)?$/, Reason.Socket],
  [/\b(__)?(libc_)?send(to|msg|mmsg)?$/, Reason.NetworkWrite],
  [/\b(__)?(libc_)?accept4?$/, Reason.Accept],
  [/\b(__)?(libc_)?connect$/, Reason.Connect],
  [/nanosleep|\b(u)?sleep$|thrd_sleep/, Reason.Sleep],
  [/fsync|fdatasync|sync_file_range|msync$/, Reason.Fsync],
  [/io_getevents|io_uring_(enter|wait)/, Reason.AsyncIo],
  [/\bp?(read|write)v?(64)?2?$|openat?(64)?$/, Reason.File],
  [/\bwait(4|pid|id)$/, Reason.Child],
  [/\bsig(timed)?wait(info)?$|sigsuspend$/, Reason.Signal],
];

/** `names`: of the functions on the stack, the innermost first. A stub counts as the function that it calls. */
export function reasonByNames(names: readonly string[]): Reason {
  for (const name of names) {
    const bare = name.replace(/@plt$|@@?\w+$/, '');
    const found = BY_NAME.find(([pattern]) => pattern.test(bare));
    if (found) return found[1];
  }
  return Reason.Unknown;
}

/**
 * Why a thread waited as far as its futex call shows. Threads are joined at the word of their id, which the kernel clears
 * when they end (man 2 set_tid_address); its waiters expect the id there, and do not say that the word is private.
 *
 * @param isLock whether the word is that of a lock (LockWords)
 */
export function reasonByFutex(
  { waitCall, calls, tids }: Pick<WaitCalls, 'waitCall'> & Pick<Schedule, 'tids'> & { readonly calls: FutexCalls },
  wait: number,
  isLock: boolean,
): Reason {
  const call = waitCall[wait];
  if (call === NONE) return Reason.Unknown;
  if (isLock || calls.kind[call] === FutexKind.LockPi) return Reason.Mutex;
  const isJoin = isShared(calls.op[call]) && groupOf(tids, calls.value[call]) !== NONE;
  return isJoin ? Reason.Join : Reason.Futex;
}
