/**
 * What calls did themselves, and what they let others do.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import { type TreeView, viewOf } from '../../model/calls/tree-view.js';
import { compareSymbols } from '../../model/names/symbol-order.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { type NodeTimeSums, type TimeSums, timeSums, timeSumsAt } from '../tree/outside.js';

/** What the calls did themselves, or let others do. */
export interface ChildRow extends TimeSums {
  /** NONE: the function itself. */
  readonly symbol: SymbolId;
  readonly calls: number;
  /** Those of which the start or the end was not seen. */
  readonly inferred: number;
  /** Its time for each of its own calls; NaN if it has none. */
  readonly avgNs: number;
  /** For each call of the function asked about. */
  readonly perCallNs: number;
  /** Of the time of all calls. */
  readonly share: number;
}

/** A tree, and what follows from it: worked out once, however many rows it has. */
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

/** What stands directly under a node, and the node itself. */
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
    // a window may hold the end of a call that was set aside, and nothing of those that made it
    if (tree.calls[node] > 0 || measured.totalNs[node] > 0) rows.push(row(tree.symbol[node], nodeSums(measured, node)));
  }
  return rows.sort((a, b) => b.totalNs - a.totalNs || b.calls - a.calls || compareSymbols(symbols, a.symbol, b.symbol));
}
