/**
 * The answers about every fixture that the plain replay knows are those of the plain twin, which looks at every call.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, CallsAnswerBuilder } from '../../src/analysis/calls-answer.js';
import { filterThread } from '../../src/analysis/filter-thread.js';
import { stackAt } from '../../src/analysis/stack-at.js';
import { Replayer } from '../../src/replay/replay.js';
import {
  askedSet,
  callFilter,
  comparerOf,
  expectSame,
  functionsInWords,
  latencyInWords,
  rowsOfTrees,
  used,
} from '../helpers/asked-answers.js';
import { functionRows, hiddenNs, inferredBy, look, rowsByPath, stackOf } from '../helpers/plain-answers.js';
import { PlainLatency } from '../helpers/plain-latency.js';
import { symbolKey } from '../helpers/plain-levels.js';
import { type ListedThread, plainThreads } from '../helpers/plain-threads.js';
import { askableOf, type PlainQuestion, questions } from '../helpers/random-questions.js';
import type { TraceThreads } from '../helpers/threads-of.js';
import { traceFiles } from '../helpers/trace-files.js';

/** The twin goes through all calls for each call: of larger traces it knows the first threads. */
const MOST_CALLS = 1000;
/** The smaller a trace is, the more is asked of it. */
const questionsFor = (calls: number) => (calls < 100 ? 50 : calls < 400 ? 15 : 5);

describe.each(traceFiles)('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { trace, threads } = await plainThreads(file, tailCalls);
    const some = few(threads);
    if (some.length === 0) return;
    const numRuns = questionsFor(some.reduce((sum, { plain }) => sum + plain.calls.length, 0));
    const asked = fc.sample(questions(askableOf(some.map(({ plain }) => plain))), { numRuns, seed: 1 });
    for (const question of asked) compare(trace, some, question);
  });
});

function few(threads: readonly ListedThread[]): readonly ListedThread[] {
  let calls = 0;
  return threads.filter(({ plain }) => (calls += plain.calls.length) <= MOST_CALLS);
}

function compare(trace: TraceThreads, threads: readonly ListedThread[], question: PlainQuestion): void {
  const { symbols, facts } = trace;
  const { filter, slowest } = question;
  const nameOf = (symbol: number) => symbolKey(symbols, symbol);
  const realFilter = callFilter(filter, symbols, nameOf);
  const calls = askedSet(question.asked, symbols, nameOf);
  const together = new CallsAnswerBuilder(slowest);
  const replayer = new Replayer(facts);
  for (const { plain, thread, options } of threads) {
    const { log, tree } = replayer.replay(thread.events, { ...options, wantsLog: true });
    if (log === null) throw new Error('there is no log');
    const real = filterThread(log, tree, realFilter);
    const seen = look([plain], filter);
    expect(used(rowsOfTrees([real.tree], nameOf))).toEqual(used(rowsByPath(seen)));
    expect(real.inferred).toEqual(inferredBy(seen));
    expect(real.hiddenNs).toBe(hiddenNs(seen));
    expectSame(functionsInWords(real, nameOf), functionRows(seen));
    const stack = stackAt(log, tree, question.atNs);
    const frames = stack?.map(({ symbol, sinceNs }) => ({ fn: nameOf(symbol), sinceNs })) ?? null;
    expect(frames).toEqual(stackOf(plain, question.atNs));
    together.add(answerOf(plain.tid, log, tree, realFilter, { calls, slowest }), 0);
  }
  const all = threads.map((thread) => thread.plain);
  const plain = new PlainLatency(all, filter, question.asked, comparerOf(symbols, nameOf));
  expectSame(latencyInWords(together.build(), symbols, nameOf), plain.answer(slowest));
}
