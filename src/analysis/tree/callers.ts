/**
 * Turns a call tree around: under each function, the functions that called it.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';

/**
 * The root's children are the functions of `nodes`, their children are their callers, and so on. A node has the calls
 * of the function that its chain begins with, and time where the chain of callers ends. Callers with less than `minNs`
 * are left out: their time stays with the function that they called. Of the functions, those without time are.
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

/** Neighbouring chains that have reached the same node of the new tree. */
interface Run {
  readonly node: NodeId;
  readonly start: number;
  readonly end: number;
}

/** Chains of calls: the node where each begins, and the node it has reached. */
class ChainColumns {
  readonly first: Int32Array;
  readonly reached: Int32Array;

  constructor(length: number) {
    this.first = new Int32Array(length);
    this.reached = new Int32Array(length);
  }
}

/**
 * Follows nodes of a call tree towards the root. Their chains of callers are sorted like words: by the first function,
 * then by the second. A large tree takes millions of steps, so this works on arrays.
 */
class CallersWalk {
  private readonly builder = new CallTreeBuilder();
  private current = new ChainColumns(0);
  private next = new ChainColumns(0);
  // by symbol, of one run at a time
  private readonly sumNs: Float64Array;
  private readonly count: Int32Array;
  private readonly nodeOf: Int32Array;
  /** The number of chains that do not end at this symbol; later the position of the next of them. */
  private readonly continuing: Int32Array;

  /** `weightNs`: by node, the weight that its chain carries; callers with less than `minNs` are left out. */
  constructor(
    private readonly tree: CallTree,
    private readonly weightNs: Float64Array,
    private readonly minNs: Nanoseconds,
  ) {
    const symbols = 1 + tree.symbol.reduce((max, symbol) => Math.max(max, symbol), 0);
    this.sumNs = new Float64Array(symbols);
    this.count = new Int32Array(symbols);
    this.nodeOf = new Int32Array(symbols);
    this.continuing = new Int32Array(symbols);
  }

  follow(nodes: readonly NodeId[]): CallTree {
    this.current = new ChainColumns(nodes.length);
    this.next = new ChainColumns(nodes.length);
    this.current.first.set(nodes);
    this.current.reached.set(nodes);
    let runs: readonly Run[] = [{ node: ROOT, start: 0, end: nodes.length }];
    while (runs.length > 0) {
      runs = this.step(runs);
      [this.current, this.next] = [this.next, this.current];
    }
    return this.builder.build();
  }

  private step(runs: readonly Run[]): Run[] {
    const next: Run[] = [];
    for (const run of runs) {
      this.addNodes(run.node, this.sumBySymbol(run), next);
      this.advance(run);
    }
    return next;
  }

  /** Returns the functions that the chains have reached. */
  private sumBySymbol({ start, end }: Run): SymbolId[] {
    const { tree, weightNs, sumNs, count, continuing } = this;
    const { first, reached } = this.current;
    const found: SymbolId[] = [];
    for (let chain = start; chain < end; chain++) {
      const node = reached[chain];
      const symbol = tree.symbol[node];
      if (count[symbol]++ === 0) found.push(symbol);
      sumNs[symbol] += weightNs[first[chain]];
      if (tree.parent[node] !== ROOT) continuing[symbol]++;
    }
    return found;
  }

  /** Adds a node for each function that has enough time; the chains that continue from it become a run. */
  private addNodes(below: NodeId, found: readonly SymbolId[], next: Run[]): void {
    const { sumNs, count, continuing, nodeOf } = this;
    for (const symbol of found) {
      const isLeftOut = sumNs[symbol] < (below === ROOT ? Math.min(1, this.minNs) : this.minNs);
      const start = next.at(-1)?.end ?? 0;
      nodeOf[symbol] = isLeftOut ? NONE : this.builder.child(below, symbol);
      if (!isLeftOut && continuing[symbol] > 0)
        next.push({ node: nodeOf[symbol], start, end: start + continuing[symbol] });
      continuing[symbol] = start;
      sumNs[symbol] = 0;
      count[symbol] = 0;
    }
  }

  private advance({ node: below, start, end }: Run): void {
    const { tree, weightNs, continuing, nodeOf, builder, current, next } = this;
    for (let chain = start; chain < end; chain++) {
      const first = current.first[chain];
      const symbol = tree.symbol[current.reached[chain]];
      const node = nodeOf[symbol];
      const caller = tree.parent[current.reached[chain]];
      if (node !== NONE) builder.addCalls(node, tree, first);
      if (node === NONE) builder.charge(below, weightNs[first]);
      else if (caller === ROOT) builder.charge(node, weightNs[first]);
      else {
        next.first[continuing[symbol]] = first;
        next.reached[continuing[symbol]++] = caller;
      }
    }
    for (let chain = start; chain < end; chain++) continuing[tree.symbol[current.reached[chain]]] = 0;
  }
}
