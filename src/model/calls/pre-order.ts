/**
 * Orders the nodes of a call tree as they are drawn: callers before callees, siblings sorted, each subtree contiguous.
 */

import type { NodeId } from '../units.js';
import { type CallTree, ROOT, selectNodes } from './call-tree.js';
import { childrenOf, viewOf } from './tree-view.js';

/** Returns the tree in pre-order. `compare`: orders siblings. */
export function inPreOrder(tree: CallTree, compare: (a: NodeId, b: NodeId) => number): CallTree {
  const view = viewOf(tree);
  const order = new Int32Array(tree.length);
  const stack = [ROOT];
  let length = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    order[length++] = node;
    // In reverse, as they are popped from the end of the stack.
    const children = childrenOf(view, node).sort((a, b) => compare(b, a));
    for (const child of children) stack.push(child);
  }
  return selectNodes(tree, order);
}
