/**
 * A call tree from its leaves: under each function those that called it.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { totalTimes } from '../model/tree-view.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';

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
  const walk = new CallersWalk(tree, nodes, weightNs, least, builder);
  while (walk.isOpen) walk.step();
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

/**
 * Chains of calls that are followed towards the root, all of them one step at a time. Those that have come to the same place of
 * the new tree stand side by side.
 */
class CallersWalk {
  /** Where each chain begins, and how far it was followed. */
  private from: Int32Array;
  private at: Int32Array;
  /** Those of the next step. */
  private nextFrom: Int32Array;
  private nextAt: Int32Array;
  /** Of each place that chains have come to: the node, and where its chains begin and end. */
  private groups: number[];
  /** By symbol, of one group at a time. */
  private readonly sumNs: Float64Array;
  private readonly chains: Int32Array;
  private readonly goingOn: Int32Array;
  private readonly place: Int32Array;
  private readonly tree: CallTree;
  private readonly weightNs: Float64Array;
  private readonly least: Nanoseconds;
  private readonly builder: CallTreeBuilder;

  constructor(
    tree: CallTree,
    nodes: readonly NodeId[],
    weightNs: Float64Array,
    least: Nanoseconds,
    builder: CallTreeBuilder,
  ) {
    const symbols = 1 + tree.symbol.reduce((most, symbol) => Math.max(most, symbol), 0);
    this.from = Int32Array.from(nodes);
    this.at = this.from.slice();
    this.nextFrom = new Int32Array(nodes.length);
    this.nextAt = new Int32Array(nodes.length);
    this.groups = nodes.length === 0 ? [] : [ROOT, 0, nodes.length];
    this.sumNs = new Float64Array(symbols);
    this.chains = new Int32Array(symbols);
    this.goingOn = new Int32Array(symbols);
    this.place = new Int32Array(symbols);
    this.tree = tree;
    this.weightNs = weightNs;
    this.least = least;
    this.builder = builder;
  }

  get isOpen(): boolean {
    return this.groups.length > 0;
  }

  step(): void {
    const { groups } = this;
    const next: number[] = [];
    let length = 0;
    for (let group = 0; group < groups.length; group += 3) {
      const [below, start, end] = [groups[group], groups[group + 1], groups[group + 2]] as [NodeId, number, number];
      length = this.placeAll(below, this.addUp(start, end), next, length);
      this.goOn(below, start, end);
    }
    [this.from, this.nextFrom] = [this.nextFrom, this.from];
    [this.at, this.nextAt] = [this.nextAt, this.at];
    this.groups = next;
  }

  /** Returns the functions that the chains have come to. */
  private addUp(start: number, end: number): SymbolId[] {
    const { from, at, weightNs, sumNs, chains, goingOn } = this;
    const { symbol, parent } = this.tree;
    const found: SymbolId[] = [];
    for (let chain = start; chain < end; chain++) {
      const node = at[chain] as NodeId;
      const own = symbol[node] as SymbolId;
      if (chains[own]++ === 0) found.push(own);
      sumNs[own] += weightNs[from[chain]];
      if (parent[node] !== ROOT) goingOn[own]++;
    }
    return found;
  }

  /** Each function gets a place, but those with too little on them, and the chains that go on from it a run of the next step. */
  private placeAll(below: NodeId, found: readonly SymbolId[], next: number[], length: number): number {
    const { sumNs, chains, goingOn, place, least, builder } = this;
    let end = length;
    for (const own of found) {
      const isLeftOut = sumNs[own] < least;
      const start = end;
      place[own] = isLeftOut ? NONE : builder.child(below, own);
      if (!isLeftOut && goingOn[own] > 0) next.push(place[own], start, (end += goingOn[own]));
      goingOn[own] = start;
      sumNs[own] = 0;
      chains[own] = 0;
    }
    return end;
  }

  /** `goingOn` is now where the next chain of a function goes. */
  private goOn(below: NodeId, start: number, end: number): void {
    const { from, at, nextFrom, nextAt, weightNs, goingOn, place, builder, tree } = this;
    for (let chain = start; chain < end; chain++) {
      const begin = from[chain] as NodeId;
      const own = tree.symbol[at[chain]];
      const here = place[own];
      const caller = tree.parent[at[chain]];
      if (here !== NONE) builder.addCalls(here, tree, begin);
      if (here === NONE || caller === ROOT) builder.charge(here === NONE ? below : here, weightNs[begin], false);
      else {
        nextFrom[goingOn[own]] = begin;
        nextAt[goingOn[own]++] = caller;
      }
    }
    // all of these functions begin anew in the next group
    for (let chain = start; chain < end; chain++) goingOn[tree.symbol[at[chain]]] = 0;
  }
}
