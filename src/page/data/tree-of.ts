/**
 * Merges selected threads of the page into one tree, each time the selection changes. Values are added up by node of the shape,
 * without lookups.
 */
import { type CallTree, selectNodes, usedNodes } from '../../model/calls/call-tree.js';
import { sumsOf } from '../../model/calls/sum-trees.js';
import type { PageData } from './page-data.js';

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
