/**
 * Programs that reach functions by stubs, thunks and other stacks, against exact truth. Floors are what replay reached
 * when they were written, rounded down: they only rise.
 */
import { describe, expect, test } from 'vitest';
import { fidelity, ptemuTruth } from '../helpers/fidelity.js';
import { analyzeText, fixture, fold } from '../helpers/load.js';

/** Percent of the time on the true stack, with jumps hidden (`--itrace=cre`) and shown (`be`). */
interface Floors {
  readonly hidden: number;
  readonly shown: number;
}

const PROGRAMS: Readonly<Record<string, Floors>> = {
  'tails-retp': { hidden: 86.7, shown: 98.4 },
};

describe.each(Object.entries(PROGRAMS))('%s', (name, { hidden, shown }) => {
  test.each([
    ['hidden', `truth/ptemu-${name}.perf.txt.gz`, hidden],
    ['shown', `truth/ptemu-${name}-branches.perf.txt.gz`, shown],
  ] as const)('jumps %s', async (_, file, floor) => {
    const profile = await analyzeText(fixture(file), { extend: false, tailCalls: 'replace' });
    const truth = ptemuTruth(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString(), 'stack');
    expect(fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'drop' }).overlap).toBeGreaterThan(floor);
  });
});
