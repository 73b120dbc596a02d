/**
 * Call paths that were really seen, in all threads: they tell where a thread stands when no address does.
 *
 * A thread caught in the middle, or seen again after a loss, reveals its callers as it returns to them. What it never
 * returns to, it does not reveal; but if the same chain of functions was seen elsewhere, the callers it had there are
 * the likely ones. It stays a guess: such frames are inferred.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { int32Column } from '../../model/columns.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';

/** What a thread teaches: the paths seen before anything was guessed, and the stack it began with. */
export interface Lesson {
  readonly learned: Pick<CallTree, 'length' | 'parent' | 'symbol'>;
  /** Lowest first; empty for a thread that was made while recording: it has no callers. */
  readonly firstStack: readonly SymbolId[];
}

/** A place for a chain of functions. */
export interface Place {
  /** The callers and the lowest function of the chain, lowest first. */
  readonly path: readonly SymbolId[];
  /** How much of the path the old stack shares, from the bottom. */
  readonly shared: number;
  /** How many callees of the chain were seen there, one below the other. */
  readonly seen: number;
}

/** A function seen in more places, or deeper, or a longer chain tells no more, and would make a loss cost more. */
const MOST_PLACES = 256;
export const DEEPEST_PLACE = 256;
const LONGEST_CHAIN = 64;

/** What several threads teach; plain data. */
export interface Lessons {
  readonly learned: Lesson['learned'];
  /** How many threads begin in a function. */
  readonly beginnings: ReadonlyMap<SymbolId, number>;
}

export class Contexts {
  private readonly builder = new CallTreeBuilder();
  private readonly nodesOf = new Map<SymbolId, NodeId[]>();
  private readonly depth = int32Column();
  private readonly beginnings = new Map<SymbolId, number>();

  constructor(lessons: readonly Lesson[] = []) {
    this.depth.push(0);
    for (const lesson of lessons) this.learn(lesson);
  }

  /** The same as another one that gave away what it knew. */
  static of({ learned, beginnings }: Lessons): Contexts {
    const contexts = new Contexts();
    contexts.learnPaths(learned);
    for (const [symbol, count] of beginnings) contexts.beginnings.set(symbol, count);
    return contexts;
  }

  /** Of places that nothing tells apart the one that was learned first counts: threads teach in their order. */
  learn({ learned, firstStack }: Lesson): void {
    this.learnPaths(learned);
    const lowest = firstStack[0];
    if (lowest !== undefined) this.beginnings.set(lowest, (this.beginnings.get(lowest) ?? 0) + 1);
  }

  lessons(): Lessons {
    const { length, parent, symbol } = this.builder.build();
    return { learned: { length, parent, symbol }, beginnings: this.beginnings };
  }

  private learnPaths({ length, parent, symbol }: Lesson['learned']): void {
    const here = new Int32Array(length);
    for (let node = 1; node < length; node++) here[node] = this.builder.child(here[parent[node]], symbol[node]);
    for (let node = this.depth.length; node < this.builder.length; node++) this.index(node);
  }

  private index(node: NodeId): void {
    const depth = this.depth.values[this.builder.parentOf(node)] + 1;
    this.depth.push(depth);
    if (depth >= DEEPEST_PLACE) return;
    const nodes = this.nodesOf.get(this.builder.symbolOf(node));
    if (nodes === undefined) this.nodesOf.set(this.builder.symbolOf(node), [node]);
    else if (nodes.length < MOST_PLACES) nodes.push(node);
  }

  /** The callers below the stack that a thread began with; none unless there is just one way. */
  callersBelow(stack: readonly SymbolId[]): SymbolId[] {
    const lowest = stack[0];
    if (lowest === undefined || (this.beginnings.get(lowest) ?? 0) > 1) return []; // threads do begin there
    const places = (this.nodesOf.get(lowest) ?? [])
      .map((node) => ({ callers: this.pathTo(node).slice(0, -1), seen: this.calleesSeen(node, stack) }))
      .filter(({ callers }) => callers.length > 0 && !callers.includes(lowest))
      .filter(({ seen }) => seen > 0 || stack.length === 1);
    const most = places.reduce((max, { seen }) => Math.max(max, seen), 0);
    const best = places.filter(({ seen }) => seen === most);
    return best.length === 1 ? (best[0] as { callers: SymbolId[] }).callers : [];
  }

  /** Where a chain seen after a loss stands: where most of it was seen, nearest to the old stack. */
  placeOf(chain: readonly SymbolId[], old: readonly SymbolId[]): Place | null {
    const oldNodes = this.nodesAlong(old);
    let best: Candidate | null = null;
    for (const node of this.nodesOf.get(chain[0] as SymbolId) ?? []) {
      const shared = this.sharedDepth(node, oldNodes);
      const candidate = { node, depth: this.depth.values[node], shared, seen: this.calleesSeen(node, chain) };
      if (best === null || isNearer(candidate, best)) best = candidate;
    }
    return best && { ...best, path: this.pathTo(best.node) };
  }

  /** The nodes of a stack, from the root upwards, as far as it was seen. */
  private nodesAlong(stack: readonly SymbolId[]): NodeId[] {
    const nodes: NodeId[] = [ROOT];
    for (const symbol of stack) {
      const node = this.builder.find(nodes.at(-1) as NodeId, symbol);
      if (node === NONE) break;
      nodes.push(node);
    }
    return nodes;
  }

  /** How deep the path to a node lies on these nodes. */
  private sharedDepth(node: NodeId, nodes: readonly NodeId[]): number {
    let at = node;
    while (nodes[this.depth.values[at]] !== at) at = this.builder.parentOf(at);
    return this.depth.values[at];
  }

  /** How many of the callees in the chain are below the node, one under the other. */
  private calleesSeen(node: NodeId, chain: readonly SymbolId[]): number {
    let at = node;
    const end = Math.min(chain.length, LONGEST_CHAIN);
    for (let depth = 1; depth < end; depth++) {
      at = this.builder.find(at, chain[depth] as SymbolId);
      if (at === NONE) return depth - 1;
    }
    return end - 1;
  }

  /** The symbols down to a node, lowest first. */
  private pathTo(node: NodeId): SymbolId[] {
    const path: SymbolId[] = [];
    for (let at = node; at !== ROOT; at = this.builder.parentOf(at)) path.push(this.builder.symbolOf(at));
    return path.reverse();
  }
}

/** The tree with these callers below it: one call each, whose start and end nobody saw; all its time is a guess now. */
export function withCallers(tree: CallTree, callers: readonly SymbolId[]): CallTree {
  const builder = new CallTreeBuilder();
  let top: NodeId = ROOT;
  for (const caller of callers) {
    top = builder.child(top, caller);
    builder.countInferred(top, 0);
  }
  builder.merge({ ...tree, inferredNs: tree.selfNs }, top, (symbol) => symbol);
  return builder.build();
}

interface Candidate {
  readonly node: NodeId;
  readonly depth: number;
  readonly shared: number;
  readonly seen: number;
}

function isNearer(a: Candidate, b: Candidate): boolean {
  if (a.seen !== b.seen) return a.seen > b.seen;
  const [aIsOpen, bIsOpen] = [a.shared === a.depth, b.shared === b.depth];
  if (aIsOpen !== bIsOpen) return aIsOpen;
  if (a.shared !== b.shared) return a.shared > b.shared;
  return aIsOpen ? false : a.depth < b.depth;
}
