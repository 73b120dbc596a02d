/**
 * The call tree (calling-context tree): one node per call path, with what was measured on it.
 */

import { ReusedColumn, resized } from '../columns.js';
import { askForMemory } from '../memory.js';
import { hashOf } from '../pair-map.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../units.js';
import { Doubt, DoubtSums, keptDoubts, type NodeDoubts } from './doubts.js';
import type { DurationsBuilder } from './durations.js';

/** Node 0 is the root and not a function. A parent always has a smaller id than its children. */
export interface CallTree extends NodeColumns {
  readonly length: number;
  readonly parent: Int32Array; // NodeId | NONE
  readonly symbol: Int32Array; // SymbolId, unique among siblings; NONE at the root
  /** Why its inferred time is inferred; absent: unknown. */
  readonly doubts?: NodeDoubts | undefined;
}

export const ROOT: NodeId = 0;

/** Size of a node in all columns. */
const NODE_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT + 9 * Float64Array.BYTES_PER_ELEMENT;

/** Numbers that are rarely changed are in rows of their own. */
const Rare = { InferredCalls: 0, LongestCutNs: 1, UnwoundCalls: 2 } as const;
const RARES = 3;

/** The table finds nodes by parent and symbol: open addressing; the keys are read from the rows of the tree. */
const MIN_SLOTS = 512;

type Paths = Pick<CallTree, 'length' | 'parent' | 'symbol'>;
type NewSymbol = (symbol: SymbolId) => SymbolId;
const same: NewSymbol = (symbol) => symbol;

/** Builds a call tree. */
export class CallTreeBuilder {
  length = 0;
  /** Receives the durations of complete calls; null if they are not requested. */
  durations: DurationsBuilder | null = null;
  private readonly memory: TreeMemory;
  /** Zero from the row of the last node on that changed one; shorter than the tree if only nodes before changed. */
  private rares = new Float64Array(16 * RARES);
  private readonly doubts = new DoubtSums();

  constructor(memory: TreeMemory = new OwnTreeMemory()) {
    this.memory = memory;
    this.clear();
  }

  /** Begins another tree in the same memory. */
  clear(): void {
    this.rares.fill(0);
    this.doubts.clear();
    this.length = 0;
    this.memory.clearSlots(MIN_SLOTS);
    this.addNode(NONE, NONE);
  }

  /** Begins to count anew, and keeps the nodes. */
  clearCounts(): void {
    this.rares.fill(0);
    this.doubts.clear();
    for (let node = 0; node < this.length; node++) this.clearSums(node);
  }

  parentOf(node: NodeId): NodeId {
    return this.memory.links[LINKS * node + Link.Parent];
  }

  symbolOf(node: NodeId): SymbolId {
    return this.memory.links[LINKS * node + Link.Symbol];
  }

  /** Returns the child of `parent` for this symbol, and adds it if there is none. */
  child(parent: NodeId, symbol: SymbolId): NodeId {
    const { links } = this.memory;
    const last = links[LINKS * parent + Link.LastChild];
    if (last === NONE) return this.findOrAdd(parent, symbol);
    if (links[LINKS * last + Link.Symbol] === symbol) return last;
    // Programs repeat themselves: usually it is the child that was called after the last one before.
    const next = links[LINKS * last + Link.NextCalled];
    const node = next !== NONE && links[LINKS * next + Link.Symbol] === symbol ? next : this.findOrAdd(parent, symbol);
    const { links: grown } = this.memory;
    grown[LINKS * last + Link.NextCalled] = node;
    grown[LINKS * parent + Link.LastChild] = node;
    return node;
  }

  /** Returns the child of `parent` for this symbol, or NONE. */
  find(parent: NodeId, symbol: SymbolId): NodeId {
    const { slots, links } = this.memory;
    const mask = slots.length - 1;
    for (let slot = hashOf(parent, symbol) & mask; ; slot = (slot + 1) & mask) {
      const node = slots[slot];
      if (node === NONE) return NONE;
      if (links[LINKS * node + Link.Parent] === parent && links[LINKS * node + Link.Symbol] === symbol) return node;
    }
  }

  /** Charges time to a node. `doubt`: why it is not certain that the time belongs there; null: that is not known. */
  charge(node: NodeId, ns: Nanoseconds, doubt: Doubt | null = Doubt.None): void {
    const { sums } = this.memory;
    const row = SUMS * node;
    sums[row + Sum.SelfNs] += ns;
    if (doubt === Doubt.None || ns === 0) return;
    sums[row + Sum.InferredNs] += ns;
    this.countDoubt(node, ns, doubt);
  }

