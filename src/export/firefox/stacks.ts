/**
 * Numbers the stacks of all threads: each call path once, in the order in which calls reach them.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { NONE, type NodeId } from '../../model/units.js';

/** A stack is a row: its frame, which is the rank of a symbol, and the row of its caller's stack. */
export class Stacks {
  private readonly paths = new CallTreeBuilder();
  private readonly rankOf: Int32Array;

  constructor(rankOf: Int32Array) {
    this.rankOf = rankOf;
  }

  /** The root of the builder is no stack. */
  get length(): number {
    return this.paths.length - 1;
  }

  frameOf(stack: number): number {
    return this.paths.symbolOf(stack + 1);
  }

  /** Returns NONE for a stack without a caller. */
  callerOf(stack: number): number {
    return this.paths.parentOf(stack + 1) - 1;
  }

  /** Returns what finds the stacks of a tree's nodes; NONE is that of the root. */
  of({ length, parent, symbol }: Pick<CallTree, 'length' | 'parent' | 'symbol'>): (node: NodeId) => number {
    const known = new Int32Array(length).fill(NONE);
    known[ROOT] = ROOT;
    return (node) => {
      const unknown: NodeId[] = [];
      let path = node;
      for (; known[path] === NONE; path = parent[path]) unknown.push(path);
      for (const next of unknown.reverse())
        known[next] = this.paths.child(known[parent[next]], this.rankOf[symbol[next]]);
      return known[node] - 1;
    };
  }
}
