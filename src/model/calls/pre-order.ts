/**
 * A tree whose nodes stand as they are drawn: callers before callees, siblings in an order, a subtree in one run.
 */

import type { NodeId } from '../units.js';
import { type CallTree, ROOT, selectNodes } from './call-tree.js';
import { childrenOf, viewOf } from './tree-view.js';

/** `compare`: of two siblings. */
export function inPreOrder(tree: CallTree, compare: (a: NodeId, b: NodeId) => number): CallTree {
  const view = viewOf(tree);
  const order = new Int32Array(tree.length);
  const stack = [ROOT];
  let length = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    order[length++] = node;
    // The last one first, to be taken from the end of the stack.
    const children = childrenOf(view, node).sort((a, b) => compare(b, a));
    for (const child of children) stack.push(child);
  }
  return selectNodes(tree, order);
}
