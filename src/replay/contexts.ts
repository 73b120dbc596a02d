/**
 * Call paths seen in other threads, to tell where a thread stands whose lowest function is never left.
 *
 * A thread that is caught in the middle reveals its callers as it returns to them. What it never returns to, it does
 * not reveal; but if the same function was seen in other threads, always below the same callers, those are its
 * callers here as well. It stays a guess: the frames are inferred.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../model/units.js';

/** What a thread's replay says of its beginning. */
export interface Beginning {
  readonly tree: CallTree;
  /** The functions on the stack when the thread was first seen, lowest first; empty if the trace has gaps. */
  readonly firstStack: readonly SymbolId[];
}

/** For each thread the callers that belong below its tree, lowest first; mostly none. */
export function callersFromOtherThreads(threads: readonly Beginning[]): SymbolId[][] {
  const known = threads.filter(({ firstStack }) => firstStack.length > 0);
  const beginnings = new Map<SymbolId, number>();
  for (const { firstStack } of known) count(beginnings, firstStack[0] as SymbolId);
  const contexts = new Contexts(known, beginnings);
  return threads.map(({ firstStack }) => {
    const lowest = firstStack[0];
    // Where several threads begin, threads do begin.
    return lowest === undefined || beginnings.get(lowest) !== 1 ? [] : contexts.callersOf(firstStack);
  });
}

/** The tree with these callers below it: one call each, whose start and end nobody saw. */
export function withCallers(tree: CallTree, callers: readonly SymbolId[]): CallTree {
  const builder = new CallTreeBuilder();
  let top: NodeId = ROOT;
  for (const caller of callers) {
    top = builder.child(top, caller);
    builder.countInferred(top);
  }
  builder.merge(tree, top, (symbol) => symbol);
  return builder.build();
}

class Contexts {
  private readonly builder = new CallTreeBuilder();
  private readonly nodesOf = new Map<SymbolId, NodeId[]>();

  /** `wanted`: the symbols that will be asked for. */
  constructor(threads: readonly Beginning[], wanted: ReadonlyMap<SymbolId, number>) {
    for (const { tree } of threads) this.builder.merge(tree, ROOT, (symbol) => symbol);
    for (let node = 1; node < this.builder.length; node++) {
      const symbol = this.builder.symbol.values[node];
      if (!wanted.has(symbol) || this.builder.parent.values[node] === ROOT) continue;
      const nodes = this.nodesOf.get(symbol);
      if (nodes) nodes.push(node);
      else this.nodesOf.set(symbol, [node]);
    }
  }

  /** The callers under which most of this stack was seen; none if two places fit as well. */
  callersOf(stack: readonly SymbolId[]): SymbolId[] {
    let best: NodeId = NONE;
    let bestLength = stack.length === 1 ? -1 : 0;
    let isTied = false;
    for (const node of this.nodesOf.get(stack[0] as SymbolId) ?? []) {
      const length = this.lengthSeen(node, stack);
      if (length < bestLength || (length === bestLength && best === NONE)) continue;
      if (this.pathTo(node).includes(stack[0] as SymbolId)) continue;
      isTied = length === bestLength;
      best = node;
      bestLength = length;
    }
    return best === NONE || isTied ? [] : this.pathTo(best);
  }

  /** How many of the callees in the stack are below the node, one under the other. */
  private lengthSeen(node: NodeId, stack: readonly SymbolId[]): number {
    let at = node;
    for (let depth = 1; depth < stack.length; depth++) {
      at = this.builder.find(at, stack[depth] as SymbolId);
      if (at === NONE) return depth - 1;
    }
    return stack.length - 1;
  }

  /** The symbols above a node, lowest first. */
  private pathTo(node: NodeId): SymbolId[] {
    const { parent, symbol } = this.builder;
    const path: SymbolId[] = [];
    for (let at = parent.values[node]; at !== ROOT; at = parent.values[at]) path.unshift(symbol.values[at]);
    return path;
  }
}

function count(counts: Map<SymbolId, number>, symbol: SymbolId): void {
  counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
}
