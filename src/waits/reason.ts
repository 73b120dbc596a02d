/**
 * Why a thread waited: all reasons, and which of them the functions above its system call, the arguments of its futex call,
 * or the functions of the kernel tell; the last say most of all but futexes.
 */
import { type Address, NONE } from '../model/units.js';
import { type FutexCalls, FutexKind, isShared } from './futex-calls.js';
import { groupOf } from './input/group-rows.js';
import type { Schedule } from './schedule.js';
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

/**
 * Objects of glibc whose waiters wait for words within them: offsets of the words (glibc 2.25 and later, x86-64, struct_rwlock.h and thread-shared-types.h): of a read-write lock,
 * `__wrphase_futex` and `__writers_futex`; of a condition, the two of `__g_signals`. Objects are aligned to 8 bytes, so
 * the lower half of the address tells the two apart.
 */
const FIRST_WORD: Partial<Record<Reason, number>> = { [Reason.RwLock]: 8, [Reason.Condition]: 40 };

/** Returns the address of the object that contains a word; other objects begin with their word. */
export function objectAddress(reason: Reason, word: Address): Address {
  const first = FIRST_WORD[reason];
  return first === undefined ? word : word - first - (word % 8);
}

const NAMES: Readonly<Record<Reason, string>> = {
  [Reason.Unknown]: 'unknown',
  [Reason.Mutex]: 'mutex',
  [Reason.RwLock]: 'rwlock',
  [Reason.Condition]: 'condition',
  [Reason.Semaphore]: 'semaphore',
  [Reason.Barrier]: 'barrier',
  [Reason.Join]: 'join',
  [Reason.Futex]: 'futex',
  [Reason.Poll]: 'poll',
  [Reason.Socket]: 'network read',
  [Reason.Sleep]: 'sleep',
  [Reason.File]: 'file',
  [Reason.Child]: 'child',
  [Reason.NetworkWrite]: 'network write',
  [Reason.Accept]: 'accept',
  [Reason.Connect]: 'connect',
  [Reason.Pipe]: 'pipe',
  [Reason.Terminal]: 'terminal',
  [Reason.Disk]: 'disk',
  [Reason.Fsync]: 'fsync',
  [Reason.AsyncIo]: 'async I/O',
  [Reason.FileLock]: 'file lock',
  [Reason.PageFault]: 'page fault',
  [Reason.Signal]: 'signal',
  [Reason.Event]: 'event',
  [Reason.KernelLock]: 'kernel lock',
  [Reason.Stopped]: 'stopped',
  [Reason.Other]: 'other',
};

export function reasonName(reason: number): string {
  return NAMES[reason as Reason];
}

/**
 * Functions of the kernel, from Linux 4.19 on, without what compilers append (".isra.0"). The first row that has a function
 * of the stack decides: locks and page faults come before the call that met them, and what a call is for before the disk
 * that it waited for.
 */
const BY_FUNCTION: readonly (readonly [RegExp, Reason])[] = [
  [
    /^(rwsem_down_(read|write)_\w+|__mutex_lock\w*|__down(_\w+)?|percpu_rwsem_wait|__percpu_down_\w+)$/,
    Reason.KernelLock,
  ],
  [/^(asm_)?exc_page_fault$|^(handle_mm_fault|do_user_addr_fault|do_page_fault|do_mem_abort)$/, Reason.PageFault],
  [/^(ptrace_stop|do_signal_stop|do_jobctl_trap|do_freezer_trap)$/, Reason.Stopped],
  [/^(vfs_fsync(_range)?|do_fsync|ksys_sync(_file_range)?|\w+_sync_file|jbd2_log_wait_commit)$/, Reason.Fsync],
  [/^__\w+_sys_(fsync|fdatasync|msync|sync|syncfs|sync_file_range)$/, Reason.Fsync],
  [/^(do_sys_poll|do_poll|do_select|core_sys_select|do_epoll_p?wait|ep_poll)$/, Reason.Poll],
  [/^(do_futex|__futex_wait|futex_(wait|do_wait|lock_pi)\w*)$/, Reason.Futex],
  [/^(do_nanosleep|hrtimer_nanosleep|common_nsleep\w*|timerfd_read\w*)$/, Reason.Sleep],
  [/^(do_wait|kernel_wait4|kernel_waitid)$/, Reason.Child],
  [/^(do_sigtimedwait|sigsuspend|signalfd_read\w*)$|^__\w+_sys_pause$/, Reason.Signal],
  [/^(do_accept|inet_csk_accept|unix_accept|__sys_accept4\w*)$/, Reason.Accept],
  [/^(__sys_connect\w*|inet_stream_connect|inet_wait_for_connect|unix_stream_connect)$/, Reason.Connect],
  [/^(_*sock_sendmsg\w*|sock_write_iter|_*sys_sendm?msg|__sys_sendto|sk_stream_wait_memory)$/, Reason.NetworkWrite],
  [/^(sock_alloc_send_pskb|sock_wait_for_wmem|(tcp|udp|inet|unix)\w*_sendmsg\w*)$/, Reason.NetworkWrite],
  [/^(sock_recvmsg\w*|sock_read_iter|sock_splice_read|_*sys_recvm?msg|__sys_recvfrom|sk_wait_data)$/, Reason.Socket],
  [/^(__skb_wait_for_more_packets|unix_stream_read_generic|(tcp|udp|inet|unix)\w*_recvmsg\w*)$/, Reason.Socket],
  [/^((anon_|fifo_)?pipe_(read|write|wait_readable|wait_writable)|fifo_open|wait_for_partner)$/, Reason.Pipe],
  [/^(n_tty|tty)_(read|write)$/, Reason.Terminal],
  [/^(read_events|do_io_getevents|io_cqring_wait\w*)$|^__\w+_sys_io_uring_enter$/, Reason.AsyncIo],
  [/^((locks|posix|flock)_lock_inode_wait|do_lock_file_wait|fcntl_setlk\w*)$|^__\w+_sys_flock$/, Reason.FileLock],
  [/^_*do_semtimedop$/, Reason.Semaphore],
  [/^(eventfd_(read|write)|inotify_read)$/, Reason.Event],
  [/^((blk_)?io_schedule\w*|bit_wait_io\w*|folio_wait_\w+|__folio_lock\w*|wait_on_page_\w+)$/, Reason.Disk],
  [/^(__wait_on_buffer|submit_bio_wait|rq_qos_wait|blk_mq_get_tag|balance_dirty_pages)$/, Reason.Disk],
  [/^(start_this_handle|add_transaction_credits|jbd2_journal_\w+|xlog_\w+|xfs_log_\w+)$/, Reason.Disk],
  [/^(request_wait_answer|rpc_wait_bit_killable|p9_client_rpc|nfs_wait_\w+)$/, Reason.Disk],
];
const SYSTEM_CALL = /^(__(x64|ia32|arm64|se|do)_sys_|ksys_)\w+$/;
const APPENDED = /\..*$/;

/** Whether a stack should name a function: it says why a thread waits, or at least in which system call. */
export function isOfWaits(name: string): boolean {
  const bare = name.replace(APPENDED, '');
  return SYSTEM_CALL.test(bare) || BY_FUNCTION.some(([pattern]) => pattern.test(bare));
}

/** `stack`: functions of the kernel in any order, separated by ";"; empty: not known. */
export function reasonByKernelStack(stack: string): Reason {
  if (stack === '') return Reason.Unknown;
  const names = stack.split(';').map((name) => name.replace(APPENDED, ''));
  const found = BY_FUNCTION.find(([pattern]) => names.some((name) => pattern.test(name)));
  return found === undefined ? Reason.Other : found[1];
}
