/**
 * Merges selected threads of the page into one tree, each time the selection changes. Values are added up by node of the shape,
 * without lookups.
 */
import { type CallTree, selectNodes, usedNodes } from '../../../model/calls/call-tree.js';
import type { NodeColumn } from '../../../model/calls/node-columns.js';
import type { PageData, PageThread, Shape } from './page-data.js';

/**
 * Returns the tree of the nodes that have calls or time in their subtree, in the order of the shape.
 *
 * `chosen`: indexes of threads, each once.
 */
export function treeOf({ shape, threads }: PageData, chosen: readonly number[]): CallTree {
  const sums = sumsOf(
    shape,
    chosen.map((at) => threads[at]),
  );
  const used = usedNodes(sums);
  return used.length === sums.length ? sums : selectNodes(sums, used);
}

/** Sums over the entire shape. One column at a time: it fits into the CPU's cache, all of them would not. */
function sumsOf(shape: Shape, threads: readonly PageThread[]): CallTree {
  const column = (name: NodeColumn, none: number, add: AddColumn): Float64Array => {
    const sums = new Float64Array(shape.length).fill(none);
    for (const thread of threads) add(sums, thread[name], thread.node);
    return sums;
  };
  return {
    ...shape,
    calls: column('calls', 0, addUp),
    inferredCalls: column('inferredCalls', 0, addUp),
    selfNs: column('selfNs', 0, addUp),
    inferredNs: column('inferredNs', 0, addUp),
    unwoundCalls: column('unwoundCalls', 0, addUp),
    completeNs: column('completeNs', 0, addUp),
    longestCutNs: column('longestCutNs', 0, keepMax),
    minNs: column('minNs', Number.POSITIVE_INFINITY, keepMin),
    maxNs: column('maxNs', Number.NEGATIVE_INFINITY, keepMax),
  };
}

/** Adds the values of a thread to the nodes of the shape. */
type AddColumn = (sums: Float64Array, values: Float64Array, node: Int32Array) => void;

function addUp(sums: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) sums[node[row]] += values[row];
}

function keepMin(min: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) min[node[row]] = Math.min(min[node[row]], values[row]);
}

function keepMax(max: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) max[node[row]] = Math.max(max[node[row]], values[row]);
}
