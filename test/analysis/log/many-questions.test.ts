/**
 * Compares answers about many moments and intervals with reference code that examines every interval and call for each.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerThread } from '../../../src/analysis/log/answer-thread.js';
import { type CallLog, CallOp, opOf } from '../../../src/model/calls/call-log.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { Doubt } from '../../../src/model/calls/doubts.js';
import type { Shape } from '../../../src/model/calls/overlay.js';
import { symbolRanks } from '../../../src/model/symbol-table.js';
import { NONE } from '../../../src/model/units.js';
import { Replayer } from '../../../src/replay/replayer.js';
import { type Askable, askableOf, askedFunctions } from '../../helpers/random/random-questions.js';
import { RANDOM_TRACES } from '../../helpers/random/random-traces.js';
import { everyNth, times } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { inputOf } from '../../helpers/traces/load.js';
import { type TraceThreads, threadsOfInput } from '../../helpers/traces/threads-of.js';
import { askedSet } from '../../helpers/twin/asked-answers.js';
import type { AskedFunctions } from '../../helpers/twin/reference-answers.js';
import { symbolKey } from '../../helpers/twin/reference-events.js';
import { type AskedInterval, nodeAt, spansIn, spanTreeOf, timesOver } from '../../helpers/twin/reference-spans.js';
import { type ListedThread, referenceThreads, referenceThreadsOf } from '../../helpers/twin/reference-threads.js';

/** The reference compares all with each other, so of larger traces it is given only the first threads. */
const MAX_CALLS = 1000;

interface Asked {
  readonly moments: readonly number[];
  readonly intervals: readonly AskedInterval[];
  readonly functions: AskedFunctions;
  readonly window: AskedInterval;
  readonly minNs: number;
}

/** Times of events and around them; intervals that overlap, nest, share bounds and keys, or are empty. */
function questions(askable: Askable): fc.Arbitrary<Asked> {
  const { timesNs, durationsNs } = askable;
  const moment = fc
    .tuple(fc.constantFrom(...timesNs), fc.constantFrom(-1, 0, 0, 0, 1, 100))
    .map(([ns, offsetNs]) => ns + offsetNs);
  const interval = fc
    .tuple(moment, moment, fc.constantFrom(0, 1, 2, 2_000_000_000))
    .map(([a, b, key]) => ({ fromNs: Math.min(a, b), toNs: Math.max(a, b), key }));
  return fc.record({
    moments: fc.array(moment, { maxLength: 20 }).map((moments) => moments.toSorted((a, b) => a - b)),
    intervals: fc.array(interval, { maxLength: 12 }),
    functions: askedFunctions(askable),
    window: interval.map((bounds) => ({ ...bounds, toNs: bounds.toNs + 1 })),
    minNs: fc.constantFrom(0, 1, ...durationsNs),
  });
}

describe.each(everyNth(traceFiles, 3))('%s', (file) => {
  test('answers about many moments and intervals are those of the reference', async () => {
    const { trace, threads } = await referenceThreads(file, 'nest');
    let calls = 0;
    const some = threads.filter(({ reference }) => (calls += reference.calls.length) <= MAX_CALLS);
    const askable = askableOf(some.map(({ reference }) => reference));
    if (askable.functions.length === 0) return;
    for (const asked of fc.sample(questions(askable), { numRuns: 5, seed: 1 })) expectRight(trace, some, asked);
  });
});

test.each(RANDOM_TRACES)('the same of random %s', async (_, random) => {
  await fc.assert(
    fc.asyncProperty(random, fc.nat(), async (lines, seed) => {
      if (!lines.some((line) => line.includes('=>'))) return;
      const trace = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
      const threads = referenceThreadsOf(trace, seed % 2 === 0 ? 'nest' : 'replace', 'log');
      const askable = askableOf(threads.map(({ reference }) => reference));
      if (askable.functions.length === 0) return;
      for (const asked of fc.sample(questions(askable), { numRuns: 3, seed })) expectRight(trace, threads, asked);
    }),
    { numRuns: times(80) },
  );
});

