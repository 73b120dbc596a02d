/**
 * Compares answers about fixtures, and about traces with fibers and losses, with reference code that examines each call.
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { damagedExecutions } from '../helpers/random/damaged-executions.js';
import { type FiberDecision, FiberRun, fiberDecisions } from '../helpers/random/fiber-run.js';
import { askableOf, questions } from '../helpers/random/random-questions.js';
import { everyNth, times } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { inputOf } from '../helpers/traces/load.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';
import { type ListedThread, referenceThreads, referenceThreadsOf } from '../helpers/twin/reference-threads.js';
import { expectSameAnswers } from '../helpers/twin/same-answers.js';

/** The reference compares all calls with each other, so of larger traces it is given only the first threads. */
const MAX_CALLS = 1000;
/** Smaller traces get more questions. */
const questionsFor = (calls: number) => times(calls < 100 ? 6 : calls < 400 ? 3 : 2);

describe.each(everyNth(traceFiles, 3))('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { trace, threads } = await referenceThreads(file, tailCalls);
    const some = firstThreads(threads);
    if (some.length === 0) return;
    const numRuns = questionsFor(some.reduce((sum, { reference }) => sum + reference.calls.length, 0));
    const asked = fc.sample(questions(askableOf(some.map(({ reference }) => reference))), { numRuns, seed: 1 });
    for (const question of asked) expectSameAnswers(trace, some, question);
  });
});

function firstThreads(threads: readonly ListedThread[]): readonly ListedThread[] {
  let calls = 0;
  return threads.filter(({ reference }) => (calls += reference.calls.length) <= MAX_CALLS);
}

/** A nested call ends on a stack that was left long before. */
const ENDS_ASIDE: FiberDecision[] = [
  { what: 'switch', which: 10, ns: 1 },
  { what: 'switch', which: 0, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 2, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'call', which: 1, ns: 1 },
];

/** A call on a stack that was left ends in a window in which its callers have no time. */
const ENDS_ALONE: FiberDecision[] = [
  { what: 'switch', which: 6, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 0, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 10, ns: 1 },
];

test('traces with fibers', async () => {
  await fc.assert(
    fc.asyncProperty(fiberDecisions, fc.nat(), async (decisions, seed) => {
      const run = new FiberRun();
      for (const decision of decisions) run.decide(decision);
      run.end();
      await expectRightAnswers(run.lines, seed);
    }),
    {
      numRuns: times(40),
      examples: [
        [ENDS_ASIDE, 1854213630],
        [ENDS_ALONE, 7],
      ],
    },
  );
});

/** A call in a stop is set aside, and ends there. */
const WAITED_ASIDE = [
  '1000 [000] 5.000000000: tr strt 0 [unknown] => 400000 f0+0x0',
  '1000 [000] 5.000000000: tr strt 0 [unknown] => 400802 f0+0x802',
  '1000 [000] 5.000000000: call 400010 f0+0x10 => 400000 f0+0x0',
  '1000 [000] 5.000000000: jmp 400fe0 f0+0xfe0 => 402000 f2+0x0',
  '1000 [000] 5.000000000: tr end async 402800 f2+0x800 => 0 [unknown]',
  '1001 [001] 5.000000000: call 400040 f0+0x40 => 403000 f3+0x0',
  '1001 [001] 5.000000001: tr end syscall 403800 f3+0x800 => 0 [unknown]',
  '1001 [001] 5.000000001: call 403020 f3+0x20 => 401000 f1+0x0',
  '1000 [002] 5.000000010: tr strt 0 [unknown] => 402800 f2+0x800',
  '1000 [002] 5.000000017: return 400ff0 f0+0xff0 => 402015 f2+0x15',
  '1000 [002] 5.000005017: return 402ff0 f2+0xff0 => 400015 f0+0x15',
];

/** A thread is first seen when it stops, later than the recording begins. */
const STOPS_AT_ONCE = [
  '1000 [000] 5.000000000: call 400010 f0+0x10 => 400000 f0+0x0',
  '1000 [000] 5.000000000: tr end async 400800 f0+0x800 => 0 [unknown]',
  '1001 [001] 5.000000000: tr strt 0 [unknown] => 400000 f0+0x0',
  '1001 [001] 5.000000000: call 400010 f0+0x10 => 400000 f0+0x0',
  '1002 [002] 5.000000000: tr end async 400800 f0+0x800 => 0 [unknown]',
  '1003 [002] 5.000000010: tr strt 0 [unknown] => 400800 f0+0x800',
  '1003 [002] 5.000000010: tr end async 400800 f0+0x800 => 0 [unknown]',
  '1002 [002] 5.000000011: tr strt 0 [unknown] => 400800 f0+0x800',
];

test('traces with missing lines', async () => {
  await fc.assert(
    fc.asyncProperty(damagedExecutions, fc.nat(), async (lines, seed) => expectRightAnswers(lines, seed)),
    {
      numRuns: times(25),
      examples: [
        [WAITED_ASIDE, 1592727526],
        [STOPS_AT_ONCE, 0],
      ],
    },
  );
});

async function expectRightAnswers(lines: readonly string[], seed: number): Promise<void> {
  if (!lines.some((line) => line.includes('=>'))) return;
  const trace = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
  const threads = referenceThreadsOf(trace, seed % 2 === 0 ? 'nest' : 'replace', 'log');
  const askable = askableOf(threads.map(({ reference }) => reference));
  if (askable.functions.length === 0) return;
  for (const question of fc.sample(questions(askable), { numRuns: 3, seed }))
    expectSameAnswers(trace, threads, question);
}
