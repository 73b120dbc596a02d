/**
 * What intervals consisted of: in random runs, where pieces must add up, and in recordings with truth.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CriticalPath, criticalPathOf, PieceKind } from '../../../src/waits/critical-path.js';
import { type Waits, waitsOf } from '../../../src/waits/waits.js';
import { recordEmulated, recordReal } from '../helpers/recorded.js';
import { inputOfRun, loads, runLoad } from '../simulator/random-loads.js';
import { inputOf, type Recorder } from '../simulator/recorder.js';

const NAMES = Object.fromEntries(Object.entries(PieceKind).map(([name, kind]) => [kind, name]));

describe('in random runs', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('has pieces that add up to the interval, whatever part of the samples is missing', () => {
    const check = (load: Parameters<typeof runLoad>[0], kept: number, [from, to]: number[]) => {
      const run = runLoad(load);
      const samples = run.samples.filter(({ timeNs }) => (timeNs * 7919) % 1000 < kept * 1000);
      const switches = run.switches.filter(({ timeNs }) => (timeNs * 6007) % 1000 < kept * 1200);
      for (const input of [inputOfRun(run), inputOf(samples, switches)]) {
        const waits = waitsOf(input);
        waits.tids.forEach((tid, thread) => {
          const [startNs, endNs] = [waits.startNs[thread], waits.endNs[thread]];
          const at = (share: number) => Math.round(startNs + share * (endNs - startNs));
          expectToAddUp(waits, tid, at(Math.min(from, to)), at(Math.max(from, to)));
          expectToAddUp(waits, tid, startNs - 1000, endNs + 1000);
        });
      }
    };
    fc.assert(fc.property(loads, share, fc.tuple(share, share), check), { numRuns: 25 });
  });

  it('has pieces of threads that really ran then', () => {
    const check = (load: Parameters<typeof runLoad>[0]) => {
      const run = runLoad(load);
      const waits = waitsOf(inputOfRun(run));
      waits.tids.forEach((tid, thread) => {
        const path = criticalPathOf(waits, tid, waits.startNs[thread], waits.endNs[thread]);
        for (let piece = 0; piece < path.length; piece++) expectTrue(run, path, piece);
      });
    };
    fc.assert(fc.property(loads, check), { numRuns: 25 });
  });
});

function expectToAddUp(waits: Waits, tid: number, fromNs: number, toNs: number): void {
  const path = criticalPathOf(waits, tid, fromNs, toNs);
  let atNs = fromNs;
  for (let piece = 0; piece < path.length; piece++) {
    expect(path.fromNs[piece]).toBe(atNs);
    expect(path.toNs[piece]).toBeGreaterThan(atNs);
    atNs = path.toNs[piece];
  }
  expect(atNs).toBe(toNs);
}

/** A thread that runs is not off the CPU; one that is blocked or preempted is. */
function expectTrue({ waits }: Recorder, path: CriticalPath, piece: number): void {
  const [fromNs, toNs] = [path.fromNs[piece], path.toNs[piece]];
  const overlap = waits.filter((wait) => wait.tid === path.tid[piece] && wait.outNs < toNs && wait.inNs > fromNs);
  const kind = NAMES[path.kind[piece]];
  if (kind === 'Unknown') return; // the thread had not begun
  if (kind === 'Running') expect(overlap).toEqual([]);
  else if (kind === 'Preempted') expect(overlap.map(({ isBlocked }) => isBlocked)).toEqual([false]);
  else {
    expect(['WakeUp', 'Interrupt']).toContain(kind);
    expect(overlap.map(({ isBlocked, wakeNs }) => [isBlocked, wakeNs <= fromNs])).toEqual([[true, kind === 'WakeUp']]);
    if (kind === 'Interrupt') expect(overlap[0].waker).toBe(0);
  }
}

describe.each([
  { ...(await recordReal()), count: 24 },
  { ...(await recordEmulated()), count: 8 },
])('$name', ({ input, truth, count }) => {
  const waits = waitsOf(input);

  it('leads from alice to bob to carol', () => {
    for (const wait of truth.filter(({ fn }) => fn === 'alice')) {
      const path = criticalPathOf(waits, wait.tid, wait.from, wait.to);
      const bob = wait.for;
      const carol = truth.filter(({ fn, from }) => fn === 'open_vault' && from < wait.to).at(-1)?.for ?? 0;
      const hold = truth.filter(({ fn, from }) => fn === 'carol' && from < wait.to).at(-1);
      expect(nsOf(path, bob)).toBeGreaterThan(3e6); // its work, without the wait
      expect(nsOf(path, carol)).toBeGreaterThan(0.9 * ((hold?.to ?? 0) - wait.from));
    }
  });

  it('explains each request by its thread and the workers, and by their timers where these were recorded', () => {
    const requests = truth.filter(({ kind }) => kind === 'request');
    expect(requests.length).toBe(count);
    for (const { tid, from, to, request } of requests) {
      const path = criticalPathOf(waits, tid, from, to);
      const kinds = new Set([...path.kind].map((kind) => NAMES[kind]));
      for (const kind of ['NotTraced', 'MaybeThread', 'Unknown'])
        expect([request, kinds.has(kind)]).toEqual([request, false]);
      const others = [...path.kind.keys()].filter((piece) => path.kind[piece] === PieceKind.NotSeen);
      const sleepers = others.map((piece) => waits.waitCall[path.wait[piece]]);
      expect([request, sleepers.filter((call) => call >= 0)]).toEqual([request, []]); // in no futex call
      if (count === 8) expect(others).toEqual([]);
    }
  });
});

function nsOf(path: CriticalPath, tid: number): number {
  const own = [...path.tid.keys()].filter((piece) => path.tid[piece] === tid);
  return own.reduce((sum, piece) => sum + path.toNs[piece] - path.fromNs[piece], 0);
}
