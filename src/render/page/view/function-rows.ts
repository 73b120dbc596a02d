/**
 * What fills the width → the rows of its functions: each with what width stands for.
 */
import { functionWeights } from '../../../analysis/tree/function-weights.js';
import type { FunctionSums } from '../../../analysis/tree/functions.js';
import { type Metric, ownWeights } from '../../../analysis/tree/metrics.js';
import { sumSiblings } from '../../../layout/layout.js';
import { type CallTree, ROOT, selectNodes } from '../../../model/calls/call-tree.js';
import type { NodeId, SymbolId } from '../../../model/units.js';
import { type FrameTable, subtreeEnd } from '../../frames/frame-table.js';
import type { View } from './view.js';

export interface FunctionRow {
  readonly sums: FunctionSums;
  /** Of what width stands for: with all below it, recursion once; and its own. */
  readonly weight: number;
  readonly ownWeight: number;
}

export interface FunctionRows {
  /** The largest first; equal ones in the order of symbols. */
  readonly rows: readonly FunctionRow[];
  /** The weight of all that fills the width. */
  readonly totalWeight: number;
}

interface SiblingRange {
  readonly first: NodeId;
  readonly last: NodeId;
}

/** The tree of a run of siblings and all below, below the root. `isInside`: by node, what of it is left; null: all. */
export function partialTree(table: FrameTable, { first, last }: SiblingRange, isInside: Uint8Array | null): CallTree {
  const end = subtreeEnd(table, last);
  const nodes = [ROOT];
  for (let node = Math.max(first, ROOT + 1); node < end; node++)
    if (isInside === null || isInside[node] === 1) nodes.push(node);
  return selectNodes(table.tree, Int32Array.from(nodes));
}

/** Functions without any weight are left out, but by the wall clock: they may have been called in no time. */
export function functionRows(view: View, metric: Metric, hasSwitches: boolean): FunctionRows {
  if (metric === 'wall') return byWallClock(view);
  const own = ownWeights(view.tree, metric, hasSwitches);
  const weights = functionWeights(view.tree, own, metric === 'outside' || metric === 'off-cpu');
  const rows = [...view.functions().values()].map((sums): FunctionRow => {
    const { total, own } = weights.get(sums.symbol) ?? { total: 0, own: 0 };
    return { sums, weight: total, ownWeight: own };
  });
  return {
    rows: byWeight(rows.filter(({ weight }) => weight > 0)),
    totalWeight: own.reduce((sum, weight) => sum + weight, 0),
  };
}

function byWallClock(view: View): FunctionRows {
  const rows = [...view.functions().values()].map((sums) => {
    return { sums, weight: sums.totalNs, ownWeight: sums.selfNs };
  });
  return { rows: byWeight(rows), totalWeight: view.allNs() };
}

/** From the leaves: a function's weight is that of the paths that begin with it. */
export function rowsFromLeaves(view: View, table: FrameTable, { first, last }: SiblingRange): FunctionRows {
  const { tree, self, total } = table;
  const weights = new Map<SymbolId, number>();
  const leaf = new Int32Array(tree.length);
  const end = subtreeEnd(table, last);
  for (let node = ROOT + 1; node < end; node++) {
    leaf[node] = tree.parent[node] === ROOT ? node : leaf[tree.parent[node]];
    const symbol = tree.symbol[leaf[node]];
    if (node >= first) weights.set(symbol, (weights.get(symbol) ?? 0) + self[node]);
  }
  const rows = [...view.functions().values()].map((sums): FunctionRow => {
    const weight = weights.get(sums.symbol) ?? 0;
    return { sums, weight, ownWeight: weight };
  });
  return {
    rows: byWeight(rows.filter(({ weight }) => weight > 0)),
    totalWeight: sumSiblings(table, total, first, last),
  };
}

function byWeight(rows: FunctionRow[]): FunctionRow[] {
  return rows.sort((a, b) => b.weight - a.weight || a.sums.symbol - b.sums.symbol);
}
