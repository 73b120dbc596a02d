/**
 * Prints random executions with known calls as perf would, and compares answers about the text with what ran.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnalyzeOptions } from '../../src/index.js';
import { analyze, askLatency, askStacks } from '../../src/pipeline/analyze.js';
import type { CallPattern, FilterOptions } from '../../src/pipeline/replay/selection.js';
import { type Execution, execute } from '../helpers/random/execution.js';
import { askableOf, decisions, questions, type ReferenceQuestion } from '../helpers/random/random-questions.js';
import { inputOf } from '../helpers/traces/load.js';
import {
  comparerOf,
  expectSame,
  functionsInWords,
  latencyInWords,
  rowsOfTrees,
} from '../helpers/twin/asked-answers.js';
import { used } from '../helpers/twin/path-rows.js';
import {
  type AskedFunctions,
  functionRows,
  inferredBy,
  look,
  type ReferenceFilter,
  rowsByPath,
  stackOf,
  sumNs,
} from '../helpers/twin/reference-answers.js';
import { ReferenceLatency } from '../helpers/twin/reference-latency.js';

const decision = decisions({ ns: fc.constantFrom(0, 0, 1, 7, 100, 5000, 3_000_000, 4_000_000_000) });
const asked: fc.Arbitrary<{ execution: Execution; question: ReferenceQuestion }> = fc
  .array(fc.array(decision, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 3 })
  .map(execute)
  .chain((execution) =>
    fc.record({ execution: fc.constant(execution), question: questions(askableOf(execution.threads)) }),
  );

test('filters, functions, latency and the slowest calls match the execution', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ execution, question }) => {
      const { filter, slowest } = question;
      const { threads } = execution;
      const seen = look(threads, filter);
      const options = { ...filterOptions(filter), extend: false, durations: true, trees: 'together' } as const;
      const answer = await latencyOrNull(execution, { ...callPattern(question.asked), slowest }, options);
      if (answer === null) {
        expect([seen.calls.length, sumNs(seen.times)]).toEqual([0, 0]);
        return;
      }
      const { profile, calls } = answer;
      const nameOf = (symbol: number) => profile.symbols.name[symbol];
      const { durations } = await analyze(inputs(execution), options); // latency counts only durations of its own functions
      if (!profile.together || !durations) throw new Error('no tree or no durations');
      expect(used(rowsOfTrees([profile.together], nameOf))).toEqual(used(rowsByPath(seen)));
      expectSame(functionsInWords({ tree: profile.together, durations }, nameOf), functionRows(seen));
      expect(profile.quality).toMatchObject({ inferredCalls: inferredBy(seen), totalNs: sumNs(seen.times) });
      const reference = new ReferenceLatency(threads, filter, question.asked, comparerOf(profile.symbols, nameOf));
      expectSame(latencyInWords(calls, profile.symbols, nameOf), reference.answer(slowest));
    }),
    { numRuns: 100 },
  );
});

test('the stacks at a point in time are those of the execution', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ execution, question }) => {
      const lastsNs = Math.max(...execution.threads.flatMap(({ calls }) => calls.map(({ endNs }) => endNs)));
      const atNs = Math.min(question.atNs, lastsNs); // nothing is known after the end of the recording
      const { stacks, profile } = await askStacks(inputs(execution), { afterStartNs: atNs }, { extend: false });
      const real = stacks.map(({ tid, frames }) => {
        return [tid, frames.map(({ symbol, ...since }) => ({ fn: profile.symbols.name[symbol], ...since }))];
      });
      const reference = execution.threads.map((thread) => [thread.tid, stackOf(thread, atNs)]);
      expect(real).toEqual(reference.filter(([, stack]) => stack !== null));
    }),
    { numRuns: 70 },
  );
});

/** null: nothing matches the selection. */
async function latencyOrNull(
  execution: Execution,
  latency: CallPattern & { slowest: number },
  options: AnalyzeOptions,
) {
  return askLatency(inputs(execution), latency, options).catch((error) => {
    expect(error).toHaveProperty('code', 'NOTHING_SELECTED');
    return null;
  });
}

function inputs({ lines }: Execution) {
  return [inputOf(lines.map(({ text }) => `${text}\n`).join(''))];
}

function filterOptions({ window, inside, root, foldsRecursion }: ReferenceFilter): FilterOptions {
  return {
    ...(window && { window: { from: { afterStartNs: window.startNs }, to: { afterStartNs: window.endNs } } }),
    inside: inside.map(callPattern),
    ...(root && { root: patternOf(root) }),
    foldRecursion: foldsRecursion,
  };
}

function callPattern({ functions, durations }: AskedFunctions): CallPattern {
  return { functions: patternOf(functions), ...durations };
}

function patternOf(functions: ReadonlySet<string>): RegExp {
  return new RegExp(`^(?:${[...functions].map((name) => name.replace(/[[\]]/g, '\\$&')).join('|')})$`);
}
