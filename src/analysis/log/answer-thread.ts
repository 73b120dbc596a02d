/**
 * Answers questions about many moments and intervals of one thread from its call log.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { nodeOrder } from '../../model/calls/tree-view.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId, type Tid } from '../../model/units.js';
import { isStop } from '../tree/outside.js';
import { type SpanTrees, type SpanTreesQuestion, spanTrees } from './span-trees.js';
import { type Spans, type SpansQuestion, spansOf } from './spans.js';
import { inOrder, type KeyedIntervals, type TimeRows, treesOver } from './trees-over.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

/** In the trace's time; null: not asked. */
export interface ThreadQuestions {
  /** What was on top of the stack at these moments, ascending. */
  readonly nodesAt: Float64Array | null;
  /** The time by node within these intervals. */
  readonly treesOver: KeyedIntervals | null;
  readonly spans: SpansQuestion | null;
  readonly spanTrees: SpanTreesQuestion | null;
}

/** Plain data; times as in the questions. Nodes are those of a shape that comes with the answers. */
export interface ThreadAnswers {
  readonly nodesAt: NodesAt | null;
  /** By key, then node. */
  readonly treesOver: TimeRows | null;
  readonly spans: Spans | null;
  readonly spanTrees: SpanTrees | null;
}

export interface AnswersWithPaths {
  readonly answers: ThreadAnswers;
  /** The call paths of all nodes in the answers, in pre-order with siblings by rank. */
  readonly paths: Shape;
}

/** Returns the time that the questions are about. */
export function boundsOfQuestions({ nodesAt, treesOver, spans, spanTrees }: ThreadQuestions): Bounds {
  let { startNs, endNs }: Bounds = spans?.window ?? {
    startNs: Number.POSITIVE_INFINITY,
    endNs: Number.NEGATIVE_INFINITY,
  };
  for (const ns of nodesAt ?? []) [startNs, endNs] = [Math.min(startNs, ns), Math.max(endNs, ns + 1)];
  for (const intervals of [treesOver, spanTrees]) {
    for (const ns of intervals?.fromNs ?? []) startNs = Math.min(startNs, ns);
    for (const ns of intervals?.toNs ?? []) endNs = Math.max(endNs, ns);
  }
  return { startNs, endNs };
}

/** `tree`: has all nodes that the log refers to. `rank`: by symbol, each different. */
export function answerThread(
  log: CallLog,
  tree: Shape,
  questions: ThreadQuestions,
  rank: Int32Array,
): AnswersWithPaths {
  const time = questions.treesOver && treesOver(log, tree.length, questions.treesOver);
  const found: ThreadAnswers = {
    nodesAt: questions.nodesAt && nodesAt(log, questions.nodesAt),
    treesOver: time === null ? null : time.rows,
    spans: questions.spans && spansOf(log, tree, questions.spans),
    spanTrees: questions.spanTrees && spanTrees(log, questions.spanTrees),
  };
  const { paths, newId } = pathsOf(tree, found, rank);
  const answers = renumbered(found, newId);
  return { answers: { ...answers, treesOver: time && byKey(time.keys, answers.treesOver, paths.length) }, paths };
}

function byKey(keys: Int32Array, rows: TimeRows | null, nodes: number): TimeRows | null {
  const ordered = rows && inOrder(rows, keys.length, nodes);
  return ordered && { ...ordered, key: ordered.key.map((key) => keys[key]) };
}

/** Returns the answers with other nodes. `newId`: by node. */
export function renumbered(answers: ThreadAnswers, newId: Int32Array): ThreadAnswers {
  const withNewIds = <Answer extends { readonly node: Int32Array }>(answer: Answer): Answer => {
    return { ...answer, node: answer.node.map((node) => (node === NONE ? NONE : newId[node])) };
  };
  return {
    nodesAt: answers.nodesAt && withNewIds(answers.nodesAt),
    treesOver: answers.treesOver && withNewIds(answers.treesOver),
    spans: answers.spans && withNewIds(answers.spans),
    spanTrees: answers.spanTrees && withNewIds(answers.spanTrees),
  };
}

