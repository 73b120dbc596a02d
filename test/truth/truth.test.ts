/**
 * Complete traces compared with exact truth: fixtures/README.md describes how they were made. The floors are what
 * replay reached when they were written, rounded down: they only rise.
 */
import { describe, expect, test } from 'vitest';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';
import { fidelity, gentraceTruth, ptemuTruth } from '../helpers/truth/fidelity.js';

describe('synthetic traces', () => {
  test.each(['plain', 'nasty', 'plt', 'ties', 'attach', 'tail-shown'])(
    '%s: every path, call and nanosecond',
    async (name) => {
      const profile = await analyzeText(fixture(`truth/gentrace-${name}.perf.txt.gz`), { extend: false });
      const truth = gentraceTruth(fixture(`truth/gentrace-${name}.truth.json.gz`).toString());
      expect(fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'keep' })).toEqual({
        overlap: 100,
        paths: 100,
        calls: 100,
      });
    },
  );

  test('kernel: every path, call and nanosecond', async () => {
    const drop = /^entry_SYSCALL_64_after_hwframe$/; // another label of the entry code
    const profile = await analyzeText(fixture('truth/gentrace-kernel.perf.txt.gz'), { extend: false });
    const truth = gentraceTruth(fixture('truth/gentrace-kernel.truth.json.gz').toString(), drop);
    const reached = fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'keep', drop });
    expect(reached).toEqual({ overlap: 100, paths: 100, calls: 100 });
  });

  test('skew: every path and call, and all time except the difference of the clocks', async () => {
    const profile = await analyzeText(fixture('truth/gentrace-skew.perf.txt.gz'), { extend: false });
    const truth = gentraceTruth(fixture('truth/gentrace-skew.truth.json.gz').toString());
    const reached = fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'keep' });
    expect(reached).toMatchObject({ paths: 100, calls: 100 });
    expect(reached.overlap).toBeGreaterThan(99.5);
  });

  test('tail: hidden jumps are found by what follows', async () => {
    const profile = await analyzeText(fixture('truth/gentrace-tail.perf.txt.gz'), { extend: false });
    const truth = gentraceTruth(fixture('truth/gentrace-tail.truth.json.gz').toString());
    const reached = fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'keep' });
    expect(reached.overlap).toBeGreaterThan(98.3);
  });

  test('faults: stacks are kept across losses', async () => {
    const profile = await analyzeText(fixture('truth/gentrace-faults.perf.txt.gz'), { extend: false });
    const truth = gentraceTruth(fixture('truth/gentrace-faults.truth.json.gz').toString());
    const reached = fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'keep' });
    expect(reached.overlap).toBeGreaterThan(97.4); // 87.4 without the paths of other threads
  });
});

describe('real programs', () => {
  test.each([
    ['rec', 97.7],
    ['libc', 98],
    ['threads1', 99.9],
    ['threads2', 99.9],
    ['threads4', 99.9],
    ['threadsirq', 99.9],
    ['loop', 99.6],
    ['cpp', 98.2],
    ['jumps', 98.5],
    ['sig', 99.5],
    ['sig-exec', 99.5],
    ['rec-mix', 93.4],
    ['threads-faults', 99.8],
    ['unwind', 98.7],
    ['ev-cut', 99.2],
    ['cold', 97.6],
    ['stripped', 99],
  ])('%s: at least %d % of the time on the true stack', async (name, floor) => {
    const profile = await analyzeText(fixture(`truth/ptemu-${name}.perf.txt.gz`), {
      extend: false,
      tailCalls: 'replace',
    });
    const truth = ptemuTruth(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString(), 'stack');
    expect(fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'drop' }).overlap).toBeGreaterThan(floor);
  });

  test.each([
    ['unwind', 99],
    ['ev-cut', 99.2],
    ['stripped', 99.2],
  ])('%s, jumps shown: at least %d % of the time on the true stack', async (name, floor) => {
    const options = { extend: false, tailCalls: 'replace' } as const;
    const profile = await analyzeText(fixture(`truth/ptemu-${name}-branches.perf.txt.gz`), options);
    const truth = ptemuTruth(fixture(`truth/ptemu-${name}.tree.jsonl.gz`).toString(), 'stack');
    expect(fidelity(truth, fold(profile, { annotate: true }), { trampolines: 'drop' }).overlap).toBeGreaterThan(floor);
  });
});
