/**
 * Whose the time of waits for locks was, against simulated machines; convoys; and words that belong to one object.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SampleContext, SwitchKind } from '../../../src/model/sample-table.js';
import { type Bounds, NONE } from '../../../src/model/units.js';
import { HeldTime } from '../../../src/waits/locks/held-time.js';
import { HolderSource, lockWaitsOf } from '../../../src/waits/locks/lock-waits.js';
import { longestConvoy, waitedObjectsOf } from '../../../src/waits/locks/waited-objects.js';
import { Reason } from '../../../src/waits/reason.js';
import { waitsOf } from '../../../src/waits/waits.js';
import { recordReal } from '../helpers/recorded.js';
import { inputOfRun, loads, runLoad } from '../simulator/random-loads.js';
import { inputOf, type RecordedSample } from '../simulator/recorder.js';

type Run = ReturnType<typeof runLoad>;

function trulyHeldNs(run: Run, address: number, tid: number, fromNs: number, toNs: number): number {
  const own = run.holds.filter((hold) => hold.address === address && hold.tid === tid);
  return own.reduce((sum, hold) => sum + Math.max(0, Math.min(toNs, hold.toNs) - Math.max(fromNs, hold.fromNs)), 0);
}

test('pieces of a wait follow each other, add up with the rest to the wait, and name threads that had the lock', () => {
  let heldNs = 0;
  let rightNs = 0;
  let waitedNs = 0;
  const check = (load: Parameters<typeof runLoad>[0]) => {
    const run = runLoad(load);
    const input = inputOfRun(run);
    const waits = waitsOf(input);
    const locks = lockWaitsOf(waits, input.samples);
    const held = new HeldTime(waits, locks);
    for (let wait = 0; wait < waits.length; wait++) {
      const { pieces, passedOnNs, wakeUpNs, unknownNs } = held.of(wait);
      let sumNs = passedOnNs + wakeUpNs + unknownNs;
      let atNs = waits.outNs[wait];
      for (let piece = 0; piece < pieces.length; piece++) {
        expect(pieces.fromNs[piece]).toBeGreaterThanOrEqual(atNs);
        expect(pieces.holder[piece]).not.toBe(waits.tid[wait]);
        atNs = pieces.toNs[piece];
        const ns = atNs - pieces.fromNs[piece];
        sumNs += ns;
        heldNs += ns;
        const address = locks.locks.address[locks.lock[wait]];
        rightNs += trulyHeldNs(run, address, pieces.holder[piece], pieces.fromNs[piece], atNs);
      }
      if (locks.lock[wait] === NONE) expect(sumNs).toBe(0);
      else expect(sumNs).toBeCloseTo(waits.inNs[wait] - waits.outNs[wait], 3);
      waitedNs += sumNs;
    }
  };
  fc.assert(fc.property(loads, check), { seed: 12, numRuns: 40 });
  expect(rightNs / heldNs).toBeGreaterThan(0.97);
  expect(heldNs / waitedNs).toBeGreaterThan(0.4);
});

test('holders that a probe read are told apart from those of futex calls', async () => {
  const { input } = await recordReal();
  const waits = waitsOf(input);
  const sourcesOf = (event: string | null) => {
    const held = new HeldTime(waits, lockWaitsOf(waits, input.samples, event));
    const sources = [...waits.state.keys()].flatMap((wait) => {
      const { length, source } = held.of(wait).pieces;
      return [...source.subarray(0, length)];
    });
    return new Set(sources);
  };
  expect(sourcesOf('probe_libc:lock_slow')).toEqual(new Set([HolderSource.Probe, HolderSource.Futex]));
  expect(sourcesOf(null)).toEqual(new Set([HolderSource.Futex]));
});

const [WAITER, WAKER, OTHER] = [7, 8, 9];

function sample(event: string, timeNs: number, tid: number, values: RecordedSample['values']): RecordedSample {
  return { event, timeNs, tid, cpu: 0, context: SampleContext.Task, values };
}

/** A futex call for word 64. */
const call = (tid: number, enterNs: number, exitNs: number, op: number, val: number) => [
  sample('syscalls:sys_enter_futex', enterNs, tid, { op, uaddr: 64, val, uaddr2: 0 }),
  sample('syscalls:sys_exit_futex', exitNs, tid, { ret: 0 }),
];
const waiting = (tid: number, enterNs: number, exitNs: number) => call(tid, enterNs, exitNs, 0x80, 2);
const release = (tid: number, enterNs: number) => call(tid, enterNs, enterNs + 20, 0x81, 1);
const waking = (timeNs: number) => sample('sched:sched_waking', timeNs, WAKER, { pid: WAITER });
const ownerAt100 = (owner: number) => sample('probe_libc:lock_slow', 95, WAITER, { lock: 64, owner });

const OUT = { timeNs: 200, tid: WAITER, cpu: 0, kind: SwitchKind.Out };
const IN = { timeNs: 600, tid: WAITER, cpu: 0, kind: SwitchKind.In };
const WAITED = waiting(WAITER, 100, 650);

interface Conditions {
  readonly switches?: readonly (typeof IN | typeof OUT)[];
  readonly lost?: readonly [fromNs: number, toNs: number];
  readonly window?: Bounds;
}

