/**
 * Holders of locks if samples of futex calls are missing, though perf noted no loss: fewer are known, hardly any wrong.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { HeldTime } from '../../src/waits/locks/held-time.js';
import { HolderSource, lockWaitsOf } from '../../src/waits/locks/lock-waits.js';
import { waitsOf } from '../../src/waits/waits.js';
import type { RecordedSwitch } from './helpers/switch-columns.js';
import { loads, randomOf, runLoad } from './simulator/random-loads.js';
import { inputOf, type RecordedSample, type Recorder } from './simulator/recorder.js';

const RUNS = fc.sample(loads, { seed: 29, numRuns: 60 }).map(runLoad);

/** Shares of waits for locks whose holder is right or wrong, and of the held time that is right. */
function sharesOf(missing: number, kept: (sample: RecordedSample) => boolean, source: HolderSource) {
  const random = randomOf(29);
  const sums = { waits: 0, right: 0, wrong: 0, heldNs: 0, rightNs: 0 };
  for (const run of RUNS) {
    const isKept = (sample: RecordedSample) => kept(sample) && !(sample.event.includes('futex') && random() < missing);
    addRun(sums, run, inputOf(run.samples.filter(isKept), run.switches), source);
  }
  const { waits, right, wrong, heldNs, rightNs } = sums;
  return { right: right / waits, wrong: wrong / waits, held: rightNs / heldNs };
}

type Sums = Record<'waits' | 'right' | 'wrong' | 'heldNs' | 'rightNs', number>;

function addRun(sums: Sums, { holds }: Recorder, input: ReturnType<typeof inputOf>, source: HolderSource): void {
  const waits = waitsOf(input);
  const locks = lockWaitsOf(waits, input.samples, source === HolderSource.Probe ? 'probe_libc:lock_slow' : null);
  const addressOf = (wait: number) => locks.locks.address[locks.lock[wait]];
  for (let wait = 0; wait < waits.length; wait++) {
    if (locks.lock[wait] === NONE) continue;
    if (source === HolderSource.Probe && locks.holderSource[wait] !== source) continue;
    const atNs = waits.calls.enterNs[waits.waitCall[wait]];
    const address = addressOf(wait);
    const holder = holds.find((hold) => hold.address === address && hold.fromNs <= atNs && hold.toNs > atNs);
    sums.waits++;
    if (locks.holder[wait] === holder?.tid) sums.right++;
    else if (locks.holder[wait] !== NONE) sums.wrong++;
  }
  const held = new HeldTime(waits, locks);
  for (let wait = 0; wait < waits.length; wait++) {
    const { pieces } = held.of(wait);
    for (let piece = 0; piece < pieces.length; piece++) {
      const [fromNs, toNs] = [pieces.fromNs[piece], pieces.toNs[piece]];
      const own = holds.filter(({ tid, address }) => tid === pieces.holder[piece] && address === addressOf(wait));
      sums.heldNs += toNs - fromNs;
      for (const hold of own) sums.rightNs += Math.max(0, Math.min(hold.toNs, toNs) - Math.max(hold.fromNs, fromNs));
    }
  }
}

const all = () => true;
const withoutWakings = ({ event }: RecordedSample) => event !== 'sched:sched_waking';

it.each([
  [0, 0.98],
  [0.01, 0.98],
  [0.03, 0.98],
  [0.1, 0.95],
  [0.3, 0.85],
])('names holders by futexes alone if %f of their samples are missing', (missing, least) => {
  const { right, wrong, held } = sharesOf(missing, all, HolderSource.Futex);
  expect(right).toBeGreaterThan(least);
  expect(wrong).toBeLessThan(0.01);
  expect(held).toBeGreaterThan(0.92);
});

it.each([
  [0.01, 0.85],
  [0.1, 0.3],
])('names some holders if wakings are missing, too', (missing, least) => {
  const { right, wrong, held } = sharesOf(missing, withoutWakings, HolderSource.Futex);
  expect(right).toBeGreaterThan(least);
  expect(wrong).toBeLessThan(0.01);
  expect(held).toBeGreaterThan(0.92);
});

it.each([0.01, 0.1, 0.3])('is not misled by probes of earlier calls if %f of the calls are missing', (missing) => {
  const { wrong, held } = sharesOf(missing, all, HolderSource.Probe);
  expect(wrong).toBeLessThan(0.01);
  expect(held).toBeGreaterThan(0.92);
});

/** Threads 1 to 4 have used the lock; times in microseconds. */
const [LOCK, OTHER] = [64, 128];
const sample = (event: string, tid: number, us: number, values: Record<string, number>): RecordedSample => {
  return { event, timeNs: us * 1000, tid, cpu: tid, context: 1, values };
};
const enter = (tid: number, us: number, op: number, val: number, uaddr = LOCK) =>
  sample('syscalls:sys_enter_futex', tid, us, { uaddr, op, val, uaddr2: 0 });
