/**
 * Call paths that were really seen, in all threads: they tell where a thread stands when no address does.
 *
 * A thread caught in the middle, or seen again after a loss, reveals its callers as it returns to them. What it never
 * returns to, it does not reveal; but if the same chain of functions was seen elsewhere, the callers it had there are
 * the likely ones. It stays a guess: such frames are inferred.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../model/units.js';

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
export const DEEPEST_PLACE = 1024;
const LONGEST_CHAIN = 256;

export class Contexts {
  private readonly builder = new CallTreeBuilder();
  private readonly nodesOf = new Map<SymbolId, NodeId[]>();
  /** How many threads begin in a function. */
  private readonly beginnings = new Map<SymbolId, number>();

  constructor(lessons: readonly Lesson[]) {
    for (const { learned, firstStack } of lessons) {
      this.learn(learned);
      const lowest = firstStack[0];
      if (lowest !== undefined) this.beginnings.set(lowest, (this.beginnings.get(lowest) ?? 0) + 1);
    }
    for (let node = 1; node < this.builder.length; node++) {
      const nodes = this.nodesOf.get(this.symbolOf(node));
      if (nodes) nodes.push(node);
      else this.nodesOf.set(this.symbolOf(node), [node]);
    }
  }

  /** The callers below the stack that a thread began with; none unless there is just one way. */
  callersBelow(stack: readonly SymbolId[]): SymbolId[] {
    const lowest = stack[0];
    if (lowest === undefined || (this.beginnings.get(lowest) ?? 0) > 1) return []; // threads do begin there
    const places = this.placesOf(lowest)
      .map(({ node, path }) => ({ callers: path.slice(0, -1), seen: this.calleesSeen(node, stack) }))
      .filter(({ callers }) => callers.length > 0 && !callers.includes(lowest))
      .filter(({ seen }) => seen > 0 || stack.length === 1);
    const most = places.reduce((max, { seen }) => Math.max(max, seen), 0);
    const best = places.filter(({ seen }) => seen === most);
    return best.length === 1 ? (best[0] as { callers: SymbolId[] }).callers : [];
  }

  /** Where a chain seen after a loss stands: where most of it was seen, nearest to the old stack. */
  placeOf(chain: readonly SymbolId[], old: readonly SymbolId[]): Place | null {
    let best: Place | null = null;
    for (const { node, path } of this.placesOf(chain[0] as SymbolId)) {
      const place = { path, shared: sharedLength(path, old), seen: this.calleesSeen(node, chain) };
      if (best === null || isNearer(place, best)) best = place;
    }
    return best;
  }

  private placesOf(symbol: SymbolId): { node: NodeId; path: SymbolId[] }[] {
    const nodes = this.nodesOf.get(symbol)?.slice(0, MOST_PLACES) ?? [];
    return nodes.map((node) => ({ node, path: this.pathTo(node) })).filter(({ path }) => path.length < DEEPEST_PLACE);
  }

  private learn({ length, parent, symbol }: Lesson['learned']): void {
    const here = new Int32Array(length);
    for (let node = 1; node < length; node++) here[node] = this.builder.child(here[parent[node]], symbol[node]);
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

  /** The symbols down to a node, lowest first; of one that lies too deep only the upper part. */
  private pathTo(node: NodeId): SymbolId[] {
    const path: SymbolId[] = [];
    for (let at = node; at !== ROOT && path.length < DEEPEST_PLACE; at = this.parentOf(at))
      path.push(this.symbolOf(at));
    return path.reverse();
  }

  private parentOf(node: NodeId): NodeId {
    return this.builder.parent.values[node];
  }

  private symbolOf(node: NodeId): SymbolId {
    return this.builder.symbol.values[node];
  }
}

/** The tree with these callers below it: one call each, whose start and end nobody saw; all its time is a guess now. */
export function withCallers(tree: CallTree, callers: readonly SymbolId[]): CallTree {
  const builder = new CallTreeBuilder();
  let top: NodeId = ROOT;
  for (const caller of callers) {
    top = builder.child(top, caller);
    builder.countInferred(top);
  }
  builder.merge({ ...tree, inferredNs: tree.selfNs }, top, (symbol) => symbol);
  return builder.build();
}

function sharedLength(a: readonly SymbolId[], b: readonly SymbolId[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function isNearer(a: Place, b: Place): boolean {
  if (a.seen !== b.seen) return a.seen > b.seen;
  const [aIsOpen, bIsOpen] = [a.shared === a.path.length, b.shared === b.path.length];
  if (aIsOpen !== bIsOpen) return aIsOpen;
  if (a.shared !== b.shared) return a.shared > b.shared;
  return aIsOpen ? false : a.path.length < b.path.length;
}
