/**
 * Whose the time of waits for locks was, against simulated machines; convoys; and words that belong to one object.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE } from '../../src/model/units.js';
import { longestConvoy } from '../../src/waits/locks/convoys.js';
import { HeldTime } from '../../src/waits/locks/held-time.js';
import { HolderSource } from '../../src/waits/locks/holders.js';
import { lockWaitsOf } from '../../src/waits/locks/lock-waits.js';
import { waitedObjectsOf } from '../../src/waits/locks/waited-objects.js';
import { Reason } from '../../src/waits/reasons/reason.js';
import { waitsOf } from '../../src/waits/waits.js';
import { recordReal } from './helpers/recorded.js';
import { inputOfRun, loads, runLoad } from './simulator/random-loads.js';

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
