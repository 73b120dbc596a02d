/**
 * The answers about fixtures, and about traces with fibers and losses, are those of the plain twin, which looks at every call.
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { damagedExecutions } from '../helpers/damaged-executions.js';
import { type FiberDecision, FiberRun, fiberDecisions } from '../helpers/fiber-run.js';
import { inputOf } from '../helpers/load.js';
import { type ListedThread, plainThreads, plainThreadsOf } from '../helpers/plain-threads.js';
import { askableOf, questions } from '../helpers/random-questions.js';
import { expectSameAnswers } from '../helpers/same-answers.js';
import { threadsOfInput } from '../helpers/threads-of.js';
import { traceFiles } from '../helpers/trace-files.js';

/** The twin goes through all calls for each call: of larger traces it knows the first threads. */
const MOST_CALLS = 1000;
/** The smaller a trace is, the more is asked of it. */
const questionsFor = (calls: number) => (calls < 100 ? 25 : calls < 400 ? 10 : 4);

describe.each(traceFiles)('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { trace, threads } = await plainThreads(file, tailCalls);
    const some = few(threads);
    if (some.length === 0) return;
    const numRuns = questionsFor(some.reduce((sum, { plain }) => sum + plain.calls.length, 0));
    const asked = fc.sample(questions(askableOf(some.map(({ plain }) => plain))), { numRuns, seed: 1 });
    for (const question of asked) expectSameAnswers(trace, some, question);
  });
});

function few(threads: readonly ListedThread[]): readonly ListedThread[] {
  let calls = 0;
  return threads.filter(({ plain }) => (calls += plain.calls.length) <= MOST_CALLS);
}

/** A call inside of another one ends on a stack that was left, long after. */
const ENDS_ASIDE: FiberDecision[] = [
  { what: 'switch', which: 10, ns: 1 },
  { what: 'switch', which: 0, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 2, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'call', which: 1, ns: 1 },
];

/** A call on a stack that was left ends in a window in which those that made it have no time. */
const ENDS_ALONE: FiberDecision[] = [
  { what: 'switch', which: 6, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 0, ns: 1 },
  { what: 'call', which: 0, ns: 1 },
  { what: 'switch', which: 10, ns: 1 },
];

test('fibers', async () => {
  await fc.assert(
    fc.asyncProperty(fiberDecisions, fc.nat(), async (decisions, seed) => {
      const run = new FiberRun();
      for (const decision of decisions) run.decide(decision);
      run.end();
      await expectRightAnswers(run.lines, seed);
    }),
    {
      numRuns: 200,
      examples: [
        [ENDS_ASIDE, 1854213630],
        [ENDS_ALONE, 7],
      ],
    },
  );
});

test('lines that are missing', async () => {
  await fc.assert(
    fc.asyncProperty(damagedExecutions, fc.nat(), async (lines, seed) => expectRightAnswers(lines, seed)),
    { numRuns: 100 },
  );
});

async function expectRightAnswers(lines: readonly string[], seed: number): Promise<void> {
  if (!lines.some((line) => line.includes('=>'))) return;
  const trace = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
  const threads = plainThreadsOf(trace, seed % 2 === 0 ? 'nest' : 'replace', 'log');
  const askable = askableOf(threads.map(({ plain }) => plain));
  if (askable.functions.length === 0) return;
  for (const question of fc.sample(questions(askable), { numRuns: 3, seed }))
    expectSameAnswers(trace, threads, question);
}