interface NumberedPaths {
  readonly paths: Shape;
  /** By node of the tree: its node in `paths`; undefined for nodes that are not in it. */
  readonly newId: Int32Array;
}

/** Selects the nodes that occur in answers, and those above them. */
function pathsOf({ length, parent, symbol }: Shape, answers: ThreadAnswers, rank: Int32Array): NumberedPaths {
  const newId = new Int32Array(length).fill(NONE);
  const isUsed = new Uint8Array(length);
  isUsed[ROOT] = 1;
  for (const answer of Object.values(answers))
    for (const used of (answer?.node ?? []) as Int32Array)
      for (let node: NodeId = used; node !== NONE && isUsed[node] === 0; node = parent[node]) isUsed[node] = 1;
  const nodes = Int32Array.from(isUsed.keys()).filter((node) => isUsed[node] === 1);
  nodes.forEach((node, row) => {
    newId[node] = row;
  });
  const parents = nodes.map((node) => (node === ROOT ? NONE : newId[parent[node]]));
  const ranks = nodes.map((node) => (node === ROOT ? NONE : rank[symbol[node]]));
  const order = nodeOrder({ length: nodes.length, parent: parents }, ranks);
  order.forEach((row, id) => {
    newId[nodes[row]] = id;
  });
  const inPreOrder = order.map((row) => nodes[row]);
  const paths = {
    length: nodes.length,
    parent: inPreOrder.map((node) => (node === ROOT ? NONE : newId[parent[node]])),
    symbol: inPreOrder.map((node) => symbol[node]),
  };
  return { paths, newId };
}

/**
 * Finds what was on top of a thread's stack at many moments, in one walk over its log.
 *
 * A row for each moment.
 */
interface NodesAt {
  /** The stop that the thread was in, else its function; the root: no function is known; NONE: it was not observed. */
  readonly node: Int32Array;
  /** When that call or stop began; NaN: there is none. */
  readonly sinceNs: Float64Array;
  /** `Doubt` about the call path. */
  readonly doubt: Uint8Array;
}

/** `moments`: ascending. */
function nodesAt(log: CallLog, moments: Float64Array): NodesAt {
  const node = new Int32Array(moments.length).fill(NONE);
  const sinceNs = new Float64Array(moments.length).fill(Number.NaN);
  const doubt = new Uint8Array(moments.length);
  let row = 0;
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    closed() {},
    spent(top, fromNs, toNs, doubtOfPath) {
      while (row < moments.length && moments[row] < fromNs) row++;
      for (; row < moments.length && moments[row] < toNs; row++) {
        node[row] = top === null ? ROOT : top.node;
        sinceNs[row] = top === null ? (Number.NaN as Nanoseconds) : top.entryNs;
        doubt[row] = doubtOfPath;
      }
    },
  };
  walkCalls(log, listener);
  return { node, sinceNs, doubt };
}

/** Joins the answers of threads: their nodes become nodes of one tree of call paths. */
export interface LogAnswers {
  /** The call paths of all nodes in the answers, in pre-order with siblings by rank. */
  readonly paths: Shape;
  /** Of the threads that were asked and are in the trace. */
  readonly threads: ReadonlyMap<Tid, ThreadAnswers>;
}

/** `rank`: by symbol, each different. */
export function joinAnswers(byThread: ReadonlyMap<Tid, AnswersWithPaths>, rank: Int32Array): LogAnswers {
  const tids = [...byThread.keys()].sort((a, b) => a - b);
  const all = tids.map((tid) => byThread.get(tid) as AnswersWithPaths);
  const { shape, nodes } = overlayTrees(
    all.map(({ paths }) => paths),
    rank,
  );
  const threads = tids.map((tid, row) => [tid, renumbered(all[row].answers, nodes[row])] as const);
  return { paths: shape, threads: new Map(threads) };
}

/** Returns the function on top for each call path: the path without the stops on its end. */
export function functionNodes({ length, parent, symbol }: Shape): Int32Array {
  const nodes = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) nodes[node] = isStop(symbol[node]) ? nodes[parent[node]] : node;
  return nodes;
}
