/**
 * Random runs of the simulated machine.
 */
import fc from 'fast-check';
import { Machine } from './machine.js';
import { startThreads } from './programs.js';
import { inputOf, type Recorder } from './recorder.js';

/** Mulberry32: small, and good enough for tests. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const loads = fc.record({
  seed: fc.nat(),
  cpus: fc.integer({ min: 1, max: 4 }),
  threads: fc.integer({ min: 2, max: 8 }),
  mutexes: fc.integer({ min: 1, max: 3 }),
  rounds: fc.integer({ min: 5, max: 40 }),
  holdNs: fc.constantFrom(300, 5000, 50_000),
  otherNs: fc.constantFrom(300, 5000, 50_000),
});

export function runLoad({ seed, ...load }: typeof loads extends fc.Arbitrary<infer Load> ? Load : never): Recorder {
  const machine = new Machine(load.cpus, randomOf(seed));
  startThreads(machine, load);
  machine.run();
  return machine.recorder;
}

export function inputOfRun({ samples, switches }: Recorder) {
  return inputOf(samples, switches);
}
