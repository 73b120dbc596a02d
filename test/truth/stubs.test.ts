/**
 * Programs that reach functions through stubs, thunks and other stacks, compared with exact truth. The floors are what
 * replay reached when they were written, rounded down: they only rise.
 */
import { describe, expect, test } from 'vitest';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';
import { fidelity, ptemuTruth } from '../helpers/truth/fidelity.js';

/**
 * Percent of the time on the true stack, with jumps hidden (`--itrace=cre`) and shown (`be`); and on the path that was
 * taken, with tail calls nested.
 */
interface Floors {
  readonly hidden: number;
  readonly shown: number;
  readonly shownNested: number;
  /** Where the stacks of fibers begin. */
  readonly root?: RegExp | undefined;
}

const PROGRAMS: Readonly<Record<string, Floors>> = {
  'tails-retp': { hidden: 86.7, shown: 98.4, shownNested: 83.2 },
  'tails-plt0': { hidden: 89.2, shown: 98.4, shownNested: 98.4 },
  'tails-lld': { hidden: 91.7, shown: 98.2, shownNested: 98.2 },
  'tails-musl': { hidden: 96.9, shown: 99.7, shownNested: 55.6 }, // the truth has names, so nameless tail calls miss
  boostfiber: { hidden: 93.7, shown: 85.2, shownNested: 95.4, root: /^boost::context::detail::fiber_entry</ },
  fcontext: { hidden: 92.4, shown: 93.1, shownNested: 92.5, root: /^entry$/ },
  'fcontext-cut': { hidden: 94.5, shown: 94.8, shownNested: 94.8, root: /^entry$/ },
  uctx: { hidden: 99.2, shown: 99.7, shownNested: 99.7, root: /^body$/ },
  uctxring: { hidden: 99.3, shown: 99.5, shownNested: 99.5, root: /^body$/ },
};

describe.each(Object.entries(PROGRAMS))('%s', (name, { hidden, shown, shownNested, root }) => {
  test.each([
    ['hidden', 'replace', `truth/ptemu-${name}.perf.txt.gz`, hidden],
    ['shown', 'replace', `truth/ptemu-${name}-branches.perf.txt.gz`, shown],
    ['shown', 'nest', `truth/ptemu-${name}-branches.perf.txt.gz`, shownNested],
  ] as const)('jumps %s, %s', async (_, tailCalls, file, floor) => {
    const profile = await analyzeText(fixture(file), { extend: false, tailCalls });
    const tree = tailCalls === 'nest' ? 'nested' : 'stack';
    const truth = ptemuTruth(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString(), tree, root);
    const reached = fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'drop', root });
    expect(reached.overlap).toBeGreaterThan(floor);
  });
});
