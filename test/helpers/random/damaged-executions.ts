/**
 * Executions whose recording is incomplete.
 */
import fc from 'fast-check';
import { execute } from './execution.js';
import { decisions } from './random-questions.js';

const decision = decisions({ ns: fc.constantFrom(0, 1, 7, 100, 5000) });
const threads = fc.array(fc.array(decision, { minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 });

/** The beginning of each thread was not recorded, and now and then a line is missing. */
export const damagedExecutions = fc
  .tuple(threads, fc.nat(30), fc.integer({ min: 2, max: 60 }))
  .map(([decisions, late, every]) => {
    const lines = execute(decisions).lines.map(({ text }) => text);
    const seen = new Map<string, number>();
    return lines.filter((line, index) => {
      const tid = line.split(' ')[0];
      seen.set(tid, (seen.get(tid) ?? 0) + 1);
      return (seen.get(tid) as number) > late % (1 + (Number(tid) % 7)) && index % every !== 1;
    });
  });
