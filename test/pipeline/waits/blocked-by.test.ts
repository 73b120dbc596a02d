/**
 * Blocked time as a profile, and wakers by their functions: a customer waits for a lock that a teller holds.
 */
import { expect, test } from 'vitest';
import { waitsAnswer } from '../../../src/answers.js';
import { askWaits, profileBlockedTime, renderFolded } from '../../../src/index.js';
import { inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const CUSTOMER = traceOf(`
  1/100  call             main                read_balance
  1/110  call             read_balance        pthread_mutex_lock
  1/120  tr end  syscall  pthread_mutex_lock
  1/125  PERF_RECORD_SWITCH OUT
  1/212  PERF_RECORD_SWITCH IN
  1/220  tr strt                              pthread_mutex_lock
  1/230  return           pthread_mutex_lock  read_balance
  1/240  return           read_balance        main`);

const TELLER = traceOf(`
  2/50   call             main                  transfer
  2/60   call             transfer              crunch
  2/190  return           crunch                transfer
  2/195  call             transfer              pthread_mutex_unlock
  2/200  tr end  syscall  pthread_mutex_unlock
  2/215  tr strt                                pthread_mutex_unlock
  2/230  return           pthread_mutex_unlock  transfer
  2/240  return           transfer              main`);

const futex = (op: string, value: number) =>
  `uaddr: 0x00005000, op: 0x000000${op}, val: 0x0000000${value}, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000000`;

/** As perf prints them. */
const SAMPLES = `
  customer 1/1 [000] 1.000000121: syscalls:sys_enter_futex: ${futex('80', 2)}
  teller 1/2 [001] 1.000000201: syscalls:sys_enter_futex: ${futex('81', 1)}
  teller 1/2 [001] 1.000000205: sched:sched_waking: comm=customer pid=1 prio=120 target_cpu=000
`;

const inputs = () => [inputOf(CUSTOMER + TELLER), inputOf(SAMPLES)];

test('a waker is named with the function in which it woke', async () => {
  const { wakers, reasons, wakeUps } = waitsAnswer(await askWaits(inputs(), {}, { extend: false }));
  expect(wakers).toMatchObject([
    {
      kind: 'thread',
      threads: [{ tid: 2, isTraced: true }],
      function: { name: 'transfer' },
      call: { name: 'pthread_mutex_unlock' },
      stats: { waits: 1, totalNs: 87, blockedNs: 80, wakeUpNs: 7 },
    },
  ]);
  expect(reasons.map(({ reason }) => reason)).toEqual(['mutex']);
  expect(wakeUps).toMatchObject({ waits: 1, maxNs: 7 });
});

test('what the holder did stands upside down on the stack that waited', async () => {
  const profile = await profileBlockedTime(inputs(), { extend: false });
  const lines = [...renderFolded(profile, { minNs: 1 })].join('').trimEnd().split('\n');
  const stack = 'main;read_balance;pthread_mutex_lock;';
  expect(lines.sort()).toEqual(
    [
      `${stack}-- from waking to running 7`,
      `${stack}-- lock passed on 4`,
      `${stack}-- waits for 2;[syscall];pthread_mutex_unlock;transfer;main 1`,
      `${stack}-- waits for 2;crunch;transfer;main 65`,
      `${stack}-- waits for 2;pthread_mutex_unlock;transfer;main 5`,
      `${stack}-- waits for 2;transfer;main 5`,
    ].sort(),
  );
});

test('losses count where they are in threads that were blocked', async () => {
  const other = traceOf(`
    3/100  call  main  work
    3/110  error
    3/150  call  main  work
    3/160  return  work  main`);
  const { threads, quality } = await profileBlockedTime([...inputs(), inputOf(other)], { extend: false });
  expect(threads.map(({ tid }) => tid)).toEqual([1]);
  expect(quality).toMatchObject({ gaps: [], losses: [], threadsCut: 0, lostNs: 0 });
});