  /** Notes why time that was charged to a node is inferred. */
  countDoubt(node: NodeId, ns: Nanoseconds, doubt: Doubt | null): void {
    if (doubt === null) this.doubts.addUnknown();
    else this.doubts.add(node, doubt, ns);
  }

  /** Counts a complete call. */
  countComplete(node: NodeId, durationNs: Nanoseconds): void {
    const { sums } = this.memory;
    const row = SUMS * node;
    sums[row + Sum.Calls]++;
    sums[row + Sum.CompleteNs] += durationNs;
    if (durationNs < sums[row + Sum.MinNs]) sums[row + Sum.MinNs] = durationNs;
    if (durationNs > sums[row + Sum.MaxNs]) sums[row + Sum.MaxNs] = durationNs;
    if (this.durations) this.durations.add(this.symbolOf(node), durationNs);
  }

  /** Counts a complete call that did not return. */
  countUnwound(node: NodeId, durationNs: Nanoseconds): void {
    this.countComplete(node, durationNs);
    this.raresOf(node)[RARES * node + Rare.UnwoundCalls]++;
  }

  /** Counts a call whose start or end was not seen. It lasted at least `knownNs`. */
  countInferred(node: NodeId, knownNs: Nanoseconds): void {
    const rares = this.raresOf(node);
    const row = RARES * node;
    this.memory.sums[SUMS * node + Sum.Calls]++;
    rares[row + Rare.InferredCalls]++;
    if (knownNs > rares[row + Rare.LongestCutNs]) rares[row + Rare.LongestCutNs] = knownNs;
  }

  /**
   * Adds the paths of another tree below `top`. `symbolOf` may map several symbols to one, so that their nodes merge. Returns
   * by node of the tree the one that it was added to.
   */
  addPaths({ length, parent, symbol }: Paths, top: NodeId = ROOT, symbolOf: NewSymbol = same): Int32Array {
    const here = new Int32Array(length);
    here[ROOT] = top;
    for (let node = ROOT + 1; node < length; node++)
      here[node] = this.child(here[parent[node]], symbolOf(symbol[node]));
    return here;
  }

  /** Likewise with its calls and time. */
  merge(tree: CallTree, top: NodeId = ROOT, symbolOf: NewSymbol = same): Int32Array {
    const here = this.addPaths(tree, top, symbolOf);
    for (let node = ROOT; node < tree.length; node++) {
      this.addCalls(here[node], tree, node);
      this.addTime(here[node], tree, node);
    }
    return here;
  }

  /** Adds the calls of another tree's node to a node of this tree. */
  addCalls(to: NodeId, tree: CallTree, node: NodeId): void {
    const { sums } = this.memory;
    const rares = this.raresOf(to);
    const row = SUMS * to;
    sums[row + Sum.Calls] += tree.calls[node];
    sums[row + Sum.CompleteNs] += tree.completeNs[node];
    sums[row + Sum.MinNs] = Math.min(sums[row + Sum.MinNs], tree.minNs[node]);
    sums[row + Sum.MaxNs] = Math.max(sums[row + Sum.MaxNs], tree.maxNs[node]);
    const rare = RARES * to;
    rares[rare + Rare.InferredCalls] += tree.inferredCalls[node];
    rares[rare + Rare.UnwoundCalls] += tree.unwoundCalls[node];
    rares[rare + Rare.LongestCutNs] = Math.max(rares[rare + Rare.LongestCutNs], tree.longestCutNs[node]);
  }

  /** Adds the time of another tree's node to a node of this tree. */
  addTime(to: NodeId, tree: CallTree, node: NodeId): void {
    const { sums } = this.memory;
    sums[SUMS * to + Sum.SelfNs] += tree.selfNs[node];
    sums[SUMS * to + Sum.InferredNs] += tree.inferredNs[node];
    this.doubts.addOf(tree, node, to);
  }

  build(): CallTree {
    const { length } = this;
    const columns = emptyColumns(length);
    const { parent, symbol, calls, selfNs, completeNs, minNs, maxNs, inferredNs } = columns;
    const { links, sums } = this.memory;
    for (let node = 0; node < length; node++) {
      parent[node] = links[LINKS * node + Link.Parent];
      symbol[node] = links[LINKS * node + Link.Symbol];
      calls[node] = sums[SUMS * node + Sum.Calls];
      selfNs[node] = sums[SUMS * node + Sum.SelfNs];
      completeNs[node] = sums[SUMS * node + Sum.CompleteNs];
      minNs[node] = sums[SUMS * node + Sum.MinNs];
      maxNs[node] = sums[SUMS * node + Sum.MaxNs];
      inferredNs[node] = sums[SUMS * node + Sum.InferredNs];
    }
    const rows = Math.min(length, Math.floor(this.rares.length / RARES));
    for (let node = 0; node < rows; node++) {
      columns.inferredCalls[node] = this.rares[RARES * node + Rare.InferredCalls];
      columns.unwoundCalls[node] = this.rares[RARES * node + Rare.UnwoundCalls];
      columns.longestCutNs[node] = this.rares[RARES * node + Rare.LongestCutNs];
    }
    columns.doubts = this.doubts.build();
    return columns;
  }

