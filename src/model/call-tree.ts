/**
 * The calling-context tree: one node per path of callers, with what was measured on it.
 */
import { float64Column, int32Column } from './columns.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from './units.js';

/** Node 0 is the root, no function; a parent always has a smaller id than its children. */
export interface CallTree {
  readonly length: number;
  readonly parent: Int32Array; // NodeId | NONE
  readonly symbol: Int32Array; // SymbolId, unique among siblings; NONE at the root
  readonly calls: Float64Array; // all calls, seen or inferred
  readonly inferredCalls: Float64Array; // those whose start or end was not seen
  readonly selfNs: Float64Array;
  readonly inferredNs: Float64Array; // the part of selfNs below a frame whose place is a guess, or that was jumped to unseen
  readonly completeNs: Float64Array; // durations of the calls seen from start to end, summed
  readonly minNs: Float64Array; // over the same calls; Infinity if there is none
  readonly maxNs: Float64Array; // -Infinity if there is none
}

export const ROOT: NodeId = 0;

/** Grows a tree; the columns are public to be added to, nodes are made by `child` alone. */
export class CallTreeBuilder {
  readonly parent = int32Column();
  readonly symbol = int32Column();
  readonly calls = float64Column();
  readonly inferredCalls = float64Column();
  readonly selfNs = float64Column();
  readonly inferredNs = float64Column();
  readonly completeNs = float64Column();
  readonly minNs = float64Column();
  readonly maxNs = float64Column();
  /** The child that was asked for last: mostly the one that is asked for next. */
  private readonly lastChild = int32Column();
  private readonly children = new ChildTable();

  constructor() {
    this.addNode(NONE, NONE);
  }

  get length(): number {
    return this.parent.length;
  }

  /** The child of `parent` for this symbol, made if it is not there yet. */
  child(parent: NodeId, symbol: SymbolId): NodeId {
    const last = this.lastChild.values[parent];
    if (last !== NONE && this.symbol.values[last] === symbol) return last;
    let node = this.find(parent, symbol);
    if (node === NONE) {
      node = this.addNode(parent, symbol);
      this.children.add(node, this.parent.values, this.symbol.values);
    }
    this.lastChild.values[parent] = node;
    return node;
  }

  /** The child of `parent` for this symbol, or NONE. */
  find(parent: NodeId, symbol: SymbolId): NodeId {
    return this.children.find(parent, symbol, this.parent.values, this.symbol.values);
  }

  /** `isGuess`: nobody knows for sure that the time belongs here. */
  charge(node: NodeId, ns: Nanoseconds, isGuess: boolean): void {
    this.selfNs.values[node] += ns;
    if (isGuess) this.inferredNs.values[node] += ns;
  }

  /** One more call, over and seen from start to end. */
  countComplete(node: NodeId, durationNs: Nanoseconds): void {
    this.calls.values[node]++;
    this.completeNs.values[node] += durationNs;
    if (durationNs < this.minNs.values[node]) this.minNs.values[node] = durationNs;
    if (durationNs > this.maxNs.values[node]) this.maxNs.values[node] = durationNs;
  }

  /** One more call of which the start or the end was not seen. */
  countInferred(node: NodeId): void {
    this.calls.values[node]++;
    this.inferredCalls.values[node]++;
  }

  /** Adds all of another tree below `top`; `symbolOf` may rename the nodes, so that several become one. */
  merge(tree: CallTree, top: NodeId, symbolOf: (symbol: SymbolId) => SymbolId): void {
    const here = new Int32Array(tree.length);
    here[ROOT] = top;
    for (let node = 0; node < tree.length; node++) {
      if (node !== ROOT) here[node] = this.child(here[tree.parent[node]], symbolOf(tree.symbol[node]));
      const mine = here[node];
      this.calls.values[mine] += tree.calls[node];
      this.inferredCalls.values[mine] += tree.inferredCalls[node];
      this.selfNs.values[mine] += tree.selfNs[node];
      this.inferredNs.values[mine] += tree.inferredNs[node];
      this.completeNs.values[mine] += tree.completeNs[node];
      this.minNs.values[mine] = Math.min(this.minNs.values[mine], tree.minNs[node]);
      this.maxNs.values[mine] = Math.max(this.maxNs.values[mine], tree.maxNs[node]);
    }
  }