function expectRight(trace: TraceThreads, threads: readonly ListedThread[], asked: Asked): void {
  const replayer = new Replayer(trace.facts);
  for (const { reference, thread, options } of threads) {
    const { log, tree } = replayer.replay(thread.events, { ...options, wantsLog: true });
    if (log === null) throw new Error('there is no log');
    const real = realAnswers(trace, log, tree, asked);
    expectSame(
      real.nodesAt,
      asked.moments.map((ns) => nodeAt(reference, ns)),
    );
    expectSame(real.times, sorted(timesOver(reference, asked.intervals)));
    const window = { startNs: asked.window.fromNs, endNs: asked.window.toNs };
    expectSame(real.spans, spansIn(reference, asked.functions, window));
    const trees = asked.intervals.map((interval) => spanTreeOf(reference, interval, asked.minNs));
    if (!hasFibers(log)) expectSame(real.trees, trees);
    // Calls of a stack that is switched away from when the interval ends are not listed.
    else
      real.trees.forEach((tree, row) => {
        const listed = new Set(trees[row].map((call) => JSON.stringify({ ...call, parent: null })));
        expect(tree.filter((call) => !listed.has(JSON.stringify({ ...call, parent: null })))).toEqual([]);
      });
  }
}

function hasFibers({ code }: CallLog): boolean {
  return code.some((each) => opOf(each) === CallOp.SetAside);
}

/** Comparing texts is faster. */
function expectSame(real: unknown, reference: unknown): void {
  if (JSON.stringify(real) !== JSON.stringify(reference)) expect(real).toEqual(reference);
}

const column = (intervals: readonly AskedInterval[], name: 'fromNs' | 'toNs') =>
  Float64Array.from(intervals, (interval) => interval[name]);

/** The answers in the terms of the reference code. */
function realAnswers({ symbols }: TraceThreads, log: CallLog, tree: CallTree, asked: Asked) {
  const nameOf = (symbol: number) => symbolKey(symbols, symbol);
  const bounds = { fromNs: column(asked.intervals, 'fromNs'), toNs: column(asked.intervals, 'toNs') };
  const { answers, paths } = answerThread(
    log,
    tree,
    {
      nodesAt: Float64Array.from(asked.moments),
      treesOver: { ...bounds, key: Int32Array.from(asked.intervals, ({ key }) => key) },
      spans: {
        calls: askedSet(asked.functions, symbols, nameOf),
        window: { startNs: asked.window.fromNs, endNs: asked.window.toNs },
      },
      spanTrees: { ...bounds, minNs: asked.minNs },
    },
    symbolRanks(symbols),
  );
  const { nodesAt, treesOver, spans, spanTrees } = answers;
  if (!nodesAt || !treesOver || !spans || !spanTrees) throw new Error('not answered');
  const path = pathsIn(paths, nameOf);
  const rowsOf = (interval: number) =>
    Array.from(spanTrees.interval.keys()).filter((row) => spanTrees.interval[row] === interval);
  return {
    nodesAt: Array.from(nodesAt.node, (node, row) => ({
      path: node === NONE ? null : path[node],
      sinceNs: nodesAt.sinceNs[row],
      isInferred: nodesAt.doubt[row] !== Doubt.None,
    })),
    times: sorted(
      new Map(
        Array.from(treesOver.key, (key, row) => [
          `${key} ${path[treesOver.node[row]]}`,
          [treesOver.ns[row], treesOver.inferredNs[row]],
        ]),
      ),
    ),
    spans: Array.from(spans.node, (node, row) => ({
      path: path[node],
      startNs: spans.startNs[row],
      endNs: spans.endNs[row],
      ending: spans.ending[row],
      outer: spans.outer[row],
    })),
    trees: asked.intervals.map((_, interval) => {
      const rows = rowsOf(interval);
      return rows.map((row) => ({
        path: path[spanTrees.node[row]],
        startNs: spanTrees.startNs[row],
        endNs: spanTrees.endNs[row],
        ending: spanTrees.ending[row],
        parent: rows.indexOf(spanTrees.parent[row]),
      }));
    }),
  };
}

function sorted(times: ReadonlyMap<string, number[]>): [string, number[]][] {
  return [...times].sort(([a], [b]) => (a < b ? -1 : 1));
}

function pathsIn({ parent, symbol }: Shape, nameOf: (symbol: number) => string): string[] {
  const paths = [''];
  for (let node = 1; node < symbol.length; node++)
    paths.push(paths[parent[node]] ? `${paths[parent[node]]}\n${nameOf(symbol[node])}` : nameOf(symbol[node]));
  return paths;
}
