/**
 * Lines of random traces: executions of a few threads, whole and with missing lines, and fibers.
 */
import fc from 'fast-check';
import { damagedExecutions } from './damaged-executions.js';
import { execute } from './execution.js';
import { FiberRun, fiberDecisions } from './fiber-run.js';
import { decisions } from './random-questions.js';

const decision = decisions({ ns: fc.constantFrom(0, 0, 1, 7, 100, 5000) });

export const executions = fc
  .array(fc.array(decision, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 3 })
  .map((threads) => execute(threads).lines.map(({ text }) => text));

const fibers = fiberDecisions.map((all) => {
  const run = new FiberRun();
  for (const each of all) run.decide(each);
  run.end();
  return run.lines;
});

/** By name. */
export const RANDOM_TRACES: readonly (readonly [string, fc.Arbitrary<string[]>])[] = [
  ['executions', executions],
  ['executions with missing lines', damagedExecutions],
  ['fibers', fibers],
];
