/**
 * Joins the answers of threads: their nodes become nodes of one tree of call paths.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { NONE, type Tid } from '../../model/units.js';
import { isStop } from '../tree/outside.js';
import { type AnswersWithPaths, renumbered, type ThreadAnswers } from './answer-thread.js';

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

/** Returns the node of a tree for each call path; NONE: the tree does not have it. Both are ordered by `rank`. */
export function nodesInTree(paths: Shape, tree: Shape, rank: Int32Array): Int32Array {
  const { shape, nodes } = overlayTrees([paths, tree], rank);
  const [ofPaths, ofTree] = nodes;
  const nodeOf = new Int32Array(shape.length).fill(NONE);
  ofTree.forEach((id, node) => {
    nodeOf[id] = node;
  });
  return ofPaths.map((id) => nodeOf[id]);
}

/** Returns the function on top for each call path: the path without the stops on its end. */
export function functionNodes({ length, parent, symbol }: Shape): Int32Array {
  const nodes = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) nodes[node] = isStop(symbol[node]) ? nodes[parent[node]] : node;
  return nodes;
}
