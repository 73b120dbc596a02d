/**
 * A call tree and a weight of each node in, a weight of each function out: over all paths that lead to it.
 */
import { type CallTree, ROOT } from '../model/call-tree.js';
import { totalTimes } from '../model/tree-view.js';
import type { NodeId, SymbolId } from '../model/units.js';
import { functionBelow, outermost } from './functions.js';
import { isStop } from './outside.js';

export interface FunctionWeight {
  /** Of its frames and all below them; recursion counts once. */
  readonly total: number;
  /** Of its frames alone, and of the stops that it made itself. */
  readonly own: number;
}

/** `ownWeight`: by node, of itself alone. `countsStops`: the weight of a stop is that of the function that made it. */
export function functionWeights(
  tree: CallTree,
  ownWeight: Float64Array,
  countsStops: boolean,
): Map<SymbolId, FunctionWeight> {
  const sums = new Map<SymbolId, { total: number; own: number }>();
  const totals = totalTimes({ parent: tree.parent, selfNs: ownWeight });
  const isOutermost = outermost(tree);
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const isOfStop = isStop(tree.symbol[node]);
    const maker = isOfStop ? functionBelow(tree, node) : node;
    if (maker === ROOT) continue;
    const symbol = tree.symbol[maker];
    let row = sums.get(symbol);
    if (row === undefined) sums.set(symbol, (row = { total: 0, own: 0 }));
    if (!isOfStop && isOutermost[node]) row.total += totals[node];
    if (!isOfStop || countsStops) row.own += ownWeight[node];
  }
  return sums;
}
