/**
 * Makes a table row for each callee of the calls of a function, and one for the function itself.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import { type TreeView, viewOf } from '../../model/calls/tree-view.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { compareSymbols } from '../../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { type NodeTimeSums, type TimeSums, timeSums, timeSumsAt } from '../tree/outside.js';

/** A callee of the calls, or the function itself. */
export interface ChildRow extends TimeSums {
  /** NONE: the function itself. */
  readonly symbol: SymbolId;
  readonly calls: number;
  /** Calls with an unseen start or end. */
  readonly inferred: number;
  /** Its time per call of its own; NaN if it has no calls. */
  readonly avgNs: number;
  /** Its time per call of the function in question. */
  readonly perCallNs: number;
  /** Share of the time of all calls. */
  readonly share: number;
}

/** A tree with its sums, computed once for any number of rows. */
export interface MeasuredTree extends NodeTimeSums, Pick<TreeView, 'firstChild' | 'nextSibling'> {
  readonly tree: CallTree;
}

export function measure(tree: CallTree): MeasuredTree {
  const { firstChild, nextSibling } = viewOf(tree);
  return { tree, firstChild, nextSibling, ...timeSums(tree) };
}

type NodeSums = Omit<ChildRow, 'symbol' | 'avgNs' | 'perCallNs' | 'share'>;

function nodeSums(measured: MeasuredTree, node: NodeId): NodeSums {
  const { calls, inferredCalls } = measured.tree;
  return { calls: calls[node], inferred: inferredCalls[node], ...timeSumsAt(measured, node) };
}

/** Rows for the children of a node and for the node itself. */
export function childRows(measured: MeasuredTree, parent: number, calls: number, symbols: SymbolTable): ChildRow[] {
  const { tree, firstChild, nextSibling } = measured;
  const all = measured.totalNs[parent];
  const row = (symbol: SymbolId, own: NodeSums): ChildRow => ({
    symbol,
    ...own,
    avgNs: own.calls > 0 ? own.totalNs / own.calls : Number.NaN,
    perCallNs: calls > 0 ? own.totalNs / calls : Number.NaN,
    share: all > 0 ? own.totalNs / all : 0,
  });
  const itself = { totalNs: tree.selfNs[parent], outsideNs: 0, offCpuNs: 0, lostNs: 0 };
  const rows = [row(NONE, { calls, inferred: 0, ...itself })];
  for (let node = firstChild[parent]; node !== NONE; node = nextSibling[node]) {
    // a window may contain the end of a suspended call, but nothing of its callers
    if (tree.calls[node] > 0 || measured.totalNs[node] > 0) rows.push(row(tree.symbol[node], nodeSums(measured, node)));
  }
  return rows.sort((a, b) => b.totalNs - a.totalNs || b.calls - a.calls || compareSymbols(symbols, a.symbol, b.symbol));
}
