/**
 * Turns a call tree around: under each function, the functions that called it.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';
import { CallersWalk } from './callers-walk.js';

/**
 * The root's children are the functions of `nodes`, their children are their callers, and so on. A node has the calls
 * of the function that its chain begins with, and time where the chain of callers ends. Callers with less than `minNs`
 * are left out: their time stays with the function that they called.
 *
 * `weightNs`: by node, the weight that its chain carries.
 */
export function callersTree(
  tree: CallTree,
  nodes: readonly NodeId[],
  weightNs: Float64Array,
  minNs: Nanoseconds,
): CallTree {
  return new CallersWalk(tree, weightNs, minNs).follow(nodes);
}

/** By self time: the functions on top, and their callers. */
export function bottomUp(tree: CallTree, minNs: Nanoseconds): CallTree {
  const isUsed = (node: NodeId) => tree.selfNs[node] > 0 || tree.calls[node] > 0;
  return callersTree(tree, nodesOf(tree, isUsed), tree.selfNs, minNs);
}

/** The total time of one function by caller; recursion counts once. */
export function callersOfFunction(tree: CallTree, symbol: SymbolId, minNs: Nanoseconds): CallTree {
  const isSelected = (node: NodeId) => isOutermost(tree, node, symbol);
  return callersTree(tree, nodesOf(tree, isSelected), totalTimes(tree), minNs);
}

function nodesOf({ length }: CallTree, isSelected: (node: NodeId) => boolean): NodeId[] {
  const nodes: NodeId[] = [];
  for (let node = ROOT + 1; node < length; node++) if (isSelected(node)) nodes.push(node);
  return nodes;
}

function isOutermost({ parent, symbol }: CallTree, node: NodeId, selected: SymbolId): boolean {
  if (symbol[node] !== selected) return false;
  for (let caller = parent[node]; caller !== ROOT; caller = parent[caller])
    if (symbol[caller] === selected) return false;
  return true;
}
