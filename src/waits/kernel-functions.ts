/**
 * Why a thread waited, by the functions of the kernel that it was in.
 */
import { Reason } from './reason.js';

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
