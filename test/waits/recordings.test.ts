/**
 * Waits of the program `waitlab`, which knows for whom it waited: recorded by perf on a real machine, and emulated.
 */
import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../src/waits/waits.js';
import { recordEmulated, recordReal } from './helpers/recorded.js';
import { blockedRows, wakersOf } from './helpers/true-answers.js';

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
