/**
 * Prints random executions as perf would, and checks that replay reproduces them.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, type Profile } from '../../src/index.js';
import type { TailCalls } from '../../src/replay/stack/frame.js';
import { rowsByPath, sorted } from '../helpers/checks/rows.js';
import { expectSameInTwin } from '../helpers/checks/same-in-twin.js';
import { damagedExecutions } from '../helpers/random/damaged-executions.js';
import { type Decision, execute } from '../helpers/random/execution.js';
import { times } from '../helpers/random/times.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';

const decision: fc.Arbitrary<Decision> = fc.record({
  what: fc.constantFrom(
    'call',
    'call',
    'call',
    'return',
    'return',
    'return',
    'tail',
    'syscall',
    'interrupt',
    'migrate',
  ),
  which: fc.nat(2000),
  ns: fc.constantFrom(0, 0, 1, 7, 100, 5000, 3_000_000),
});
const threads = fc.array(fc.array(decision, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 });

const textOf = (lines: readonly { text: string }[]) => lines.map(({ text }) => `${text}\n`).join('');

test('replays an execution exactly, to the nanosecond and the call', async () => {
  await fc.assert(
    fc.asyncProperty(threads, async (decisions) => {
      const { lines, truth } = execute(decisions);
      const profile = await analyzeText(textOf(lines), { extend: false });
      expect(sorted(rowsByPath(profile))).toEqual(sorted(truth));
    }),
    { numRuns: times(60) },
  );
});

test('gives the same bytes for any size of pieces, and for files by CPU in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      threads,
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      async (decisions, pieceBytes, reversed) => {
        const { lines } = execute(decisions);
        const whole = await analyzeText(textOf(lines));
        const cpus = [0, 1, 2, 3].filter((cpu) => lines.some((line) => line.cpu === cpu));
        const files = cpus.map((cpu) =>
          inputOf(textOf(lines.filter((line) => line.cpu === cpu)), `cpu${cpu}`, pieceBytes),
        );
        const parts = await analyze(reversed ? files.reverse() : files);
        expect(fold(parts, { annotate: true, by: 'thread' })).toBe(fold(whole, { annotate: true, by: 'thread' }));
      },
    ),
    { numRuns: times(50) },
  );
});

test('gives the same bytes for files divided by time, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(threads, fc.nat(100), async (decisions, percent) => {
      const { lines } = execute(decisions);
      const whole = await analyzeText(textOf(lines));
      const middle = Math.floor((lines.length * percent) / 100);
      const later = inputOf(textOf(lines.slice(middle)), 'later');
      const earlier = inputOf(textOf(lines.slice(0, middle)), 'earlier');
      const parts = await analyze([later, earlier]);
      expect(fold(parts, { annotate: true })).toBe(fold(whole, { annotate: true }));
    }),
    { numRuns: times(50) },
  );
});

/** After a loss, a return leads to a function that is open twice: a call on the old stack has jumped to it. */
const JUMPED_INTO_RECURSION = [
  '1001 [001] 5.000000000: tr strt 0 [unknown] => 400000 f0+0x0',
  '1001 [001] 5.000000000: call 400020 f0+0x20 => 401000 f1+0x0',
  '1001 [001] 5.000000000: call 401010 f1+0x10 => 400000 f0+0x0',
  '1001 [001] 5.000000000: tr end async 400800 f0+0x800 => 0 [unknown]',
  '1001 [002] 5.000000010: tr end syscall 400800 f0+0x800 => 0 [unknown]',
  '1001 [002] 5.000000010: tr strt 0 [unknown] => 400802 f0+0x802',
  '1001 [002] 5.000000010: tr end async 400800 f0+0x800 => 0 [unknown]',
  '1001 [002] 5.000000020: tr strt 0 [unknown] => 400800 f0+0x800',
  '1001 [002] 5.000000020: return 401ff0 f1+0xff0 => 400025 f0+0x25',
];

/** A call that is missing returns to a function that runs, as a tail call, and that had called this one, too. */
const RETURNS_TO_TAIL_CALL = [
  '1001 [001] 5.000000000: tr strt 0 [unknown] => 400000 f0+0x0',
  '1001 [001] 5.000000000: call 400020 f0+0x20 => 401000 f1+0x0',
  '1001 [001] 5.000000000: call 401010 f1+0x10 => 400000 f0+0x0',
  '1001 [001] 5.000000000: jmp 400fe0 f0+0xfe0 => 401000 f1+0x0',
  '1001 [001] 5.000005000: return 402ff0 f2+0xff0 => 4013b5 f1+0x3b5',
  '1001 [001] 5.000005000: call 401010 f1+0x10 => 400000 f0+0x0',
];

test('agrees with the slow twin where the beginning and some lines are missing', async () => {
  await fc.assert(
    fc.asyncProperty(damagedExecutions, fc.constantFrom<TailCalls>('nest', 'replace'), async (damaged, tailCalls) => {
      if (damaged.length === 0) return;
      const trace = await threadsOfInput(inputOf(`${damaged.join('\n')}\n`));
      for (const thread of trace.threads) expectSameInTwin(trace, thread, { tailCalls, extendTo: trace.bounds });
    }),
    {
      numRuns: times(40),
      examples: [
        [JUMPED_INTO_RECURSION, 'nest'],
        [RETURNS_TO_TAIL_CALL, 'nest'],
      ],
    },
  );
});

test('survives lost, doubled or garbled lines: times add up and nothing is negative', async () => {
  await fc.assert(
    fc.asyncProperty(threads, fc.infiniteStream(fc.integer({ min: 0, max: 30 })), async (decisions, luck) => {
      const { lines } = execute(decisions);
      const damaged = lines.flatMap(({ text }) => damage(text, luck.next().value as number));
      if (!damaged.some((line) => line.includes('=>'))) return;
      const profile = await analyzeText(`${damaged.join('\n')}\n`).catch(nullIfNoBranches);
      if (profile) expectConsistentTimes(profile);
    }),
    { numRuns: times(60) },
  );
});

function damage(line: string, luck: number): string[] {
  if (luck === 0) return [];
  if (luck === 1) return [line, line];
  if (luck === 2) return [line.slice(0, line.length >> 1)];
  if (luck === 3) return [line.replace(/[0-9a-f](?=\S* f\d+\+0x0$)/, 'c')];
  if (luck === 4) return [line.replace(/\d\.\d/, '9.9')];
  return [line];
}

function nullIfNoBranches(error: unknown): null {
  expect(error).toHaveProperty('code', 'NO_BRANCHES');
  return null;
}

function expectConsistentTimes({ threads: all, quality }: Profile): void {
  expect(quality.lines).toBe(quality.events + quality.gapLines + quality.ignoredLines + quality.damagedLines);
  for (const { tree, startNs, endNs } of all) {
    expect(tree.selfNs.reduce((sum, ns) => sum + ns, 0)).toBe(endNs - startNs);
    expect(Math.min(...tree.selfNs, ...tree.calls, ...tree.completeNs)).toBeGreaterThanOrEqual(0);
  }
}