  build(): CallTree {
    return {
      length: this.length,
      parent: this.parent.taken(),
      symbol: this.symbol.taken(),
      calls: this.calls.taken(),
      inferredCalls: this.inferredCalls.taken(),
      selfNs: this.selfNs.taken(),
      inferredNs: this.inferredNs.taken(),
      completeNs: this.completeNs.taken(),
      minNs: this.minNs.taken(),
      maxNs: this.maxNs.taken(),
    };
  }

  private addNode(parent: NodeId, symbol: SymbolId): NodeId {
    this.parent.push(parent);
    this.symbol.push(symbol);
    this.lastChild.push(NONE);
    for (const column of [this.calls, this.inferredCalls, this.selfNs, this.inferredNs, this.completeNs])
      column.push(0);
    this.minNs.push(Number.POSITIVE_INFINITY);
    this.maxNs.push(Number.NEGATIVE_INFINITY);
    return this.parent.length - 1;
  }
}

/** Nodes by parent and symbol: open addressing; the keys are the tree's own columns. */
class ChildTable {
  private slots = new Int32Array(64).fill(NONE);
  private length = 0;

  find(parent: NodeId, symbol: SymbolId, parents: Int32Array, symbols: Int32Array): NodeId {
    const mask = this.slots.length - 1;
    for (let slot = hashOf(parent, symbol) & mask; ; slot = (slot + 1) & mask) {
      const node = this.slots[slot];
      if (node === NONE || (parents[node] === parent && symbols[node] === symbol)) return node;
    }
  }

  add(node: NodeId, parents: Int32Array, symbols: Int32Array): void {
    if (2 * ++this.length > this.slots.length) this.grow(parents, symbols);
    this.place(node, parents, symbols);
  }

  private place(node: NodeId, parents: Int32Array, symbols: Int32Array): void {
    const mask = this.slots.length - 1;
    let slot = hashOf(parents[node], symbols[node]) & mask;
    while (this.slots[slot] !== NONE) slot = (slot + 1) & mask;
    this.slots[slot] = node;
  }

  private grow(parents: Int32Array, symbols: Int32Array): void {
    const old = this.slots;
    this.slots = new Int32Array(4 * old.length).fill(NONE);
    for (const node of old) if (node !== NONE) this.place(node, parents, symbols);
  }
}

function hashOf(parent: NodeId, symbol: SymbolId): number {
  const mixed = Math.imul(parent ^ Math.imul(symbol, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The tree without nodes that nothing was ever counted or charged on, in themselves or below. */
export function withoutEmptyNodes(tree: CallTree): CallTree {
  const used = new Uint8Array(tree.length);
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (tree.calls[node] > 0 || tree.selfNs[node] > 0) used[node] = 1;
    if (used[node]) used[tree.parent[node]] = 1;
  }
  used[ROOT] = 1;
  const kept = Int32Array.from([...used.keys()].filter((node) => used[node] === 1));
  if (kept.length === tree.length) return tree;
  return selectNodes(tree, kept);
}

/** The tree of these nodes, in this order. Of a node its parent is among them, and comes before it. */
export function selectNodes(tree: CallTree, nodes: Int32Array): CallTree {
  const newId = new Int32Array(tree.length);
  nodes.forEach((node, row) => {
    newId[node] = row;
  });
  const selected = (column: Float64Array) => Float64Array.from(nodes, (node) => column[node]);
  return {
    length: nodes.length,
    parent: nodes.map((node) => (node === ROOT ? NONE : newId[tree.parent[node]])),
    symbol: nodes.map((node) => tree.symbol[node]),
    calls: selected(tree.calls),
    inferredCalls: selected(tree.inferredCalls),
    selfNs: selected(tree.selfNs),
    inferredNs: selected(tree.inferredNs),
    completeNs: selected(tree.completeNs),
    minNs: selected(tree.minNs),
    maxNs: selected(tree.maxNs),
  };
}