/** Divides the wait from 200 to 600: pieces of holders, then the time passed on, to wake up, and unknown. */
function divided(samples: readonly RecordedSample[], { switches = [OUT, IN], lost, window }: Conditions) {
  const recorded = inputOf(samples, switches);
  const waits = waitsOf({ ...recorded, lost: lost ? [{ fromNs: lost[0], toNs: lost[1] }] : [] });
  const held = new HeldTime(waits, lockWaitsOf(waits, recorded.samples), window);
  held.of(0); // nothing of it stays
  const { pieces, passedOnNs, wakeUpNs, unknownNs } = held.of(0);
  const { length, holder, hold, fromNs, toNs } = pieces;
  const holders = Array.from({ length }, (_, row) => {
    const by = [null, 'futex', 'probe'][pieces.source[row]];
    return `${holder[row]} ${fromNs[row]}-${toNs[row]} ${by}${hold[row] === NONE ? ' only' : ''}`;
  });
  return [holders.join(', '), passedOnNs, wakeUpNs, unknownNs];
}

const HELD = [...WAITED, ...release(WAKER, 490), waking(500)];
const INHERITED = [...waiting(OTHER, 90, 350), ...release(WAKER, 300), ...release(OTHER, 490), ...WAITED, waking(500)];
const GOT_AT_300 = [...waiting(WAKER, 90, 300), ...HELD];

test.each<[string, readonly RecordedSample[], Conditions, ReturnType<typeof divided>]>([
  ['of one holder, until it woke the waiter', HELD, {}, ['8 200-490 futex', 10, 100, 0]],
  ['of two holders', INHERITED, {}, ['8 200-300 futex, 9 350-490 futex', 60, 100, 0]],
  ['unknown after the holder, if no waking was seen', HELD.slice(0, -1), {}, ['8 200-490 futex', 0, 0, 110]],
  ['unknown before a holder', GOT_AT_300, {}, ['8 300-490 futex', 10, 100, 100]],
  [
    'of the owner, then of a holder',
    [...GOT_AT_300, ownerAt100(9)],
    {},
    ['9 200-300 probe only, 8 300-490 futex', 10, 100, 0],
  ],
  ['of a holder that is the owner', [...HELD, ownerAt100(8)], {}, ['8 200-490 probe', 10, 100, 0]],
  [
    'of the owner, and later not of the same',
    [...INHERITED, ownerAt100(9)],
    {},
    ['8 200-300 futex, 9 350-490 futex', 60, 100, 0],
  ],
  ['of the owner alone', [...WAITED, ownerAt100(8)], {}, ['8 200-600 probe only', 0, 0, 0]],
  [
    'unknown, if samples were lost since the owner was read',
    [...WAITED, ownerAt100(8)],
    { lost: [300, 310] },
    ['', 0, 0, 400],
  ],
  ['unknown, if samples were lost during the hold', HELD, { lost: [300, 310] }, ['', 0, 100, 300]],
  ['known, if samples were lost after the hold', HELD, { lost: [495, 496] }, ['8 200-490 futex', 10, 100, 0]],
  ['unknown after the holder, if it never ended', HELD, { switches: [OUT] }, ['8 200-490 futex', 0, 0, 160]],
  [
    'only to wake up, if the waking came before the switch',
    [...WAITED, ...release(WAKER, 140), waking(150)],
    {},
    ['', 0, 400, 0],
  ],
  ['only what is within a window', HELD, { window: { startNs: 250, endNs: 550 } }, ['8 250-490 futex', 10, 50, 0]],
  ['only what is within an early window', HELD, { window: { startNs: 0, endNs: 300 } }, ['8 200-300 futex', 0, 0, 0]],
  ['nothing outside of a window', HELD, { window: { startNs: 0, endNs: 200 } }, ['', 0, 0, 0]],
  ['nothing, if the word is no lock', [...call(WAITER, 100, 650, 0x80, 1), waking(500)], {}, ['', 0, 0, 0]],
])('the time of a wait is %s', (_, samples, conditions, expected) => {
  expect(divided(samples, conditions)).toEqual(expected);
});

test('a convoy is the largest number of waits at one moment', () => {
  const time = fc.integer({ min: 0, max: 30 });
  const spans = fc.array(fc.tuple(time, time).filter(([from, to]) => from < to));
  fc.assert(
    fc.property(spans, (all) => {
      const outNs = Float64Array.from(all, ([from]) => from);
      const inNs = Float64Array.from(all, ([, to]) => to);
      const at = (moment: number) => all.filter(([from, to]) => from <= moment && moment < to).length;
      const most = Math.max(0, ...Array.from({ length: 31 }, (_, moment) => at(moment)));
      expect(longestConvoy({ outNs, inNs }, Uint32Array.from(all.keys()))).toBe(most);
    }),
  );
});

test('words of one object are one object, of the kind that most of its waits tell', async () => {
  const { input, truth } = await recordReal();
  const waits = waitsOf(input);
  const address = Number(truth.find(({ reason }) => reason === 'rwlock')?.address);
  const isOfRwLock = (wait: number) => {
    const word = waits.waitCall[wait] === NONE ? 0 : waits.calls.address[waits.waitCall[wait]];
    return word === address + 8 || word === address + 12;
  };
  const rows = [...waits.tid.keys()].filter(isOfRwLock);
  expect(rows.length).toBe(6);
  const reasons = new Uint8Array(waits.length);
  expect(waitedObjectsOf(waits, reasons, isOfRwLock).length).toBe(1);
  expect([...waitedObjectsOf(waits, reasons, isOfRwLock).kind]).toEqual([Reason.Futex]);
  for (const row of rows) reasons[row] = Reason.RwLock;
  const { length, address: addresses, kind, objectOf } = waitedObjectsOf(waits, reasons, isOfRwLock);
  expect([length, addresses[0], kind[0]]).toEqual([1, address, Reason.RwLock]);
  expect(rows.map((row) => objectOf[row])).toEqual(rows.map(() => 0));
});
