/**
 * Asks both the real code and the reference code.
 */

import { expect } from 'vitest';
import { answerForThread, type CallsAnswer, CallsAnswerBuilder } from '../../../src/analysis/calls/calls-answer.js';
import { filterThread } from '../../../src/analysis/log/filter-thread.js';
import { stackAt } from '../../../src/analysis/log/spans.js';
import type { FunctionDurations } from '../../../src/model/calls/durations.js';
import { isComplete } from '../../../src/model/profile/profile.js';
import type { Bounds } from '../../../src/model/units.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { ReferenceQuestion } from '../random/random-questions.js';
import type { TraceThreads } from '../traces/threads-of.js';
import {
  askedSet,
  callFilter,
  comparerOf,
  expectSame,
  functionsInWords,
  latencyInWords,
  rowsOfTrees,
} from './asked-answers.js';
import { used } from './path-rows.js';
import { functionRows, hiddenNs, inferredBy, look, rowsByPath, stackOf } from './reference-answers.js';
import { symbolKey } from './reference-events.js';
import { byDuration, ReferenceLatency } from './reference-latency.js';
import type { ListedThread } from './reference-threads.js';

/** Checks that the real code answers what the reference code finds. */
export function expectSameAnswers(
  trace: TraceThreads,
  threads: readonly ListedThread[],
  question: ReferenceQuestion,
): void {
  const { symbols, facts } = trace;
  const { filter, slowest } = question;
  const nameOf = (symbol: number) => symbolKey(symbols, symbol);
  const realFilter = callFilter(filter, symbols, nameOf);
  const calls = askedSet(question.asked, symbols, nameOf);
  const overTime = overTimeBounds(threads, question);
  const together = new CallsAnswerBuilder(slowest);
  const replayer = new Replayer(facts);
  for (const { reference, thread, options } of threads) {
    const { log, tree } = replayer.replay(thread.events, { ...options, wantsLog: true });
    if (log === null) throw new Error('there is no log');
    const real = filterThread(log, tree, realFilter);
    const seen = look([reference], filter);
    expect(used(rowsOfTrees([real.tree], nameOf))).toEqual(used(rowsByPath(seen)));
    expect(real.inferred).toEqual(inferredBy(seen));
    expect(real.hiddenNs).toBe(hiddenNs(seen));
    const durations = real.durations as FunctionDurations;
    expectSame(functionsInWords({ ...real, durations }, nameOf), functionRows(seen));
    const stack = stackAt(log, tree, question.atNs);
    const frames = stack?.map(({ symbol, ...since }) => ({ fn: nameOf(symbol), ...since })) ?? null;
    expect(frames).toEqual(stackOf(reference, question.atNs));
    together.add(answerForThread(reference.tid, log, tree, realFilter, { calls, slowest, overTime }), 0);
  }
  const all = threads.map((thread) => thread.reference);
  const reference = new ReferenceLatency(all, filter, question.asked, comparerOf(symbols, nameOf));
  const answer = together.build();
  expectSame(latencyInWords(answer, symbols, nameOf), reference.answer(slowest));
  expect(overTimeInWords(answer)).toEqual(threads.length === 0 ? null : reference.overTime(overTime));
}

/** Narrower than the recording if a window is selected. */
function overTimeBounds(threads: readonly ListedThread[], { filter }: ReferenceQuestion): Bounds {
  const ends = threads.flatMap(({ reference }) => reference.calls.map(({ endNs }) => endNs));
  return {
    startNs: filter.window?.startNs ?? 0,
    endNs: Math.min(filter.window?.endNs ?? Infinity, Math.max(1, ...ends)),
  };
}

function overTimeInWords({ overTime }: CallsAnswer) {
  return (
    overTime && {
      listed: overTime.listed
        .map(({ ending, ...call }) => ({ ...call, isInferred: !isComplete(ending) }))
        .sort(byDuration),
      cells: overTime.cells,
    }
  );
}