const exit = (tid: number, us: number, ret: number) => sample('syscalls:sys_exit_futex', tid, us, { ret });
const waking = (tid: number, us: number, woken: number) => sample('sched:sched_waking', tid, us, { pid: woken });
const off = (tid: number, outUs: number, inUs: number): RecordedSwitch[] => [
  { timeNs: outUs * 1000, tid, cpu: tid, kind: 1 },
  { timeNs: inUs * 1000, tid, cpu: tid, kind: 0 },
];
const [WAIT, WAKE] = [0x80, 0x81];
const waitCall = (tid: number, fromUs: number, toUs: number, uaddr = LOCK) => [
  enter(tid, fromUs, WAIT, 2, uaddr),
  exit(tid, toUs, 0),
];
const wakeCall = (tid: number, us: number, uaddr = LOCK) => [enter(tid, us, WAKE, 1, uaddr), exit(tid, us + 2, 1)];

/** Thread 2 waits from 100 to 300; thread 1 wakes it at 290. Returns the holder of that wait. */
function holderOf2(others: readonly RecordedSample[], switches: readonly RecordedSwitch[] = []): number {
  const samples = [...waitCall(2, 100, 302), waking(1, 290, 2), ...others].sort((a, b) => a.timeNs - b.timeNs);
  const input = inputOf(samples, [...off(2, 101, 300), ...switches]);
  const waits = waitsOf(input);
  const { holder } = lockWaitsOf(waits, input.samples, null);
  return holder[[...waits.tid.keys()].findIndex((wait) => waits.tid[wait] === 2 && waits.outNs[wait] === 101_000)];
}

/** Thread 3's exit of a call whose enter is missing. */
const stray = [...wakeCall(3, 10), exit(3, 20, 0)];

describe('the holder of a wait', () => {
  test.each<[string, number, RecordedSample[], RecordedSwitch[]]>([
    ['woke the waiter', 1, wakeCall(1, 289), []],
    ['woke the waiter, in a call that is not among the samples', 1, wakeCall(4, 310), []],
    ['woke the waiter, in a call that is not among the samples after another', 1, [...wakeCall(1, 200), ...stray], []],
    [
      'woke another waiter before, in a call that is not among the samples',
      4,
      [...wakeCall(1, 289), ...waitCall(3, 50, 162), waking(4, 150, 3)],
      off(3, 51, 160),
    ],
    [
      'is not known if a thread was woken of which calls are missing',
      NONE,
      [...wakeCall(1, 289), ...stray, waking(4, 150, 3)],
      off(3, 51, 160),
    ],
    [
      'is known if another thread was woken, but no calls are missing',
      1,
      [...wakeCall(1, 289), ...wakeCall(3, 10), waking(4, 150, 3)],
      off(3, 51, 160),
    ],
    [
      'is known if the other thread that was woken uses no futexes',
      1,
      [...wakeCall(1, 289), ...stray, waking(4, 150, 5)],
      off(5, 51, 160),
    ],
    [
      'is known if the other thread was woken in a call that is known',
      1,
      [...wakeCall(1, 289), ...stray, ...wakeCall(4, 149, OTHER), waking(4, 150, 3)],
      off(3, 51, 160),
    ],
    [
      'is known if the other thread waited for something else',
      1,
      [...wakeCall(1, 289), ...stray, ...waitCall(3, 50, 162, OTHER), waking(4, 150, 3)],
      off(3, 51, 160),
    ],
    [
      'is not known if a thread whose waker is not known came back from a call that is not among the samples',
      NONE,
      [...wakeCall(1, 289), ...wakeCall(3, 10), exit(3, 162, 0)],
      off(3, 51, 160),
    ],
    [
      'is known if a thread whose waker is not known did not wait in a futex call',
      1,
      [...wakeCall(1, 289), ...stray, ...wakeCall(3, 40), ...wakeCall(3, 170, OTHER)],
      off(3, 51, 160),
    ],
    [
      'is not a thread whose own wait timed out before',
      4,
      [enter(3, 50, WAIT, 2), exit(3, 90, -110), ...wakeCall(4, 150), ...wakeCall(3, 289)],
      off(3, 51, 88),
    ],
    [
      'is not a thread that only then waited for the lock itself, in a call whose end is not among the samples',
      NONE,
      [...stray, enter(4, 150, WAIT, 2), ...wakeCall(4, 288)],
      [],
    ],
    [
      'is not the waker by signal of another waiter',
      1,
      [...wakeCall(1, 289), enter(3, 50, WAIT, 2), exit(3, 162, -4), waking(4, 150, 3)],
      off(3, 51, 160),
    ],
  ])('%s', (_, holder, samples, switches) => {
    expect(holderOf2(samples, switches)).toBe(holder);
  });
});