  private findOrAdd(parent: NodeId, symbol: SymbolId): NodeId {
    const found = this.find(parent, symbol);
    if (found !== NONE) return found;
    const node = this.addNode(parent, symbol);
    this.addToTable(node);
    this.memory.links[LINKS * parent + Link.LastChild] = node;
    return node;
  }

  private addNode(parent: NodeId, symbol: SymbolId): NodeId {
    if (SUMS * this.length === this.memory.sums.length) this.memory.growRows();
    const { links } = this.memory;
    const node = this.length++;
    const link = LINKS * node;
    links[link + Link.Parent] = parent;
    links[link + Link.Symbol] = symbol;
    links[link + Link.LastChild] = NONE;
    links[link + Link.NextCalled] = NONE;
    this.clearSums(node);
    return node;
  }

  private clearSums(node: NodeId): void {
    const { sums } = this.memory;
    const row = SUMS * node; // `fill` is slow for so few values
    sums[row + Sum.Calls] = 0;
    sums[row + Sum.SelfNs] = 0;
    sums[row + Sum.CompleteNs] = 0;
    sums[row + Sum.MinNs] = Number.POSITIVE_INFINITY;
    sums[row + Sum.MaxNs] = Number.NEGATIVE_INFINITY;
    sums[row + Sum.InferredNs] = 0;
  }

  /** Makes space for this many more nodes, in the rows and in the table. */
  reserve(nodes: number): void {
    const length = this.length + nodes;
    while (SUMS * length > this.memory.sums.length) this.memory.growRows();
    while (2 * length > this.memory.slots.length) this.growTable(this.length);
  }

  /** Adds the newest node. */
  private addToTable(node: NodeId): void {
    if (2 * node > this.memory.slots.length) this.growTable(node);
    this.insert(node);
  }

  private growTable(nodes: number): void {
    this.memory.clearSlots(4 * this.memory.slots.length);
    for (let node = ROOT + 1; node < nodes; node++) this.insert(node);
  }

  private insert(node: NodeId): void {
    const { slots, links } = this.memory;
    const mask = slots.length - 1;
    let slot = hashOf(links[LINKS * node + Link.Parent], links[LINKS * node + Link.Symbol]) & mask;
    while (slots[slot] !== NONE) slot = (slot + 1) & mask;
    slots[slot] = node;
  }

  /** Returns the rare numbers, with a row for this node. */
  private raresOf(node: NodeId): Float64Array {
    if (RARES * node >= this.rares.length)
      this.rares = resized(this.rares, Math.max(2 * this.rares.length, RARES * (node + 1)));
    return this.rares;
  }
}

/** Returns the tree without nodes that have no calls and no time in their subtree. */
export function withoutEmptyNodes(tree: CallTree): CallTree {
  if (isEachUsed(tree)) return tree;
  const nodes = usedNodes(tree);
  return nodes.length === tree.length ? tree : selectNodes(tree, nodes);
}

/** True if each node has calls or time of its own, as usual. */
function isEachUsed({ length, calls, selfNs }: CallTree): boolean {
  for (let node = ROOT + 1; node < length; node++) if (calls[node] === 0 && selfNs[node] === 0) return false;
  return true;
}

/** Returns the root, and the nodes with calls or time in their subtree. */
export function usedNodes(tree: CallTree): Int32Array {
  const isUsed = new Uint8Array(tree.length);
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (tree.calls[node] > 0 || tree.selfNs[node] > 0) isUsed[node] = 1;
    if (isUsed[node]) isUsed[tree.parent[node]] = 1;
  }
  isUsed[ROOT] = 1;
  const nodes = new Int32Array(tree.length);
  let used = 0;
  for (let node = ROOT; node < tree.length; node++) if (isUsed[node]) nodes[used++] = node;
  return nodes.slice(0, used);
}

/**
 * Returns the tree of these nodes in this order, the root first. Parents come before their children; a node whose
 * parent is not selected becomes a child of the root.
 */
