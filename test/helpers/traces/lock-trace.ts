/**
 * A trace with samples: a customer waits for the lock of a teller, who counts, gives it back and wakes the customer.
 */
import { traceOf } from './trace-of.js';

const futex = (op: string, value: number) =>
  `syscalls:sys_enter_futex: uaddr: 0x00001000, op: ${op}, val: 0x0000000${value}, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000000`;

const SAMPLES: readonly (readonly [ns: number, tid: number, text: string])[] = [
  [0, 1, 'PERF_RECORD_COMM: customer:1/1'],
  [0, 2, 'PERF_RECORD_COMM: teller:1/2'],
  [21, 1, futex('0x00000080', 2)],
  [51, 2, futex('0x00000081', 1)],
  [52, 2, 'sched:sched_waking: comm=customer pid=1 prio=120 target_cpu=000'],
  [53, 2, 'syscalls:sys_exit_futex: 0x1'],
  [61, 1, 'syscalls:sys_exit_futex: 0x0'],
];

const CALLS = `
  1/0   call             main                  customer
  1/10  call             customer              pthread_mutex_lock
  1/20  tr end  syscall  pthread_mutex_lock
  1/22  PERF_RECORD_SWITCH OUT
  1/60  PERF_RECORD_SWITCH IN
  1/62  tr strt                                pthread_mutex_lock
  1/70  return           pthread_mutex_lock    customer
  1/80  return           customer              main
  2/0   call             main                  teller
  2/5   call             teller                count
  2/45  return           count                 teller
  2/47  call             teller                pthread_mutex_unlock
  2/50  tr end  syscall  pthread_mutex_unlock
  2/55  tr strt                                pthread_mutex_unlock
  2/58  return           pthread_mutex_unlock  teller
  2/62  return           teller                main
  2/64  tr end  syscall  main
  2/66  PERF_RECORD_SWITCH OUT`;

/** Without samples, only its calls and switches. */
export function lockTrace(hasSamples = true): string {
  const samples = SAMPLES.filter(([, , text]) => hasSamples || text.startsWith('PERF_RECORD'));
  const lines = samples.map(([ns, tid, text]) => `${tid} [000] 1.${String(ns).padStart(9, '0')}: ${text}`);
  const timeOf = (line: string) => /\d+\.\d{9}/.exec(line)?.[0] ?? '';
  // a record at the same time as a branch comes first
  const all = [...lines, ...traceOf(CALLS).trimEnd().split('\n')];
  return `${all.sort((a, b) => timeOf(a).localeCompare(timeOf(b))).join('\n')}\n`;
}
