/**
 * Compares filtered threads with reference code that searches a list of all calls.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterThread } from '../../../src/analysis/log/filter-thread.js';
import { foldRecursion, reroot } from '../../../src/analysis/tree/reshape.js';
import type { ThreadProfile } from '../../../src/index.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { Replayer } from '../../../src/replay/replayer.js';
import { askableOf, filters } from '../../helpers/random/random-questions.js';
import { everyNth } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { callFilter, rowsOfTrees } from '../../helpers/twin/asked-answers.js';
import { used } from '../../helpers/twin/path-rows.js';
import { hiddenNs, inferredBy, look, rowsByPath } from '../../helpers/twin/reference-answers.js';
import { symbolKey } from '../../helpers/twin/reference-events.js';
import { referenceThreads } from '../../helpers/twin/reference-threads.js';

describe.each(everyNth(traceFiles, 3, 1))('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { trace, threads } = await referenceThreads(file, tailCalls);
    if (threads.length === 0) return;
    const nameOf = (symbol: number) => symbolKey(trace.symbols, symbol);
    const replayer = new Replayer(trace.facts);
    const asked = fc.sample(filters(askableOf(threads.map(({ reference }) => reference))), { numRuns: 2, seed: 1 });
    for (const { reference, thread, options } of threads) {
      const { log, tree } = replayer.replay(thread.events, { ...options, wantsLog: true });
      if (log === null) throw new Error('no log');
      for (const filter of asked) {
        const real = filterThread(log, tree, callFilter(filter, trace.symbols, nameOf));
        const seen = look([reference], filter);
        expect(used(rowsOfTrees([real.tree], nameOf)), JSON.stringify(filter)).toEqual(used(rowsByPath(seen)));
        expect(real.inferred).toEqual(inferredBy(seen));
        expect(real.hiddenNs).toBe(hiddenNs(seen));
      }
    }
  });
});

test('folds the recursion of any tree, and gives it other roots', async () => {
  const text = traceOf(`
    10  call    main  f
    20  call    f     f
    30  call    f     g
    40  call    g     f
    50  return  f     g
    60  return  g     f
    70  return  f     f
    80  return  f     main`);
  const { threads, symbols } = await analyzeText(text);
  const { tree } = threads[0] as ThreadProfile;
  const shown = (shape: CallTree) =>
    used(rowsOfTrees([shape], (symbol) => symbols.name[symbol])).map(([path, { calls, selfNs }]) => {
      return `${path.split('\n').join(';')} ${calls} ${selfNs}`;
    });
  expect(shown(foldRecursion(tree))).toEqual(['main 1 0', 'main;f 1 40', 'main;f;g 1 20', 'main;f;g;f 1 10']);
  const roots = Uint8Array.from(symbols.name, (name) => (name === 'f' ? 1 : 0));
  expect(shown(reroot(tree, roots))).toEqual(['f 1 20', 'f;f 1 20', 'f;f;g 1 20', 'f;f;g;f 1 10']);
});
