/**
 * Locks of a program with known waits: really recorded without Intel PT, and emulated with calls.
 */
import { expect, test } from 'vitest';
import { locksLines } from '../../cli/answers/locks/locks.js';
import { Locks, locksAnswer } from '../../src/answers.js';
import { type AnalyzedInput, askLocks, type LocksOptions } from '../../src/index.js';
import { readRecording } from '../../src/recordings.js';
import { fileOf } from '../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../helpers/traces/load.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));

async function real(): Promise<AnalyzedInput> {
  const sides = [{ name: 'wakings', recording: await recordingOf('waitlab.wake') }];
  const sampled = await recordingOf('waitlab.proc');
  return { name: 'waitlab.data', sampled, sides, recorded: null, broken: null };
}

async function ask(input: AnalyzedInput, options: LocksOptions): Promise<Locks> {
  return Locks.parse(locksAnswer(await askLocks([input], options)));
}

interface TrueWait {
  readonly tid: number;
  readonly reason: string;
  readonly from: number;
  readonly address: string;
  readonly for: number;
  readonly forFn: string;
}

function mutexWaits(name: string): TrueWait[] {
  const lines = fixture(`waits/${name}.truth.jsonl.gz`).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TrueWait).filter(({ reason }) => reason === 'mutex');
}

/** The longest wait of the thread that began within a millisecond after it asked for the lock. */
function found({ slowest }: Locks, { tid, from }: TrueWait): Locks['slowest'][number] | undefined {
  const sinceNs = (start: string) => Math.round(Number(start) * 1e9) - from;
  return slowest.find(({ thread, start }) => thread.tid === tid && sinceNs(start) > -1e5 && sinceNs(start) < 1e6);
}

const ALL = { slowest: 1000 };

test('all waits for mutexes have their address and their holder', async () => {
  const answer = await ask(await real(), ALL);
  const truth = mutexWaits('waitlab');
  expect(truth).toHaveLength(18);
  for (const wait of truth) {
    const own = found(answer, wait);
    expect([own?.address, own?.holderSource]).toEqual([wait.address, 'probe']);
    if (wait.for > 0) expect(own?.holder?.tid).toBe(wait.for);
    const heldNs = (own?.probeNs ?? 0) + (own?.futexNs ?? 0);
    expect(heldNs).toBeGreaterThan(0.9 * (own?.waitedNs ?? 0));
  }
});

test('times of locks and of their holders add up', async () => {
  const { locks, total, slowest } = await ask(await real(), ALL);
  for (const row of [...locks, ...slowest]) {
    const { probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs, waitedNs } = row;
    expect(probeNs + futexNs + passedOnNs + wakeUpNs + unknownNs).toBeCloseTo(waitedNs, 3);
    expect(row.holders.reduce((sum, { heldNs }) => sum + heldNs, 0)).toBeCloseTo(probeNs + futexNs, 3);
    for (const { heldNs, ranNs, blockedNs, preemptedNs } of row.holders)
      expect(ranNs + blockedNs + preemptedNs).toBeCloseTo(heldNs, 3);
  }
  const mutexes = locks.filter(({ isLock }) => isLock);
  expect(mutexes.map(({ convoy }) => convoy)).toEqual([1, 3, 1, 1]);
  expect(total.waitedNs).toBeCloseTo(
    mutexes.reduce((sum, { waitedNs }) => sum + waitedNs, 0),
    3,
  );
  expect(total.unknownNs).toBe(0);
});

test('one lock can be asked for, and threads can be selected', async () => {
  const [lock] = (await ask(await real(), {})).locks.filter(({ isLock }) => isLock);
  const one = await ask(await real(), { address: lock?.address ?? '' });
  expect(one.locks).toEqual([lock]);
  const customers = locksAnswer(await askLocks([await real()], {}, { select: { comm: /^customer$/ } }));
  expect(customers.locks.filter(({ isLock }) => isLock)).toEqual([lock]);
  await expect(ask(await real(), { address: 'here' })).rejects.toThrow('here is not an address');
});

test('what a recording without its wakings lacks is said, and nothing else is claimed', async () => {
  const input = await real();
  const { missing, locks } = await ask({ ...input, sides: [{ name: 'X.wakes.data', recording: null }] } as never, {});
  expect(missing.map(({ what }) => what)).toContainEqual(expect.stringContaining('X.wakes.data is missing'));
  const full = await ask(input, {});
  expect(locks.map(({ waits }) => waits)).toEqual(full.locks.map(({ waits }) => waits));
});

test('a sentence says for whom a thread waited', async () => {
  const answer = await ask(await real(), { slowest: 1 });
  expect(locksLines(answer, { width: 120, top: 0, isOne: false }).at(-1)).toBe(
    'at 6083.031049312 customer 7558 waited 18.3 ms (mutex 0x5620a494c540) for teller 7557, which held it 18.2 ms and was blocked >99.9 % of it; ran 79.7 µs after it was woken',
  );
});

test('with calls, the functions of the holders over the waits are known', async () => {
  const text = inputOf(fixture('waits/waits.txt.gz'), 'waits.txt');
  const answer = await ask(text, ALL);
  const truth = mutexWaits('waits');
  expect(truth).toHaveLength(6);
  for (const wait of truth) {
    const own = found(answer, wait);
    if (wait.for > 0) expect(own?.holder?.tid).toBe(wait.for);
    // A clerk notes its wait before it begins with its work.
    const names = wait.for > 0 ? [wait.forFn] : [wait.forFn, 'said_wait'];
    const spots = own?.holders.flatMap((holder) => holder.spots) ?? [];
    const inside = spots.filter(({ path }) => path.some(({ name }) => names.includes(name)));
    const ns = inside.reduce((sum, spot) => sum + spot.ns, 0);
    expect([wait.address, ns / (own?.waitedNs ?? 0) > 0.97]).toEqual([wait.address, true]);
  }
  const lines = locksLines(answer, { width: 150, top: 0, isOne: false });
  expect(lines).toContainEqual(
    expect.stringMatching(/customer \d+ waited 18.1 ms in read_balance .* for teller \d+, which .* and slept in rest;/),
  );
});
