/**
 * Why a thread waited, by the functions on its stack and by its futex call, and for which object.
 */
import { describe, expect, it } from 'vitest';
import { lockWaitsOf } from '../../../src/waits/locks/lock-waits.js';
import { objectAddress, Reason, reasonByFutex, reasonByNames } from '../../../src/waits/reason.js';
import { waitsOf } from '../../../src/waits/waits.js';
import { recordReal, type Truth } from '../helpers/recorded.js';

it.each([
  [['__lll_lock_wait', 'pthread_mutex_lock@@GLIBC_2.2.5', 'main'], Reason.Mutex],
  [['__futex_abstimed_wait_common', '__pthread_rwlock_wrlock_full64', 'pthread_rwlock_wrlock'], Reason.RwLock],
  [['__futex_abstimed_wait_common', 'pthread_cond_wait@@GLIBC_2.3.2', 'queue_pop'], Reason.Condition],
  [['__futex_abstimed_wait_common', '__new_sem_wait_slow64.constprop.0'], Reason.Semaphore],
  [['__pthread_clockjoin_ex', 'pthread_join'], Reason.Join],
  [['epoll_wait', 'serve'], Reason.Poll],
  [['__libc_recv', 'ask'], Reason.Socket],
  [['read@plt', 'ask'], Reason.File],
  [['clock_nanosleep@GLIBC_2.2.5', 'rest'], Reason.Sleep],
  [['fsync', 'saver'], Reason.Fsync],
  [['__libc_send', 'answer'], Reason.NetworkWrite],
  [['accept4', 'serve'], Reason.Accept],
  [['connect@plt', 'ask'], Reason.Connect],
  [['io_getevents', 'flush'], Reason.AsyncIo],
  [['sigwait', 'signals'], Reason.Signal],
  [['pthread_barrier_wait', 'meet'], Reason.Barrier],
  [['spread', 'main'], Reason.Unknown],
  [[], Reason.Unknown],
])('%j is reason %i', (names, reason) => {
  expect(reasonByNames(names)).toBe(reason);
});

it('a name without end is read in linear time', () => {
  expect(reasonByNames(['lll_a'.repeat(200_000), 'pthread_join'])).toBe(Reason.Join);
});

describe('in a recording', async () => {
  const { input, truth } = await recordReal();
  const waits = waitsOf(input);
  const { lock } = lockWaitsOf(waits, input.samples);
  const rowOf = ({ tid, from, to }: Truth) =>
    waits.outNs.findIndex(
      (outNs, row) => waits.tid[row] === tid && outNs >= from && outNs < to && waits.waitCall[row] >= 0,
    );
  const trueReasons: Record<string, Reason> = { mutex: Reason.Mutex, join: Reason.Join };

  it('tells locks and joins by their futex calls', () => {
    const kinds = ['mutex', 'join', 'sem', 'futex', 'rwlock', 'cond'];
    const some = truth.filter(({ kind, reason }) => kind === 'wait' && kinds.includes(reason));
    for (const wait of some.filter((wait) => rowOf(wait) >= 0)) {
      const row = rowOf(wait);
      const reason = reasonByFutex(waits, row, lock[row] >= 0);
      expect([wait.reason, reason]).toEqual([wait.reason, trueReasons[wait.reason] ?? Reason.Futex]);
    }
  });

  it.each([
    ['mutex', Reason.Mutex, 18],
    ['rwlock', Reason.RwLock, 6],
    ['cond', Reason.Condition, 28],
    ['queue', Reason.Condition, 25],
    ['sem', Reason.Semaphore, 3],
    ['timeout', Reason.Condition, 3],
  ])('finds the address of the object, %s', (kind, reason, count) => {
    const own = truth.filter((wait) => wait.kind === 'wait' && wait.reason === kind && rowOf(wait) >= 0);
    expect(own).toHaveLength(count);
    for (const wait of own) {
      const word = waits.calls.address[waits.waitCall[rowOf(wait)]];
      expect([wait.scenario, objectAddress(reason, word)]).toEqual([wait.scenario, Number(wait.address)]);
    }
  });
});
