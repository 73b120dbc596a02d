/**
 * A call tree from its leaves: under each function those that called it.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { totalTimes } from '../model/tree-view.js';
import type { Nanoseconds, NodeId, SymbolId } from '../model/units.js';

/** Chains of calls that are followed towards the root, all of them one step at a time. */
interface Chains {
  /** Where they begin. */
  readonly from: NodeId[];
  /** How far they were followed. */
  readonly at: NodeId[];
  /** Where they stand in the new tree. */
  readonly place: NodeId[];
}

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
  const builder = new CallTreeBuilder();
  let chains: Chains = { from: [...nodes], at: [...nodes], place: nodes.map(() => ROOT) };
  while (chains.from.length > 0) chains = oneStepOn(tree, weightNs, least, chains, builder);
  return builder.build();
}

/** By own time: who was on top, and through whom. */
export function bottomUp(tree: CallTree, least: Nanoseconds): CallTree {
  const isUsed = (node: NodeId) => (tree.selfNs[node] as number) > 0 || (tree.calls[node] as number) > 0;
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
  for (let caller = parent[node] as NodeId; caller !== ROOT; caller = parent[caller] as NodeId)
    if (symbol[caller] === asked) return false;
  return true;
}

/** Each chain's next function gets a place, and those with too little on them end below it. */
function oneStepOn(
  tree: CallTree,
  weightNs: Float64Array,
  least: Nanoseconds,
  { from, at, place }: Chains,
  builder: CallTreeBuilder,
): Chains {
  const next: Chains = { from: [], at: [], place: [] };
  const sums = sumsBy(
    place.length,
    (chain) => keyOf(place[chain], tree.symbol[at[chain]]),
    (chain) => weightNs[from[chain]],
  );
  for (let chain = 0; chain < from.length; chain++) {
    const [begin, node, below] = [from[chain] as NodeId, at[chain] as NodeId, place[chain] as NodeId];
    if ((sums.get(keyOf(below, tree.symbol[node])) as number) < least) {
      builder.charge(below, weightNs[begin], false);
      continue;
    }
    const here = builder.child(below, tree.symbol[node]);
    builder.addCalls(here, tree, begin);
    const caller = tree.parent[node];
    if (caller === ROOT) builder.charge(here, weightNs[begin], false);
    else {
      next.from.push(begin);
      next.at.push(caller);
      next.place.push(here);
    }
  }
  return next;
}

const SYMBOLS = 2 ** 26;

function keyOf(place: NodeId | undefined, symbol: SymbolId): number {
  return (place as NodeId) * SYMBOLS + symbol;
}

function sumsBy(length: number, key: (at: number) => number, value: (at: number) => number): Map<number, number> {
  const sums = new Map<number, number>();
  for (let at = 0; at < length; at++) sums.set(key(at), (sums.get(key(at)) ?? 0) + value(at));
  return sums;
}
