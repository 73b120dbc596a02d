/**
 * From nodes of a call tree towards the root: their chains of calls are sorted like words, by the first function, then by the
 * second. In a large tree that takes millions of steps, so it is done in arrays.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';

/** Chains that have come to the same place of the new tree stand side by side. */
interface Run {
  readonly place: NodeId;
  readonly start: number;
  readonly end: number;
}

/** Chains of calls: the node where each begins, and how far it was followed. */
class Chains {
  readonly from: Int32Array;
  readonly at: Int32Array;

  constructor(length: number) {
    this.from = new Int32Array(length);
    this.at = new Int32Array(length);
  }
}

export class CallersWalk {
  private readonly tree: CallTree;
  private readonly weightNs: Float64Array;
  private readonly least: Nanoseconds;
  private readonly builder = new CallTreeBuilder();
  private now = new Chains(0);
  private next = new Chains(0);
  // by symbol, of one run at a time
  private readonly sumNs: Float64Array;
  private readonly count: Int32Array;
  private readonly place: Int32Array;
  /** How many chains do not end there, then where the next of them stands. */
  private readonly goingOn: Int32Array;

  /** `weightNs`: by node, what it brings along; callers with less than `least` are left out. */
  constructor(tree: CallTree, weightNs: Float64Array, least: Nanoseconds) {
    const symbols = 1 + tree.symbol.reduce((most, symbol) => Math.max(most, symbol), 0);
    this.tree = tree;
    this.weightNs = weightNs;
    this.least = least;
    this.sumNs = new Float64Array(symbols);
    this.count = new Int32Array(symbols);
    this.place = new Int32Array(symbols);
    this.goingOn = new Int32Array(symbols);
  }

  follow(nodes: readonly NodeId[]): CallTree {
    this.now = new Chains(nodes.length);
    this.next = new Chains(nodes.length);
    this.now.from.set(nodes);
    this.now.at.set(nodes);
    let runs: readonly Run[] = [{ place: ROOT, start: 0, end: nodes.length }];
    while (runs.length > 0) {
      runs = this.step(runs);
      [this.now, this.next] = [this.next, this.now];
    }
    return this.builder.build();
  }

  private step(runs: readonly Run[]): Run[] {
    const next: Run[] = [];
    for (const run of runs) {
      this.placeAll(run.place, this.addUp(run), next);
      this.goOn(run);
    }
    return next;
  }

  /** Returns the functions that the chains have come to. */
  private addUp({ start, end }: Run): SymbolId[] {
    const { tree, weightNs, sumNs, count, goingOn } = this;
    const { from, at } = this.now;
    const found: SymbolId[] = [];
    for (let chain = start; chain < end; chain++) {
      const node = at[chain];
      const symbol = tree.symbol[node];
      if (count[symbol]++ === 0) found.push(symbol);
      sumNs[symbol] += weightNs[from[chain]];
      if (tree.parent[node] !== ROOT) goingOn[symbol]++;
    }
    return found;
  }

  /** Each function gets a place, but those with too little on them; what goes on from it will be a run. */
  private placeAll(below: NodeId, found: readonly SymbolId[], next: Run[]): void {
    const { sumNs, count, goingOn, place } = this;
    for (const symbol of found) {
      const isLeftOut = sumNs[symbol] < this.least;
      const start = next.at(-1)?.end ?? 0;
      place[symbol] = isLeftOut ? NONE : this.builder.child(below, symbol);
      if (!isLeftOut && goingOn[symbol] > 0) next.push({ place: place[symbol], start, end: start + goingOn[symbol] });
      goingOn[symbol] = start;
      sumNs[symbol] = 0;
      count[symbol] = 0;
    }
  }

  private goOn({ place: below, start, end }: Run): void {
    const { tree, weightNs, goingOn, place, builder, now, next } = this;
    for (let chain = start; chain < end; chain++) {
      const begin = now.from[chain];
      const symbol = tree.symbol[now.at[chain]];
      const here = place[symbol];
      const caller = tree.parent[now.at[chain]];
      if (here !== NONE) builder.addCalls(here, tree, begin);
      if (here === NONE) builder.charge(below, weightNs[begin], false);
      else if (caller === ROOT) builder.charge(here, weightNs[begin], false);
      else {
        next.from[goingOn[symbol]] = begin;
        next.at[goingOn[symbol]++] = caller;
      }
    }
    for (let chain = start; chain < end; chain++) goingOn[tree.symbol[now.at[chain]]] = 0;
  }
}
