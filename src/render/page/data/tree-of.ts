/**
 * Some threads of the page → one tree of theirs. It is made again whenever threads are chosen: added up where the shape has them,
 * nothing is looked up.
 */
import { type CallTree, selectNodes, usedNodes } from '../../../model/call-tree.js';
import type { PageData, PageThread, Shape } from './page-data.js';

export interface TreeOfThreads {
  /** Nodes that have calls or time in themselves or below; they and siblings stand in the order of the shape. */
  readonly tree: CallTree;
  /** By node of the tree. */
  readonly shapeNode: Int32Array;
}

/** `chosen`: by their place among the page's threads, each once. */
export function treeOf({ shape, threads }: PageData, chosen: readonly number[]): TreeOfThreads {
  const sums = noSums(shape);
  for (const at of chosen) addThread(sums, threads[at] as PageThread);
  const shapeNode = usedNodes(sums);
  return { tree: selectNodes(sums, shapeNode), shapeNode };
}

function noSums(shape: Shape): CallTree {
  const zeros = () => new Float64Array(shape.length);
  return {
    ...shape,
    calls: zeros(),
    inferredCalls: zeros(),
    selfNs: zeros(),
    inferredNs: zeros(),
    completeNs: zeros(),
    minNs: zeros().fill(Number.POSITIVE_INFINITY),
    maxNs: zeros().fill(Number.NEGATIVE_INFINITY),
  };
}

function addThread(sums: CallTree, { node, ...columns }: PageThread): void {
  addColumn(sums.calls, columns.calls, node);
  addColumn(sums.inferredCalls, columns.inferredCalls, node);
  addColumn(sums.selfNs, columns.selfNs, node);
  addColumn(sums.inferredNs, columns.inferredNs, node);
  addColumn(sums.completeNs, columns.completeNs, node);
  for (let row = 0; row < node.length; row++) {
    const at = node[row];
    if (columns.minNs[row] < sums.minNs[at]) sums.minNs[at] = columns.minNs[row];
    if (columns.maxNs[row] > sums.maxNs[at]) sums.maxNs[at] = columns.maxNs[row];
  }
}

function addColumn(sums: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) sums[node[row]] += values[row];
}
