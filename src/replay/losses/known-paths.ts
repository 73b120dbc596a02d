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
export interface ThreadPaths {
  readonly paths: Pick<CallTree, 'length' | 'parent' | 'symbol'>;
  /** Lowest first; empty for a thread that was made while recording: it has no callers. */
  readonly firstStack: readonly SymbolId[];
}

/** A place for a chain of functions. */
export interface PathMatch {
  /** The callers and the lowest function of the chain, lowest first. */
  readonly path: readonly SymbolId[];
  /** How much of the path the old stack shares, from the bottom. */
  readonly sharedDepth: number;
  /** How many callees of the chain were seen there, one below the other. */
  readonly calleesSeen: number;
}

/** A function seen in more candidates, or deeper, or a longer chain tells no more, and would make a loss cost more. */
const MAX_PATHS_PER_FUNCTION = 256;
export const MAX_PATH_DEPTH = 256;
const MAX_CHAIN_LENGTH = 64;

/** What several threads teach; plain data. */
export interface KnownPathsData {
  readonly paths: ThreadPaths['paths'];
  /** How many threads begin in a function. */
  readonly threadStarts: ReadonlyMap<SymbolId, number>;
}

export class KnownPaths {
  private readonly builder = new CallTreeBuilder();
  private readonly nodesOf = new Map<SymbolId, NodeId[]>();
  private readonly depth = int32Column();
  private readonly threadStarts = new Map<SymbolId, number>();

  constructor(threads: readonly ThreadPaths[] = []) {
    this.depth.push(0);
    for (const thread of threads) this.add(thread);
  }

  /** The same as another one that gave away what it knew. */
  static fromData({ paths, threadStarts }: KnownPathsData): KnownPaths {
    const knownPaths = new KnownPaths();
    knownPaths.addPaths(paths);
    for (const [symbol, count] of threadStarts) knownPaths.threadStarts.set(symbol, count);
    return knownPaths;
  }

  /** Of candidates that nothing tells apart the one that was learned first counts: threads teach in their order. */
  add({ paths, firstStack }: ThreadPaths): void {
    this.addPaths(paths);
    const lowest = firstStack[0];
    if (lowest !== undefined) this.threadStarts.set(lowest, (this.threadStarts.get(lowest) ?? 0) + 1);
  }

  toData(): KnownPathsData {
    const { length, parent, symbol } = this.builder.build();
    return { paths: { length, parent, symbol }, threadStarts: this.threadStarts };
  }

  private addPaths({ length, parent, symbol }: ThreadPaths['paths']): void {
    const here = new Int32Array(length);
    for (let node = 1; node < length; node++) here[node] = this.builder.child(here[parent[node]], symbol[node]);
    for (let node = this.depth.length; node < this.builder.length; node++) this.index(node);
  }

  private index(node: NodeId): void {
    const depth = this.depth.values[this.builder.parentOf(node)] + 1;
    this.depth.push(depth);
    if (depth >= MAX_PATH_DEPTH) return;
    const nodes = this.nodesOf.get(this.builder.symbolOf(node));
    if (nodes === undefined) this.nodesOf.set(this.builder.symbolOf(node), [node]);
    else if (nodes.length < MAX_PATHS_PER_FUNCTION) nodes.push(node);
  }

  /** The callers below the stack that a thread began with; none unless there is just one way. */
  callersBelow(stack: readonly SymbolId[]): SymbolId[] {
    const lowest = stack[0];
    if (lowest === undefined || (this.threadStarts.get(lowest) ?? 0) > 1) return []; // threads do begin there
    const candidates = (this.nodesOf.get(lowest) ?? [])
      .map((node) => ({ callers: this.pathTo(node).slice(0, -1), calleesSeen: this.calleesSeen(node, stack) }))
      .filter(({ callers }) => callers.length > 0 && !callers.includes(lowest))
      .filter(({ calleesSeen }) => calleesSeen > 0 || stack.length === 1);
    const mostSeen = candidates.reduce((max, { calleesSeen }) => Math.max(max, calleesSeen), 0);
    const best = candidates.filter(({ calleesSeen }) => calleesSeen === mostSeen);
    return best.length === 1 ? (best[0] as { callers: SymbolId[] }).callers : [];
  }

  /** Where a chain seen after a loss stands: where most of it was seen, nearest to the old stack. */
  match(chain: readonly SymbolId[], old: readonly SymbolId[]): PathMatch | null {
    const oldNodes = this.nodesAlong(old);
    let best: Candidate | null = null;
    for (const node of this.nodesOf.get(chain[0] as SymbolId) ?? []) {
      const sharedDepth = this.sharedDepth(node, oldNodes);
      const calleesSeen = this.calleesSeen(node, chain);
      const candidate = { node, depth: this.depth.values[node], sharedDepth, calleesSeen };
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
    const end = Math.min(chain.length, MAX_CHAIN_LENGTH);
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
  readonly sharedDepth: number;
  readonly calleesSeen: number;
}

function isNearer(a: Candidate, b: Candidate): boolean {
  if (a.calleesSeen !== b.calleesSeen) return a.calleesSeen > b.calleesSeen;
  const [aIsOpen, bIsOpen] = [a.sharedDepth === a.depth, b.sharedDepth === b.depth];
  if (aIsOpen !== bIsOpen) return aIsOpen;
  if (a.sharedDepth !== b.sharedDepth) return a.sharedDepth > b.sharedDepth;
  return aIsOpen ? false : a.depth < b.depth;
}
