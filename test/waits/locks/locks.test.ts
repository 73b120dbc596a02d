/**
 * Who held the locks that threads waited for: in recordings with truth, in random runs, and in single cases.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HolderSource, type LockWaits, lockWaitsOf } from '../../../src/waits/locks/lock-waits.js';
import { OffState } from '../../../src/waits/schedule.js';
import { type Waits, waitsOf } from '../../../src/waits/waits.js';
import { recordEmulated, recordReal, type Truth } from '../helpers/recorded.js';
import { inputOfRun, loads, runLoad } from '../simulator/random-loads.js';
import { inputOf, type RecordedSample, type Recorder } from '../simulator/recorder.js';

const PROBE = 'probe_libc:lock_slow';
const RECORDINGS = [
  { ...(await recordReal()), count: 18 },
  { ...(await recordEmulated()), count: 6 },
] as const;

describe.each(RECORDINGS)('waits for mutexes, $name', ({ input, truth, count }) => {
  const waits = waitsOf(input);
  const trueWaits = truth.filter(({ kind, reason }) => kind === 'wait' && reason === 'mutex');

  it('are for the owner that the lock names, with and without a probe', () => {
    const withProbe = lockWaitsOf(waits, input.samples);
    const without = lockWaitsOf(waits, input.samples, null);
    expect(trueWaits).toHaveLength(count);
    for (const wait of trueWaits) {
      const [row, ...others] = rowsWithin(waits, wait);
      expect(others).toEqual([]);
      const [first] = holdersWithin(truth, wait);
      expect([withProbe.holder[row], withProbe.holderSource[row]]).toEqual([first, HolderSource.Probe]);
      expect([without.holder[row], without.holderSource[row]]).toEqual([first, HolderSource.Futex]);
      if (wait.for > 0) expect(first).toBe(wait.for);
    }
  });

  it('have all holders, one after the other', () => {
    const locks = lockWaitsOf(waits, input.samples, null);
    for (const wait of trueWaits) {
      const [row] = rowsWithin(waits, wait);
      expect([wait.scenario, holdersDuring(locks, waits, row)]).toEqual([wait.scenario, holdersWithin(truth, wait)]);
    }
  });
});

describe('in random runs', () => {
  it('finds the holder of nearly all waits by futexes alone, and of all that passed a probe', () => {
    let count = 0;
    let right = 0;
    let wrong = 0;
    let withProbes = 0;
    const check = (load: Parameters<typeof runLoad>[0]) => {
      const run = runLoad(load);
      const input = inputOfRun(run);
      const waits = waitsOf(input);
      const probes = new Set<string>();
      const withProbe = lockWaitsOf(waits, input.samples);
      const { lock, locks, holder } = lockWaitsOf(waits, input.samples, null);
      for (let row = 0; row < waits.length; row++) {
        if (lock[row] < 0) continue;
        const address = locks.address[lock[row]];
        const isRight = holder[row] === trueHolder(run, address, waits.calls.enterNs[waits.waitCall[row]]);
        count++;
        if (isRight) right++;
        else if (holder[row] > 0) wrong++;
        if (withProbe.holderSource[row] !== HolderSource.Probe) continue;
        expect(withProbe.holder[row]).toBe(trueHolder(run, address, probeNs(run, waits, row)));
        probes.add(`${waits.tid[row]} ${probeNs(run, waits, row)}`);
        withProbes++;
      }
      expect(probes.size).toBe(withProbes); // each decides about one wait
      withProbes = 0;
    };
    fc.assert(fc.property(loads, check), { seed: 19, numRuns: 60 });
    expect(count).toBeGreaterThan(1000);
    expect(right / count).toBeGreaterThan(0.97);
    expect(wrong / count).toBeLessThan(0.01);
  });

  it('finds holds that do not overlap, and in which the lock was really got where their beginning is known', () => {
    let count = 0;
    let right = 0;
    const check = (load: Parameters<typeof runLoad>[0]) => {
      const run = runLoad(load);
      const input = inputOfRun(run);
      const { holds, locks } = lockWaitsOf(waitsOf(input), input.samples, null);
      for (let lock = 0; lock < locks.length; lock++) {
        for (let row = holds.starts[lock]; row < holds.starts[lock + 1]; row++) {
          if (row > holds.starts[lock]) expect(holds.fromNs[row]).toBeGreaterThanOrEqual(holds.toNs[row - 1]);
          if (!holds.isFromKnown[row]) continue;
          const gotNs = run.holds.filter(
            ({ tid, address }) => tid === holds.tid[row] && address === locks.address[lock],
          );
          count++;
          if (gotNs.some(({ fromNs }) => fromNs >= holds.fromNs[row] && fromNs < holds.toNs[row])) right++;
        }
      }
    };
    fc.assert(fc.property(loads, check), { seed: 19, numRuns: 60 });
    expect(count).toBeGreaterThan(500);
    expect(right / count).toBeGreaterThan(0.99);
  });
});

describe('a word', () => {
  const WAIT = 0x80;
  const WAKE = 0x81;

  it.each([
    ['is a lock if waiters expect 2 and one is woken', [WAIT, 2, WAKE, 1], 1],
    ['is a lock if a waiter has a deadline', [0x89, 2, WAKE, 1], 1],
    ['is a lock if the kernel passes it on', [0x86, 0, 0x87, 0], 1],
    ['is no lock if waiters expect something else', [WAIT, 0, WAKE, 1], 0],
    ['is no lock if all waiters are woken', [WAIT, 2, WAKE, 0x7fffffff], 0],
    ['is no lock that can be told if processes share it', [0, 2, 1, 1], 0],
    ['is no lock if no thread waits', [WAKE, 1, WAKE, 1], 0],
  ])('%s', (_, [firstOp, firstVal, secondOp, secondVal], count) => {
    const calls = [futex(1, 100, firstOp, firstVal), futex(2, 200, secondOp, secondVal)];
    const input = inputOf(calls, []);
    expect(lockWaitsOf(waitsOf(input), input.samples).locks.length).toBe(count);
  });

  it('is another lock in another process', () => {
    const input = inputOf([futex(1, 100, WAIT, 2)], []);
    const [table] = input.samples;
    const twice = {
      ...table,
      length: 2,
      timeNs: Float64Array.of(1, 2),
      tid: Int32Array.of(1, 2),
      pid: Int32Array.of(1, 2),
    };
    const fields = table.fields.map((field) => ({
      ...field,
      numbers: Float64Array.from([...(field.numbers ?? []), ...(field.numbers ?? [])]),
    }));
    const samples = [{ ...twice, cpu: Int32Array.of(0, 0), context: Uint8Array.of(1, 1), fields } as typeof table];
    expect(lockWaitsOf(waitsOf({ ...input, samples }), samples).locks.length).toBe(2);
  });
});

it('names no holder if samples were lost before the lock was given back', () => {
  const [{ input, truth }] = RECORDINGS;
  const [wait] = truth.filter(({ kind, reason }) => kind === 'wait' && reason === 'mutex');
  const lost = { fromNs: wait.to - 1_000_000, toNs: wait.to - 900_000 };
  const waits = waitsOf({ ...input, lost: [lost] });
  const [row] = rowsWithin(waits, wait);
  const { holder, holderSource } = lockWaitsOf(waits, input.samples, null);
  expect([holder[row], holderSource[row]]).toEqual([-1, HolderSource.None]);
});

function futex(tid: number, timeNs: number, op: number, val: number): RecordedSample {
  const values = { uaddr: 64, op, val, uaddr2: 0 };
  return { event: 'syscalls:sys_enter_futex', timeNs, tid, cpu: 0, context: 1, values };
}

function rowsWithin(waits: Waits, { tid, from, to }: Truth): number[] {
  return [...waits.outNs.keys()].filter((row) => {
    const isWithin = waits.outNs[row] >= from && waits.outNs[row] < to;
    return isWithin && waits.tid[row] === tid && waits.state[row] === OffState.Blocked;
  });
}

/** True holders during a wait, in the order of time. */
function holdersWithin(truth: readonly Truth[], { tid, from, to, address }: Truth): number[] {
  const holds = truth.filter((hold) => hold.kind === 'hold' && hold.address === address && hold.tid !== tid);
  const during = holds.filter((hold) => hold.from < to && hold.to > from);
  return during.sort((a, b) => a.from - b.from).map((hold) => hold.tid);
}

function holdersDuring({ holds, lock }: LockWaits, waits: Waits, wait: number): number[] {
  const rows = [...holds.tid.keys()].slice(holds.starts[lock[wait]], holds.starts[lock[wait] + 1]);
  const during = rows.filter((row) => holds.fromNs[row] < waits.inNs[wait] && holds.toNs[row] > waits.outNs[wait]);
  return during.map((row) => holds.tid[row]);
}

function trueHolder({ holds }: Recorder, address: number, atNs: number): number {
  return holds.find((hold) => hold.address === address && hold.fromNs <= atNs && hold.toNs > atNs)?.tid ?? 0;
}

/** When a waiter passed the probe. */
function probeNs({ samples }: Recorder, waits: Waits, wait: number): number {
  const passed = samples.filter(({ event, tid, timeNs }) => {
    return event === PROBE && tid === waits.tid[wait] && timeNs < waits.outNs[wait];
  });
  return Math.max(...passed.map(({ timeNs }) => timeNs));
}
