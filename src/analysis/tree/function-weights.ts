/**
 * Sums up node weights by function and kind of stop, over all paths.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import type { NodeId, SymbolId } from '../../model/units.js';
import { functionBelow, outermostNodes } from './functions.js';
import { isStop } from './outside.js';

export interface FunctionWeight {
  /** Of its frames and everything below them; recursion counts once. */
  readonly total: number;
  /** Of its frames alone, and of stops directly on them. */
  readonly own: number;
}

/** `ownWeight`: by node, without its children. `countsStops`: a stop's weight also counts for the function below it. */
export function functionWeights(
  tree: CallTree,
  ownWeight: Float64Array,
  countsStops: boolean,
): Map<SymbolId, FunctionWeight> {
  const sums = new Map<SymbolId, { total: number; own: number }>();
  const totals = totalTimes({ parent: tree.parent, selfNs: ownWeight });
  const isOutermost = outermostNodes(tree);
  const rowOf = (symbol: SymbolId) => {
    let row = sums.get(symbol);
    if (row === undefined) sums.set(symbol, (row = { total: 0, own: 0 }));
    return row;
  };
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const row = rowOf(tree.symbol[node]);
    row.own += ownWeight[node];
    if (isOutermost[node]) row.total += totals[node];
    const below = countsStops && isStop(tree.symbol[node]) ? functionBelow(tree, node) : ROOT;
    if (below !== ROOT) rowOf(tree.symbol[below]).own += ownWeight[node];
  }
  return sums;
}
