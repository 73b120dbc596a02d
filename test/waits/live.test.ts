/**
 * Waits of a new recording of `waitlab`, made on this machine: whatever is concluded agrees with what the program noted,
 * in whichever way its threads were scheduled. How many waits there are, and how long, depends on the machine.
 */
import { execa } from 'execa';
import { beforeEach, describe, expect } from 'vitest';
import { kallsymsState } from '../../cli/record/machine/kernel-symbols.js';
import { NONE } from '../../src/model/units.js';
import { WakerKind } from '../../src/waits/find-wakers.js';
import { pushesByKey } from '../../src/waits/hand-offs.js';
import { type LockWaits, lockWaitsOf } from '../../src/waits/locks/lock-waits.js';
import { momentsOf } from '../../src/waits/moments.js';
import { Reason, reasonName } from '../../src/waits/reason.js';
import { test } from '../helpers/cli/run-cli.js';
import { isTracingPermitted } from '../tools/tracing.js';
import { type LiveRecording, probeOf, recordLive } from './helpers/record-live.js';
import type { Truth } from './helpers/recorded.js';
import { blockedRows, holdersAt, releasersOf, wakersOf } from './helpers/true-answers.js';

const hasCompiler = !(await execa('gcc', ['--version'], { reject: false })).failed;
const isPermitted = hasCompiler && (await isTracingPermitted());
let recording: Promise<LiveRecording> | null = null;

/** The clocks of recording and program are tied by samples of probes, which take time themselves. */
const CLOCK_ERROR_NS = 30_000;

describe('a new recording', () => {
  beforeEach(({ skip }) => skip(!isPermitted, 'needs gcc, perf, and permission to record tracepoints and uprobes'));
  const recorded = () => (recording ??= recordLive());

  test('names the thread that ended each wait', async () => {
    const { waits, truth, lost } = await recorded();
    const ownTids = new Set(truth.map(({ tid }) => tid));
    let checked = 0;
    for (const wait of truth.filter(({ kind, reason }) => kind === 'wait' && reason !== 'spin'))
      for (const row of blockedRows(waits, wait)) {
        if (waits.wakerKind[row] === WakerKind.NotSeen && lost > 0) continue;
        const wakers = wait.for === 0 ? [NONE] : wakersOf(wait, truth, waits, row);
        const isRight = wakers.includes(waits.waker[row]) || (wait.for === 0 && !ownTids.has(waits.waker[row]));
        if (!isRight) expect.fail(`${JSON.stringify(wait)}: ${wakers}, not ${waits.waker[row]}`);
        checked++;
      }
    expect(checked).toBeGreaterThan(15);
  });

  test('finds the address of each mutex and read-write lock', async () => {
    const { waits, truth } = await recorded();
    const lockWaits = truth.filter(({ reason }) => reason === 'mutex' || reason === 'rwlock');
    const offsets = lockWaits.flatMap((wait) =>
      blockedRows(waits, wait).map((row) => {
        const word = waits.calls.address[waits.waitCall[row]] - Number(wait.address);
        return wait.reason === 'mutex' ? word === 0 : word === 8 || word === 12; // one for readers, one for writers
      }),
    );
    expect(offsets.length).toBeGreaterThan(2);
    expect(offsets).not.toContain(false);
  });

  test('names the holders of locks, at random contention, too', async () => {
    const live = await recorded();
    const byFutex = lockWaitsOf(live.waits, live.samples, null);
    const byProbe = lockWaitsOf(live.waits, live.samples);
    const [futex, probe] = [byFutex, byProbe].map((locks) => holdersOf(live, locks));
    expect(probe.all).toBeGreaterThan(20);
    expect(probe.wrong).toEqual([]);
    expect(futex.wrong.length).toBeLessThan(futex.all / 10);
    if (live.lost === 0) expect(futex.known).toBeGreaterThan(futex.all * 0.9);
  });

  test('says why threads waited, by what the kernel did', async ({ skip }) => {
    const { waits, truth, lost } = await recorded();
    const kernelRows = [...waits.kernelReason.keys()].filter((row) => waits.kernelReason[row] !== Reason.Unknown);
    skip(lost > 0 || !(await areFunctionsKnown()), 'needs all samples, and addresses of the kernel');
    expect(kernelRows.length).toBeGreaterThan(20);
    const kinds = {
      mutex: Reason.Futex,
      cond: Reason.Futex,
      sem: Reason.Futex,
      join: Reason.Futex,
      sleep: Reason.Sleep,
    };
    for (const [kind, reason] of Object.entries(kinds))
      for (const wait of truth.filter((each) => each.kind === 'wait' && each.reason === kind))
        for (const row of blockedRows(waits, wait).filter((row) => kernelRows.includes(row)))
          expect([kind, reasonName(waits.kernelReason[row])]).toEqual([kind, reasonName(reason)]);
  });

  test('names the thread that ended each wait at random contention', async () => {
    const { waits, samples, truth, lost } = await recorded();
    const locks = lockWaitsOf(waits, samples);
    const rows = waitsForNotedLocks(truth, locks).filter(({ row }) => lost === 0 || waits.waker[row] !== NONE);
    for (const { row, address } of rows) {
      const wait = { tid: waits.tid[row], from: waits.calls.enterNs[waits.waitCall[row]], address };
      expect(releasersOf(wait, truth, waits.wakeNs[row], CLOCK_ERROR_NS)).toContain(waits.waker[row]);
    }
    expect(rows.length).toBeGreaterThan(20);
  });

  test('joins each job with its push, by key', async () => {
    const { samples } = await recorded();
    const [pushed, popped] = ['queue_push', 'run_job'].map((name) => probeOf(samples, name));
    const found = pushesByKey(momentsOf(pushed, 'job'), momentsOf(popped, 'job'));
    const [pushedIds, poppedIds] = [pushed, popped].map((table) => momentsOf(table, 'id').key);
    expect(Array.from(found, (push) => pushedIds[push])).toEqual(Array.from(poppedIds));
    expect(new Set(found).size).toBe(16);
  });
});

async function areFunctionsKnown(): Promise<boolean> {
  return (await kallsymsState('/')) === 'readable';
}

/** Waits for locks of which the program noted who held them. */
function waitsForNotedLocks(truth: readonly Truth[], { lock, locks }: LockWaits): { row: number; address: string }[] {
  const noted = new Set(truth.filter(({ kind }) => kind === 'hold').map(({ address }) => address));
  const addressOf = (row: number) => (lock[row] === NONE ? '' : `0x${locks.address[lock[row]].toString(16)}`);
  const waits = Array.from(lock, (_, row) => ({ row, address: addressOf(row) }));
  return waits.filter(({ address }) => noted.has(address));
}

function holdersOf({ waits, truth }: LiveRecording, locks: LockWaits) {
  const all = waitsForNotedLocks(truth, locks);
  const known = all.filter(({ row }) => locks.holder[row] !== NONE);
  const wrong = known.filter(({ row, address }) => {
    const holders = holdersAt(truth, address, waits.calls.enterNs[waits.waitCall[row]], CLOCK_ERROR_NS);
    return !holders.includes(locks.holder[row]);
  });
  return { all: all.length, known: known.length, wrong };
}
