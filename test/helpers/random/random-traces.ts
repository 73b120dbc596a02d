/**
 * Lines of random traces: executions of a few threads, whole and with missing lines, and fibers.
 */
import fc from 'fast-check';
import { damagedExecutions } from './damaged-executions.js';
import { execute } from './execution.js';
import { FiberRun, fiberDecisions } from './fiber-run.js';
import { decisions } from './random-questions.js';

function executionsOf(ns: readonly number[], threads: fc.ArrayConstraints, lengths: fc.ArrayConstraints) {
  const decision = decisions({ ns: fc.constantFrom(...ns) });
  return fc
    .array(fc.array(decision, lengths), threads)
    .map((threads) => execute(threads).lines.map(({ text }) => text));
}

const STEPS_NS = [0, 0, 1, 7, 100, 5000];

export const executions = executionsOf(STEPS_NS, { minLength: 1, maxLength: 3 }, { minLength: 1, maxLength: 60 });

const fibers = fiberDecisions.map((all) => {
  const run = new FiberRun();
  for (const each of all) run.decide(each);
  run.end();
  return run.lines;
});

/** By name. */
type RandomTraces = readonly (readonly [string, fc.Arbitrary<string[]>])[];

const OTHERS: RandomTraces = [
  ['executions with missing lines', damagedExecutions],
  ['fibers', fibers],
];

export const RANDOM_TRACES: RandomTraces = [['executions', executions], ...OTHERS];

/** With longer threads, and pauses, of which a window is a part. */
export const LONG_TRACES: RandomTraces = [
  [
    'executions',
    executionsOf([...STEPS_NS, 3_000_000], { minLength: 1, maxLength: 2 }, { minLength: 60, maxLength: 150 }),
  ],
  ...OTHERS,
];
