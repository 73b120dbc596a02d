/**
 * The log of a thread tells all that its tree does: added up again, it is the tree.
 */
import { describe, expect, test } from 'vitest';
import { type FilteredThread, filterThread } from '../../src/analysis/filter-thread.js';
import type { CallFilter } from '../../src/analysis/questions.js';
import { durationsOf } from '../../src/model/durations.js';
import { Replayer, type ReplayOptions, type ThreadReplay } from '../../src/replay/replay.js';
import { threadsOf } from '../helpers/threads-of.js';
import { traceFiles } from '../helpers/trace-files.js';

const EVERYTHING: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

describe.each(traceFiles)('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { threads, facts, bounds } = await threadsOf(file);
    const replayer = new Replayer(facts);
    for (const { events, isCreatedInside } of threads) {
      const options: ReplayOptions = { tailCalls, extendTo: bounds, isCreatedInside, contexts: null };
      const plain = replayer.replay(events, { ...options, wantsDurations: true });
      const logged = replayer.replay(events, { ...options, wantsLog: true });
      if (logged.log === null) throw new Error('there is no log');
      expect(ordered(filterThread(logged.log, logged.tree, EVERYTHING))).toEqual(ordered(pick(plain)));
    }
  });
});

/** Blocks stand in the order in which they came to be. */
function ordered({ durations, ...rest }: FilteredThread) {
  return { ...rest, durations: durationsOf(durations) };
}

function pick({ tree, durations, inferred, hiddenNs }: ThreadReplay): FilteredThread {
  if (durations === null) throw new Error('there are no durations');
  return { tree, durations, inferred, hiddenNs };
}
