/**
 * What a filter leaves of a thread is what its plain twin finds in a list of all calls.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterThread } from '../../src/analysis/filter-thread.js';
import { Replayer } from '../../src/replay/replay.js';
import { callFilter, rowsOfTrees, used } from '../helpers/asked-answers.js';
import { hiddenNs, inferredBy, look, rowsByPath } from '../helpers/plain-answers.js';
import { symbolKey } from '../helpers/plain-levels.js';
import { plainThreads } from '../helpers/plain-threads.js';
import { askableOf, filters } from '../helpers/random-questions.js';
import { traceFiles } from '../helpers/trace-files.js';

describe.each(traceFiles)('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { trace, threads } = await plainThreads(file, tailCalls);
    if (threads.length === 0) return;
    const nameOf = (symbol: number) => symbolKey(trace.symbols, symbol);
    const replayer = new Replayer(trace.facts);
    const asked = fc.sample(filters(askableOf(threads.map(({ plain }) => plain))), { numRuns: 4, seed: 1 });
    for (const { plain, thread, options } of threads) {
      const { log, tree } = replayer.replay(thread.events, { ...options, wantsLog: true });
      if (log === null) throw new Error('there is no log');
      for (const filter of asked) {
        const real = filterThread(log, tree, callFilter(filter, trace.symbols, nameOf));
        const seen = look([plain], filter);
        expect(used(rowsOfTrees([real.tree], nameOf)), JSON.stringify(filter)).toEqual(used(rowsByPath(seen)));
        expect(real.inferred).toEqual(inferredBy(seen));
        expect(real.hiddenNs).toBe(hiddenNs(seen));
      }
    }
  });
});
