/**
 * A call tree from its leaves: under each function those that called it.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';
import { CallersWalk } from './callers-walk.js';

/**
 * The root's children are the functions of some nodes, their children those that called them, and so on. Nodes have the calls
 * of the function at the beginning, and time where its callers end. Callers that would have less than `least` are left out:
 * their time stays with the function that they called.
 *
 * `weightNs`: by node, what it brings along.
 */
export function callersTree(
  tree: CallTree,
  nodes: readonly NodeId[],
  weightNs: Float64Array,
  least: Nanoseconds,
): CallTree {
  return new CallersWalk(tree, weightNs, least).follow(nodes);
}

/** By own time: who was on top, and through whom. */
export function bottomUp(tree: CallTree, least: Nanoseconds): CallTree {
  const isUsed = (node: NodeId) => tree.selfNs[node] > 0 || tree.calls[node] > 0;
  return callersTree(tree, nodesOf(tree, isUsed), tree.selfNs, least);
}

/** Of one function: its whole time by who called it; recursion counts once. */
export function callersOfFunction(tree: CallTree, symbol: SymbolId, least: Nanoseconds): CallTree {
  const isAsked = (node: NodeId) => isOutermost(tree, node, symbol);
  return callersTree(tree, nodesOf(tree, isAsked), totalTimes(tree), least);
}

function nodesOf({ length }: CallTree, isAsked: (node: NodeId) => boolean): NodeId[] {
  const nodes: NodeId[] = [];
  for (let node = ROOT + 1; node < length; node++) if (isAsked(node)) nodes.push(node);
  return nodes;
}

function isOutermost({ parent, symbol }: CallTree, node: NodeId, asked: SymbolId): boolean {
  if (symbol[node] !== asked) return false;
  for (let caller = parent[node]; caller !== ROOT; caller = parent[caller]) if (symbol[caller] === asked) return false;
  return true;
}
