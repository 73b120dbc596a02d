/**
 * Orders the nodes of a call tree: callers before callees, siblings by rank, each subtree contiguous (pre-order).
 */
import { NONE, type NodeId } from '../units.js';
import { type CallTree, ROOT, selectNodes } from './call-tree.js';

/** Returns the tree in pre-order with siblings by rank. `rank`: by symbol, each different. */
export function orderedTree(tree: CallTree, rank: Int32Array): CallTree {
  if (isOrdered(tree, rank)) return tree;
  return selectNodes(
    tree,
    nodeOrder(
      tree,
      tree.symbol.map((symbol) => (symbol === NONE ? NONE : rank[symbol])),
    ),
  );
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

export interface Siblings {
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
}

/** Sort keys are exact up to 2^27 ranks and 2^26 nodes. */
const NODES = 2 ** 26;

/** Siblings of equal rank are adjacent. */
export function siblingsByRank(parent: Int32Array, rank: Int32Array): Siblings {
  const firstChild = new Int32Array(parent.length).fill(NONE);
  const nextSibling = new Int32Array(parent.length).fill(NONE);
  const keys = new Float64Array(parent.length);
  for (let node = 1; node < keys.length; node++) keys[node] = rank[node] * NODES + node;
  keys.subarray(1).sort();
  for (let at = keys.length - 1; at > 0; at--) {
    const node = keys[at] % NODES;
    nextSibling[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
  }
  return { firstChild, nextSibling };
}
