/**
 * Known paths: call paths really seen, in all threads. They decide where a thread is when no address does.
 *
 * A thread that is caught in the middle, or seen again after a loss, reveals its callers by returning to them. Callers
 * that it never returns to stay unknown; but if the same chain of functions was seen elsewhere, the callers it had
 * there are likely. They remain unconfirmed: such frames are inferred.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { Doubt, type NodeDoubts } from '../../model/calls/doubts.js';
import { int32Column } from '../../model/columns.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import type { InlinedCode } from '../functions/site-facts.js';

/** The paths of one thread: those seen before anything was inferred, and the stack it began with. */
export interface ThreadPaths {
  readonly paths: Pick<CallTree, 'length' | 'parent' | 'symbol'>;
  /** Lowest first; empty for a thread that was created while recording, as it has no callers. */
  readonly firstStack: readonly SymbolId[];
}

/** A known path that a chain of functions fits. */
export interface PathMatch {
  /** The callers, and the lowest function of the chain; lowest first. */
  readonly path: readonly SymbolId[];
  /** Length of the part that the path shares with the old stack, from the bottom. */
  readonly sharedDepth: number;
  /** Number of callees of the chain that were seen on this path, one called by the other. */
  readonly calleesSeen: number;
}

/** Limits: more paths of a function, deeper paths and longer chains add nothing and would make a loss expensive. */
const MAX_PATHS_PER_FUNCTION = 256;
export const MAX_PATH_DEPTH = 256;
const MAX_CHAIN_LENGTH = 64;

/** Known paths as plain data. */
export interface KnownPathsData {
  readonly paths: ThreadPaths['paths'];
  /** Number of threads that begin in a function. */
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

  /** Restores known paths from data. */
  static fromData({ paths, threadStarts }: KnownPathsData): KnownPaths {
    const knownPaths = new KnownPaths();
    knownPaths.addPaths(paths);
    for (const [symbol, count] of threadStarts) knownPaths.threadStarts.set(symbol, count);
    return knownPaths;
  }

  /**
   * Adds the paths of a thread. Among equal candidates the one added first wins, so threads must be added in a fixed
   * order.
   */
  add({ paths, firstStack }: ThreadPaths): void {
    this.addPaths(paths);
    const lowest = firstStack[0];
    if (lowest !== undefined) this.threadStarts.set(lowest, (this.threadStarts.get(lowest) ?? 0) + 1);
  }

  toData(): KnownPathsData {
    const { length, parent, symbol } = this.builder.build();
    return { paths: { length, parent, symbol }, threadStarts: this.threadStarts };
  }

  private addPaths(paths: ThreadPaths['paths']): void {
    this.builder.addPaths(paths);
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

  /** Returns the callers below the stack that a thread began with; none unless exactly one path fits. */
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

  /** Returns the best path for a chain seen after a loss: where most of it was seen, and nearest to the old stack. */
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

  /** Returns the known nodes of a stack, from the root upwards. */
  private nodesAlong(stack: readonly SymbolId[]): NodeId[] {
    const nodes: NodeId[] = [ROOT];
    for (const symbol of stack) {
      const node = this.builder.find(nodes.at(-1) as NodeId, symbol);
      if (node === NONE) break;
      nodes.push(node);
    }
    return nodes;
  }

  /** Returns how deep the path to a node coincides with these nodes. */
  private sharedDepth(node: NodeId, nodes: readonly NodeId[]): number {
    let at = node;
    while (nodes[this.depth.values[at]] !== at) at = this.builder.parentOf(at);
    return this.depth.values[at];
  }

  /** Returns how many callees of the chain are below the node, one called by the other. */
  private calleesSeen(node: NodeId, chain: readonly SymbolId[]): number {
    let at = node;
    const end = Math.min(chain.length, MAX_CHAIN_LENGTH);
    for (let depth = 1; depth < end; depth++) {
      at = this.builder.find(at, chain[depth] as SymbolId);
      if (at === NONE) return depth - 1;
    }
    return end - 1;
  }

  /** Returns the symbols down to a node, lowest first. */
  private pathTo(node: NodeId): SymbolId[] {
    const path: SymbolId[] = [];
    for (let at = node; at !== ROOT; at = this.builder.parentOf(at)) path.push(this.builder.symbolOf(at));
    return path.reverse();
  }
}

/** Returns the paths of a tree's first nodes, as functions called each other: without inlined code. */
export function functionPaths(
  { parent, symbol }: Pick<CallTree, 'parent' | 'symbol'>,
  length: number,
  inlined: InlinedCode | null,
): ThreadPaths['paths'] {
  if (inlined === null) return { length, parent, symbol };
  const builder = new CallTreeBuilder();
  const here = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const below = here[parent[node]];
    here[node] = inlined.isInlined[symbol[node]] === 1 ? below : builder.child(below, symbol[node]);
  }
  const { length: count, parent: callers, symbol: functions } = builder.build();
  return { length: count, parent: callers, symbol: functions };
}

/** The doubts of a tree below which callers are put that were not seen. */
function unseenCallersOf({ selfNs, symbol }: CallTree): NodeDoubts {
  const node = Int32Array.from(selfNs.keys()).filter((at) => selfNs[at] > 0);
  const doubt = Uint8Array.from(node, (at) => (symbol[at] === SpecialSymbol.Lost ? Doubt.Lost : Doubt.UnseenCallers));
  return { node, doubt, ns: Float64Array.from(node, (at) => selfNs[at]) };
}

/** Puts callers below a tree: one inferred call each. All its time becomes inferred. */
export function withCallers(tree: CallTree, callers: readonly SymbolId[]): CallTree {
  const builder = new CallTreeBuilder();
  let top: NodeId = ROOT;
  for (const caller of callers) {
    top = builder.child(top, caller);
    builder.countInferred(top, 0);
  }
  builder.merge({ ...tree, inferredNs: tree.selfNs, doubts: unseenCallersOf(tree) }, top);
  return builder.build();
}

interface Candidate {
  readonly node: NodeId;
  readonly depth: number;
  readonly sharedDepth: number;
  readonly calleesSeen: number;
}

/**
 * Prefers, in this order: more callees seen, a path that is open completely, and a longer part shared with the old
 * stack; if the path is not open, the shorter one.
 */
function isNearer(a: Candidate, b: Candidate): boolean {
  if (a.calleesSeen !== b.calleesSeen) return a.calleesSeen > b.calleesSeen;
  const [aIsOpen, bIsOpen] = [a.sharedDepth === a.depth, b.sharedDepth === b.depth];
  if (aIsOpen !== bIsOpen) return aIsOpen;
  if (a.sharedDepth !== b.sharedDepth) return a.sharedDepth > b.sharedDepth;
  return aIsOpen ? false : a.depth < b.depth;
}
