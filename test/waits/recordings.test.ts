/**
 * Waits of the program `waitlab`, which knows for whom it waited: recorded by perf on a real machine, and emulated.
 */
import { describe, expect, it } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { OffState } from '../../src/waits/schedule/off-state.js';
import { type Waits, waitsOf } from '../../src/waits/waits.js';
import { WakerKind } from '../../src/waits/wakers/find-wakers.js';
import { fixtureText, inputOfText } from './helpers/perf-text.js';
import { type Truth, truthOf } from './helpers/truth.js';

const real = waitsOf(inputOfText([fixtureText('real.txt'), fixtureText('real-wakes.txt')]));
const emulated = waitsOf(inputOfText([fixtureText('emulated.txt')]));

/** How many waits of the program left the CPU. */
const RECORDINGS = [
  { name: 'real', waits: real, blocked: 115 },
  { name: 'emulated', waits: emulated, blocked: 33 },
];

describe.each(RECORDINGS)('$name', ({ name, waits, blocked }) => {
  const truth = truthOf(name);
  const trueWaits = truth.filter(({ kind, reason }) => kind === 'wait' && reason !== 'spin');

  it('finds the thread that ended each wait', () => {
    let checked = 0;
    for (const wait of trueWaits) {
      const rows = blockedRows(waits, wait);
      checked += Math.min(rows.length, 1);
      for (const row of rows) {
        const wakers = wakersOf(wait, truth, waits, row);
        const isRight = wakers.includes(waits.waker[row]) || (waits.waker[row] === NONE && wakers.length === 0);
        const isMaybe = waits.wakerKind[row] === WakerKind.MaybeThread && wait.for === 0;
        if (!isRight && !isMaybe) expect.fail(`${JSON.stringify(wait)}: ${wakers}, not ${waits.waker[row]}`);
      }
    }
    expect(checked).toBe(blocked);
  });

  it('finds the address of each lock', () => {
    const locks = trueWaits.filter(({ reason }) => reason === 'mutex' || reason === 'rwlock');
    expect(locks).toHaveLength(name === 'real' ? 24 : 8);
    for (const wait of locks) {
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

/** Who may have ended a wait; for waits that no thread ended: none. */
function wakersOf(wait: Truth, truth: readonly Truth[], waits: Waits, row: number): number[] {
  const { reason, address } = wait;
  if (wait.for === 0) return [];
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
