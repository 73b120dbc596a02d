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
  return textOf(
    CALLS,
    SAMPLES.filter(([, , text]) => hasSamples || text.startsWith('PERF_RECORD')),
  );
}

/** A clerk waited before the customer, and signs when the teller has counted: the customer waits for both. */
export function convoyTrace(): string {
  const ofCustomer = (line: string) => /^ *1\/[6-8]/.test(line);
  const calls = CALLS.split('\n').filter((line) => !ofCustomer(line));
  const samples = SAMPLES.filter(([ns, tid]) => tid !== 1 || ns < 60).map(
    ([ns, tid, text]) => [ns, tid, text.replace('comm=customer pid=1', 'comm=clerk pid=3')] as const,
  );
  return textOf(
    `${calls.join('\n')}
  1/100 PERF_RECORD_SWITCH IN
  1/102 tr strt                                pthread_mutex_lock
  3/0   call             main                  clerk
  3/5   call             clerk                 pthread_mutex_lock
  3/10  tr end  syscall  pthread_mutex_lock
  3/16  PERF_RECORD_SWITCH OUT
  3/60  PERF_RECORD_SWITCH IN
  3/62  tr strt                                pthread_mutex_lock
  3/64  return           pthread_mutex_lock    clerk
  3/65  call             clerk                 sign
  3/85  return           sign                  clerk
  3/87  call             clerk                 pthread_mutex_unlock
  3/90  tr end  syscall  pthread_mutex_unlock
  3/95  tr strt                                pthread_mutex_unlock
  3/98  return           pthread_mutex_unlock  clerk`,
    [
      ...samples,
      [0, 3, 'PERF_RECORD_COMM: clerk:1/3'],
      [15, 3, futex('0x00000080', 2)],
      [61, 3, 'syscalls:sys_exit_futex: 0x0'],
      [91, 3, futex('0x00000081', 1)],
      [92, 3, 'sched:sched_waking: comm=customer pid=1 prio=120 target_cpu=000'],
      [93, 3, 'syscalls:sys_exit_futex: 0x1'],
      [101, 1, 'syscalls:sys_exit_futex: 0x0'],
    ],
  );
}

function textOf(calls: string, samples: typeof SAMPLES): string {
  const lines = samples.map(([ns, tid, text]) => `${tid} [000] 1.${String(ns).padStart(9, '0')}: ${text}`);
  const timeOf = (line: string) => /\d+\.\d{9}/.exec(line)?.[0] ?? '';
  // a record at the same time as a branch comes first
  const all = [...lines, ...traceOf(calls).trimEnd().split('\n')];
  return `${all.sort((a, b) => timeOf(a).localeCompare(timeOf(b))).join('\n')}\n`;
}
