/**
 * Waits of the program `waitlab`, which knows for whom it waited: recorded by perf on a real machine, and emulated.
 */
import { describe, expect, it } from 'vitest';
import { OffState } from '../../src/waits/schedule/off-state.js';
import { type Waits, waitsOf } from '../../src/waits/waits.js';
import { recordEmulated, recordReal, type Truth } from './helpers/recorded.js';

/** How many waits of the program left the CPU, and were for mutexes or read-write locks. */
const RECORDINGS = [
  { ...(await recordReal()), blocked: 115, locks: 24 },
  { ...(await recordEmulated()), blocked: 33, locks: 8 },
];

describe.each(RECORDINGS)('$name', ({ input, truth, blocked, locks }) => {
  const waits = waitsOf(input);
  const trueWaits = truth.filter(({ kind, reason }) => kind === 'wait' && reason !== 'spin');

  it('finds the thread that ended each wait', () => {
    const ownTids = new Set(truth.map(({ tid }) => tid));
    let checked = 0;
    for (const wait of trueWaits) {
      const rows = blockedRows(waits, wait);
      checked += Math.min(rows.length, 1);
      for (const row of rows) {
        const wakers = wakersOf(wait, truth, waits, row);
        const isRight = wait.for === 0 ? !ownTids.has(waits.waker[row]) : wakers.includes(waits.waker[row]);
        if (!isRight) expect.fail(`${JSON.stringify(wait)}: ${wakers}, not ${waits.waker[row]}`);
      }
    }
    expect(checked).toBe(blocked);
  });

  it('finds the address of each lock', () => {
    const lockWaits = trueWaits.filter(({ reason }) => reason === 'mutex' || reason === 'rwlock');
    expect(lockWaits).toHaveLength(locks);
    for (const wait of lockWaits) {
      const [row] = blockedRows(waits, wait);
      const offset = waits.calls.address[waits.waitCall[row]] - Number(wait.address);
      expect([wait, offset]).toEqual([wait, wait.reason === 'mutex' ? 0 : 8]); // a read-write lock has several words
    }
  });
});

/** The waits of a thread within one of its true waits. */
function blockedRows(waits: Waits, { tid, from, to }: Truth): number[] {
  const rows = Array.from({ length: waits.length }, (_, row) => row);
  return rows.filter(
    (row) =>
      waits.tid[row] === tid &&
      waits.state[row] === OffState.Blocked &&
      waits.outNs[row] >= from &&
      waits.outNs[row] < to,
  );
}

/** Offsets of the two words that threads wait for, in glibc's condition variable. */
const CONDITION_WORDS = [40, 44];

/** Who may have ended a wait that a thread ended. */
function wakersOf(wait: Truth, truth: readonly Truth[], waits: Waits, row: number): number[] {
  const { reason, address } = wait;
  if (reason === 'mutex') return [lastHolder(wait, truth)];
  if (reason !== 'queue' && reason !== 'cond') return [wait.for];
  const word = waits.calls.address[waits.waitCall[row]];
  const isCondition = CONDITION_WORDS.includes(word - Number(address));
  if (!isCondition) return truth.map(({ tid }) => tid); // the mutex of the queue, whose holders are not noted
  const signals = truth.filter(({ kind, at, ...signal }) => {
    return (
      kind === 'signal' && signal.address === address && at <= waits.wakeNs[row] && at >= waits.outNs[row] - 100_000
    );
  });
  return signals.slice(-1).map(({ tid }) => tid);
}

/** The thread that gave the lock back before the waiter got it. */
function lastHolder({ tid, to, address }: Truth, truth: readonly Truth[]): number {
  const holds = truth.filter((hold) => hold.kind === 'hold' && hold.address === address && hold.tid !== tid);
  return holds.filter((hold) => hold.to <= to).sort((a, b) => b.to - a.to)[0].tid;
}
