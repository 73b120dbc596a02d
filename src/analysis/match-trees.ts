/**
 * Merges two call trees into one shape: functions match by exact name, stops only match stops.
 */
import { type CallTree, CallTreeBuilder, ROOT, selectNodes } from '../model/calls/call-tree.js';
import { nodeOrder } from '../model/calls/tree-view.js';
import { compareUtf8 } from '../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../model/units.js';
import { isStop } from './tree/outside.js';

/** A call tree, with the names of its symbols. */
export interface NamedSide {
  readonly tree: CallTree;
  readonly names: readonly string[];
}

/** A function or a kind of stop, with a symbol of it on each side; NONE: not known there. */
export interface MatchedName {
  readonly name: string;
  readonly before: SymbolId;
  readonly after: SymbolId;
}

/**
 * Two trees of equal shape: each node is one call path on both sides, with zeros where a side does not have it. In pre-order,
 * siblings by name. Symbols are rows of `names`.
 */
export interface MatchedTrees {
  readonly before: CallTree;
  readonly after: CallTree;
  readonly names: readonly MatchedName[];
}

export function matchTrees(before: NamedSide, after: NamedSide): MatchedTrees {
  const names = new MatchedNames();
  const [rowsBefore, rowsAfter] = [names.rowsOf(before, 'before'), names.rowsOf(after, 'after')];
  const shape = new CallTreeBuilder();
  const [nodesBefore, nodesAfter] = [nodesIn(shape, before.tree, rowsBefore), nodesIn(shape, after.tree, rowsAfter)];
  const ranks = names.ranks();
  const { parent, symbol } = shape.build();
  const order = nodeOrder(
    { length: parent.length, parent },
    symbol.map((row) => ranks[row] ?? NONE),
  );
  const side = ({ tree }: NamedSide, nodes: Int32Array) => selectNodes(summed(parent, symbol, tree, nodes), order);
  return { before: side(before, nodesBefore), after: side(after, nodesAfter), names: names.all };
}

/** Adds the call paths of a tree, and returns the node of each. */
function nodesIn(shape: CallTreeBuilder, { length, parent, symbol }: CallTree, rows: Int32Array): Int32Array {
  const nodes = new Int32Array(length);
  for (let node: NodeId = ROOT + 1; node < length; node++)
    nodes[node] = shape.child(nodes[parent[node]], rows[symbol[node]]);
  return nodes;
}

/** Returns a tree of this shape with the numbers of another one. */
function summed(parent: Int32Array, symbol: Int32Array, tree: CallTree, nodes: Int32Array): CallTree {
  const builder = new CallTreeBuilder();
  for (let node: NodeId = ROOT + 1; node < parent.length; node++) builder.child(parent[node], symbol[node]);
  for (let node: NodeId = ROOT; node < tree.length; node++) {
    builder.addCalls(nodes[node], tree, node);
    builder.addTime(nodes[node], tree, node);
  }
  return builder.build();
}

class MatchedNames {
  readonly all: { name: string; before: SymbolId; after: SymbolId; isStop: boolean }[] = [];
  private readonly rows = new Map<string, number>();

  /** Returns the row of each symbol of a side that its tree has. */
  rowsOf({ tree, names }: NamedSide, side: 'before' | 'after'): Int32Array {
    const rows = new Int32Array(names.length).fill(NONE);
    for (const symbol of tree.symbol)
      if (symbol !== NONE && rows[symbol] === NONE) rows[symbol] = this.rowOf(names[symbol] as string, symbol, side);
    return rows;
  }

  ranks(): Int32Array {
    const order = this.all.map((_, row) => row);
    order.sort((a, b) => compareUtf8(this.nameOf(a), this.nameOf(b)) || this.stopAt(a) - this.stopAt(b));
    const ranks = new Int32Array(order.length);
    order.forEach((row, rank) => {
      ranks[row] = rank;
    });
    return ranks;
  }

  private nameOf(row: number): string {
    return this.all[row]?.name ?? '';
  }

  private stopAt(row: number): number {
    return Number(this.all[row]?.isStop);
  }

  private rowOf(name: string, symbol: SymbolId, side: 'before' | 'after'): number {
    const key = `${isStop(symbol)} ${name}`; // a function may have the name of a stop
    let row = this.rows.get(key);
    if (row === undefined) {
      row = this.all.push({ name, before: NONE, after: NONE, isStop: isStop(symbol) }) - 1;
      this.rows.set(key, row);
    }
    const known = this.all[row] as (typeof this.all)[number];
    if (known[side] === NONE) known[side] = symbol;
    return row;
  }
}
