/**
 * Some threads of the page → one tree of theirs. It is made again whenever threads are chosen: added up where the shape has them,
 * nothing is looked up.
 */
import { type CallTree, selectNodes, usedNodes } from '../../../model/calls/call-tree.js';
import type { NodeColumn } from '../../../model/calls/node-columns.js';
import type { PageData, PageThread, Shape } from './page-data.js';

/**
 * The nodes that have calls or time in themselves or below, in the order of the shape.
 *
 * `chosen`: by their place among the page's threads, each once.
 */
export function treeOf({ shape, threads }: PageData, chosen: readonly number[]): CallTree {
  const sums = sumsOf(
    shape,
    chosen.map((at) => threads[at]),
  );
  const used = usedNodes(sums);
  return used.length === sums.length ? sums : selectNodes(sums, used);
}

/** On all of the shape. One column after the other: it fits into the processor's memory, all of them would not. */
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
    longestCutNs: column('longestCutNs', 0, keepMost),
    minNs: column('minNs', Number.POSITIVE_INFINITY, keepLeast),
    maxNs: column('maxNs', Number.NEGATIVE_INFINITY, keepMost),
  };
}

/** Adds a thread's values to those of the nodes of the shape. */
type AddColumn = (sums: Float64Array, values: Float64Array, node: Int32Array) => void;

function addUp(sums: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) sums[node[row]] += values[row];
}

function keepLeast(least: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) least[node[row]] = Math.min(least[node[row]], values[row]);
}

function keepMost(most: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) most[node[row]] = Math.max(most[node[row]], values[row]);
}
