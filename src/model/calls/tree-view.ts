/**
 * Derives total times, children and depths from a call tree, each in one pass.
 */

import { NONE, type NodeId } from '../units.js';
import { type CallTree, ROOT } from './call-tree.js';

/** Derived from a CallTree; never sent between workers. */
export interface TreeView {
  readonly totalNs: Float64Array;
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
  readonly depth: Int32Array;
}

// Parents come before children, so one backward pass sums every subtree.
export function totalTimes({ parent, selfNs }: Pick<CallTree, 'parent' | 'selfNs'>): Float64Array {
  const totalNs = selfNs.slice();
  for (let node = parent.length - 1; node > ROOT; node--) totalNs[parent[node]] += totalNs[node];
  return totalNs;
}

export function viewOf(tree: CallTree): TreeView {
  const firstChild = new Int32Array(tree.length).fill(NONE);
  const nextSibling = new Int32Array(tree.length).fill(NONE);
  for (let node = tree.length - 1; node > ROOT; node--) {
    nextSibling[node] = firstChild[tree.parent[node]];
    firstChild[tree.parent[node]] = node;
  }
  return { totalNs: totalTimes(tree), firstChild, nextSibling, depth: depthsOf(tree) };
}

/** The root has depth 0. */
function depthsOf({ parent }: Pick<CallTree, 'parent'>): Int32Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  return depth;
}

/** Returns the children of a node, in the order in which they were added. */
export function childrenOf(view: TreeView, node: NodeId): NodeId[] {
  const children: NodeId[] = [];
  for (let child = view.firstChild[node]; child !== NONE; child = view.nextSibling[child]) children.push(child);
  return children;
}
