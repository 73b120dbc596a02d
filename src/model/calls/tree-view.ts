/**
 * What follows from the links of a call tree: total times, children and depths, each in one pass, and its nodes in order.
 */

import { rowNumbers } from '../columns.js';
import { NONE, type NodeId } from '../units.js';
import { type CallTree, ROOT, selectNodes } from './call-tree.js';

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
  return { totalNs: totalTimes(tree), ...siblingsOf(tree), depth: depthsOf(tree) };
}

/** Returns the children of each node in their order. */
export function siblingsOf({ length, parent }: Pick<CallTree, 'length' | 'parent'>): Siblings {
  const firstChild = new Int32Array(length).fill(NONE);
  const nextSibling = new Int32Array(length).fill(NONE);
  for (let node = length - 1; node > ROOT; node--) {
    nextSibling[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
  }
  return { firstChild, nextSibling };
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

// Orders the nodes of a call tree: callers before callees, siblings by rank, each subtree contiguous (pre-order).

/** Returns the tree in pre-order with siblings by rank. `rank`: by symbol, each different. */
export function orderedTree(tree: CallTree, rank: Int32Array): CallTree {
  return sortedTree(tree, rank).tree;
}

/** Likewise, and by node where it is now. */
export function sortedTree(tree: CallTree, rank: Int32Array): { readonly tree: CallTree; readonly newId: Int32Array } {
  const { length, symbol } = tree;
  if (isOrdered(tree, rank)) return { tree, newId: rowNumbers(length) };
  const ranks = symbol.map((own) => (own === NONE ? NONE : rank[own]));
  const order = nodeOrder(tree, ranks);
  const newId = new Int32Array(length);
  for (let row = 0; row < length; row++) newId[order[row]] = row;
  return { tree: selectNodes(tree, order), newId };
}

export function isOrdered({ length, parent, symbol }: CallTree, rank: Int32Array): boolean {
  const depth = new Int32Array(length);
  const lastAt = new Int32Array(length); // by depth
  for (let node = 1; node < length; node++) {
    const caller = parent[node];
    const own = depth[caller] + 1;
    if (own > depth[node - 1] + 1 || lastAt[own - 1] !== caller) return false;
    const before = own <= depth[node - 1] ? lastAt[own] : NONE; // a sibling, as the caller is still open
    if (before !== NONE && rank[symbol[before]] >= rank[symbol[node]]) return false;
    depth[node] = own;
    lastAt[own] = node;
  }
  return true;
}

/** Returns the nodes of a tree, callers before callees, siblings by `rank`, which each node has. */
export function nodeOrder({ length, parent }: Pick<CallTree, 'length' | 'parent'>, rank: Int32Array): Int32Array {
  const siblings = siblingsByRank(parent, rank);
  const order = new Int32Array(length);
  let node: NodeId = ROOT;
  for (let at = 0; at < length; at++) {
    order[at] = node;
    node = nextNode(node, parent, siblings);
  }
  return order;
}

function nextNode(node: NodeId, parent: Int32Array, { firstChild, nextSibling }: Siblings): NodeId {
  if (firstChild[node] !== NONE) return firstChild[node];
  let open = node;
  while (open !== ROOT && nextSibling[open] === NONE) open = parent[open];
  return nextSibling[open];
}

interface Siblings {
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
}

/** Siblings of equal rank are adjacent. */
export function siblingsByRank(parent: Int32Array, rank: Int32Array): Siblings {
  const firstChild = new Int32Array(parent.length).fill(NONE);
  const nextSibling = new Int32Array(parent.length).fill(NONE);
  const nodes = nodesByRank(parent.length, rank);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    nextSibling[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
  }
  return { firstChild, nextSibling };
}

const MAX_DIGIT_BITS = 16;

/**
 * Returns all nodes but the root by rank, those of equal rank by number: sorted digit by digit, the last one first. A digit has
 * about as many values as there are nodes.
 */
function nodesByRank(length: number, rank: Int32Array): Int32Array {
  let nodes = rowNumbers(length).subarray(ROOT + 1);
  let highest = 0;
  for (let node = ROOT + 1; node < length; node++) if (rank[node] > highest) highest = rank[node];
  const bits = Math.min(MAX_DIGIT_BITS, 32 - Math.clz32(length));
  const mask = (1 << bits) - 1;
  const ends = new Int32Array(mask + 2);
  for (let shift = 0; shift < 32 && highest >> shift > 0; shift += bits) {
    const sorted = new Int32Array(nodes.length);
    ends.fill(0);
    for (let at = 0; at < nodes.length; at++) ends[((rank[nodes[at]] >> shift) & mask) + 1]++;
    for (let digit = 0; digit < mask; digit++) ends[digit + 1] += ends[digit];
    for (let at = 0; at < nodes.length; at++) sorted[ends[(rank[nodes[at]] >> shift) & mask]++] = nodes[at];
    nodes = sorted;
  }
  return nodes;
}

// Orders the nodes of a call tree as they are drawn: callers before callees, siblings sorted, each subtree contiguous.

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
