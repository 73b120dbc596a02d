/**
 * The work for many moments and intervals grows linearly with them, with the log and with the answer, however intervals
 * overlap.
 */

import { expect, test } from 'vitest';
import { answerThread, type ThreadQuestions } from '../../../src/analysis/log/answer-thread.js';
import { type CallLog, CallLogBuilder } from '../../../src/model/calls/call-log.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../../../src/model/calls/call-tree.js';
import { NONE, UNBOUNDED } from '../../../src/model/units.js';
import { workOf } from '../../helpers/checks/work.js'; // first: it counts only code that has not run yet
import { timesOf } from '../../helpers/traces/for-logs.js';

interface Logged {
  readonly log: CallLog;
  readonly tree: CallTree;
}

/** main calls a and b in turns, n times each; an event each nanosecond. */
function flat(n: number): Logged {
  const [log, tree] = [new CallLogBuilder(), new CallTreeBuilder()];
  log.begin(0);
  const main = tree.child(ROOT, 0);
  log.open(main);
  for (let call = 0; call < 2 * n; call++) {
    log.nowNs++;
    log.open(tree.child(main, 1 + (call % 2)));
    log.nowNs++;
    log.close(NONE);
  }
  log.close(NONE);
  return { log: log.build(), tree: tree.build() };
}

/** A function calls itself n times, and returns as often. */
function deep(n: number): Logged {
  const [log, tree] = [new CallLogBuilder(), new CallTreeBuilder()];
  log.begin(0);
  let node = ROOT;
  for (let call = 0; call < n; call++) {
    log.nowNs++;
    log.open((node = tree.child(node, call % 2)));
  }
  for (let call = 0; call < n; call++) {
    log.nowNs++;
    log.close(NONE);
  }
  return { log: log.build(), tree: tree.build() };
}

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly key: number;
}

/** `lastNs`: the time of the last event. */
const INTERVALS: Readonly<Record<string, (row: number, n: number, lastNs: number) => Interval>> = {
  'that nest': (row, _, lastNs) => ({ from: row, to: lastNs - row, key: row }),
  'that nest, with the same key': (row, _, lastNs) => ({ from: row, to: lastNs - row, key: 7 }),
  'that overlap the next half': (row, n) => ({ from: 2 * row, to: 2 * row + n, key: row }),
  'that overlap, with a few keys': (row, n) => ({ from: 2 * row, to: 2 * row + n, key: row % 3 }),
  'that are all the same': (row, _, lastNs) => ({ from: 1, to: lastNs, key: row }),
  'that follow each other': (row) => ({ from: row, to: row + 1, key: row }),
  'that are empty or reversed': (row) => ({ from: row, to: row - (row % 2), key: row }),
};

function questions(write: (typeof INTERVALS)[string], n: number, minNs: number, log: CallLog): ThreadQuestions {
  const lastNs = timesOf(log).at(-1) as number;
  const rows = Array.from({ length: n }, (_, row) => write(row, n, lastNs));
  const fromNs = Float64Array.from(rows, ({ from }) => from);
  const toNs = Float64Array.from(rows, ({ to }) => to);
  return {
    nodesAt: fromNs.toSorted(),
    treesOver: { fromNs, toNs, key: Int32Array.from(rows, ({ key }) => key) },
    spans: { calls: { functions: Uint8Array.of(0, 1, 0), durations: null }, window: UNBOUNDED },
    spanTrees: { fromNs, toNs, minNs },
  };
}

const RANK = Int32Array.of(0, 1, 2);

function workOfAsking(logged: (n: number) => Logged, write: (typeof INTERVALS)[string], n: number, minNs: number) {
  const { log, tree } = logged(n);
  const asked = questions(write, n, minNs, log);
  return workOf(/\/src\/(?:analysis|model)\//, async () => void answerThread(log, tree, asked, RANK));
}

test.each(Object.keys(INTERVALS))('four times the intervals %s cost about four times the work', async (kind) => {
  const work = await workOfAsking(flat, INTERVALS[kind], 2000, 10);
  expect((await workOfAsking(flat, INTERVALS[kind], 8000, 10)) / work).toBeLessThan(5);
});

test.each(['that follow each other', 'that are empty or reversed'])(
  'the same in a deep recursion, of intervals %s',
  async (kind) => {
    const work = await workOfAsking(deep, INTERVALS[kind], 2000, 10);
    expect((await workOfAsking(deep, INTERVALS[kind], 8000, 10)) / work).toBeLessThan(5);
  },
);

test('an interval that counts several times is like as many intervals', () => {
  const { log, tree } = flat(5);
  const fromNs = Float64Array.of(0, 5, 3, 12);
  const toNs = Float64Array.of(30, 17, 40, 13);
  const treesOver = { fromNs, toNs, key: Int32Array.of(4, 4, 2, 9), count: Int32Array.of(2, 1, 3, 2) };
  const repeated = Array.from(treesOver.count).flatMap((count, row) => new Array<number>(count).fill(row));
  const each = {
    fromNs: Float64Array.from(repeated, (row) => fromNs[row]),
    toNs: Float64Array.from(repeated, (row) => toNs[row]),
    key: Int32Array.from(repeated, (row) => treesOver.key[row]),
  };
  const ask = (treesOver: ThreadQuestions['treesOver']) =>
    answerThread(log, tree, { nodesAt: null, treesOver, spans: null, spanTrees: null }, RANK).answers.treesOver;
  expect(ask(treesOver)).toEqual(ask(each));
});

test('as many rows are returned as there are keys and nodes with time', () => {
  const { log, tree } = flat(3);
  const asked = questions(INTERVALS['that nest, with the same key'], 5, 0, log);
  const { answers, paths } = answerThread(log, tree, asked, RANK);
  expect(answers.treesOver).toEqual({
    key: Int32Array.of(7, 7, 7),
    node: Int32Array.of(1, 2, 3),
    ns: Float64Array.of(20, 10, 10),
    inferredNs: new Float64Array(3),
  });
  expect(paths.length).toBe(4);
});