export function selectNodes(tree: CallTree, nodes: Int32Array): CallTree {
  const selected = emptyColumns(nodes.length);
  const newId = new Int32Array(tree.length);
  for (let row = 0; row < nodes.length; row++) newId[nodes[row]] = row;
  const select = <Column extends Int32Array | Float64Array>(column: Column, into: Column) => {
    for (let row = 0; row < nodes.length; row++) into[row] = column[nodes[row]];
  };
  for (let row = 0; row < nodes.length; row++)
    selected.parent[row] = nodes[row] === ROOT ? NONE : newId[tree.parent[nodes[row]]];
  select(tree.symbol, selected.symbol);
  for (const name of NODE_COLUMNS) select(tree[name], selected[name]);
  selected.doubts = doubtsOf(tree, nodes, newId);
  return selected;
}

/**
 * Returns a tree of zeros. Its columns are next to each other, and its links are apart from its numbers, as they may be kept
 * alone: a buffer for each column would take longer than a small tree.
 */
function emptyColumns(length: number): { -readonly [Key in keyof CallTree]: CallTree[Key] } {
  askForMemory(NODE_BYTES * length);
  const links = new Int32Array(2 * length);
  const numbers = new ArrayBuffer(NODE_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT * length);
  let row = 0;
  const column = () => new Float64Array(numbers, Float64Array.BYTES_PER_ELEMENT * length * row++, length);
  const [parent, symbol] = [links.subarray(0, length), links.subarray(length)];
  return { length, parent, symbol, ...nodeColumns(column), doubts: undefined };
}

function doubtsOf({ length, doubts }: CallTree, nodes: Int32Array, newId: Int32Array): NodeDoubts | undefined {
  if (doubts === undefined || doubts.node.length === 0) return doubts;
  const isKept = new Uint8Array(length);
  for (const node of nodes) isKept[node] = 1;
  return keptDoubts(doubts, newId, isKept);
}

// The memory of a call tree that is being built: a row for each node, and a table that finds children.

/**
 * Row layout of a node: what nearly every event reads or changes is one cache line of 64 bytes, links first. The module
 * of replay changes the same rows (src/replay/wasm/layout.ts).
 */
export const Link = { Parent: 0, Symbol: 1, LastChild: 2, NextCalled: 3 } as const;
export const LINKS = 16;
export const Sum = { Calls: 2, SelfNs: 3, CompleteNs: 4, MinNs: 5, MaxNs: 6, InferredNs: 7 } as const;
const SUMS = 8;

const FIRST_NODES = 256;

interface TreeMemory {
  readonly sums: Float64Array;
  /** The same memory as `sums`. */
  readonly links: Int32Array;
  /** The table: nodes, or NONE. Its length is a power of two. */
  readonly slots: Int32Array;
  /** Doubles the number of nodes. */
  growRows(): void;
  /** Makes the table this long, and empty. */
  clearSlots(length: number): void;
}

class OwnTreeMemory implements TreeMemory {
  sums = new Float64Array(FIRST_NODES * SUMS);
  links = new Int32Array(this.sums.buffer);
  slots = new Int32Array(0);
  private readonly reusedSlots = new ReusedColumn(new Int32Array(0));

  growRows(): void {
    this.sums = resized(this.sums, 2 * this.sums.length);
    this.links = new Int32Array(this.sums.buffer);
  }

  clearSlots(length: number): void {
    this.slots = this.reusedSlots.filled(length, NONE);
  }
}

/** The columns with what is known of each node of a call tree, shared by trees, files and pages. */
export interface NodeColumns {
  readonly calls: Float64Array; // all calls, complete or inferred
  readonly inferredCalls: Float64Array; // calls whose start or end was not seen
  readonly selfNs: Float64Array;
  readonly inferredNs: Float64Array; // the part of selfNs that is inferred: see `Doubt`
  readonly unwoundCalls: Float64Array; // complete calls that an exception or a longjmp ended
  readonly completeNs: Float64Array; // sum of the durations of complete calls
  readonly minNs: Float64Array; // over complete calls; Infinity if there is none
  readonly maxNs: Float64Array; // -Infinity if there is none
  readonly longestCutNs: Float64Array; // one inferred call lasted at least this long; 0: unknown, or there is none
}

/** The columns in the order in which files and pages have them. */
export const NODE_COLUMNS = [
  'calls',
  'inferredCalls',
  'selfNs',
  'inferredNs',
  'unwoundCalls',
  'completeNs',
  'longestCutNs',
  'minNs',
  'maxNs',
] as const satisfies readonly (keyof NodeColumns)[];
export type NodeColumn = (typeof NODE_COLUMNS)[number];

/** Builds one value per column. */
export function nodeColumns<Column>(make: (name: NodeColumn) => Column): Record<NodeColumn, Column> {
  return Object.fromEntries(NODE_COLUMNS.map((name) => [name, make(name)])) as Record<NodeColumn, Column>;
}
