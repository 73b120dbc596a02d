/**
 * Programs that reach functions by stubs, thunks and other stacks, against exact truth. Floors are what replay reached
 * when they were written, rounded down: they only rise.
 */
import { describe, expect, test } from 'vitest';
import { fidelity, ptemuTruth } from '../helpers/fidelity.js';
import { analyzeText, fixture, fold } from '../helpers/load.js';

/** Percent of the time on the true stack, with jumps hidden (`--itrace=cre`) and shown (`be`); and on the path that was taken. */
interface Floors {
  readonly hidden: number;
  readonly shown: number;
  readonly shownNested: number;
}

const PROGRAMS: Readonly<Record<string, Floors>> = {
  'tails-retp': { hidden: 86.7, shown: 98.4, shownNested: 83.2 },
  'tails-plt0': { hidden: 89.2, shown: 98.4, shownNested: 98.4 },
  'tails-lld': { hidden: 91.7, shown: 98.2, shownNested: 98.2 },
  'tails-musl': { hidden: 96.9, shown: 99.7, shownNested: 55.6 }, // names in the truth: a nameless tail call is none
};

describe.each(Object.entries(PROGRAMS))('%s', (name, { hidden, shown, shownNested }) => {
  test.each([
    ['hidden', 'replace', `truth/ptemu-${name}.perf.txt.gz`, hidden],
    ['shown', 'replace', `truth/ptemu-${name}-branches.perf.txt.gz`, shown],
    ['shown', 'nest', `truth/ptemu-${name}-branches.perf.txt.gz`, shownNested],
  ] as const)('jumps %s, %s', async (_, tailCalls, file, floor) => {
    const profile = await analyzeText(fixture(file), { extend: false, tailCalls });
    const tree = tailCalls === 'nest' ? 'nested' : 'stack';
    const truth = ptemuTruth(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString(), tree);
    expect(fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'drop' }).overlap).toBeGreaterThan(floor);
  });
});
