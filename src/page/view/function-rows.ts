/**
 * Builds the rows of the functions table for the frames in view, weighted by the selected width.
 */

import type { FunctionSums } from '../../analysis/tree/functions.js';
import { functionWeights } from '../../analysis/tree/functions.js';
import { type Metric, ownWeights } from '../../analysis/tree/outside.js';
import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import type { NodeId, SymbolId } from '../../model/units.js';
import { type FrameTable, subtreeEnd } from '../../render/frames/frame-table.js';
import { sumSiblings } from '../../render/layout.js';
import type { View } from './view.js';

export interface FunctionRow {
  readonly sums: FunctionSums;
  /** By the selected width: with callees, recursion counted once; and without callees. */
  readonly weight: number;
  readonly selfWeight: number;
  /** Likewise with callees, in the threads that these are compared with. */
  readonly otherWeight?: number;
}

export interface FunctionRows {
  /** The heaviest first; equal ones by symbol. */
  readonly rows: readonly FunctionRow[];
  /** The weight of everything in view. */
  readonly totalWeight: number;
}

interface SiblingRange {
  readonly first: NodeId;
  readonly last: NodeId;
}

/** Returns the subtrees of siblings as one tree. `isInside`: by node, 1 to keep it; null: keep all. */
export function partialTree(table: FrameTable, { first, last }: SiblingRange, isInside: Uint8Array | null): CallTree {
  const end = subtreeEnd(table, last);
  const nodes = [ROOT];
  for (let node = Math.max(first, ROOT + 1); node < end; node++)
    if (isInside === null || isInside[node] === 1) nodes.push(node);
  return selectNodes(table.tree, Int32Array.from(nodes));
}

/** Returns the rows. Functions without weight are left out, except by wall clock: calls may take zero time. */
export function functionRows(view: View, metric: Metric, hasSwitches: boolean): FunctionRows {
  if (metric === 'wall') return byWallClock(view);
  const own = ownWeights(view.tree, metric, hasSwitches);
  const weights = functionWeights(view.tree, own, metric === 'outside' || metric === 'off-cpu');
  const rows = [...view.functions().values()].map((sums): FunctionRow => {
    const { total, own } = weights.get(sums.symbol) ?? { total: 0, own: 0 };
    // of a stop, what is directly on it is all of its time, as in a report
    return { sums, weight: total, selfWeight: metric === 'outside' ? sums.outsideSelfNs : own };
  });
  return {
    rows: byWeight(rows.filter(({ weight }) => weight > 0)),
    totalWeight: own.reduce((sum, weight) => sum + weight, 0),
  };
}

function byWallClock(view: View): FunctionRows {
  const rows = [...view.functions().values()].map((sums) => {
    return { sums, weight: sums.totalNs, selfWeight: sums.selfNs };
  });
  return { rows: byWeight(rows), totalWeight: view.allNs() };
}

/** Returns the rows of a tree from leaves: the weight of a function is that of the paths that start with it. */
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
    return { sums, weight, selfWeight: weight };
  });
  return {
    rows: byWeight(rows.filter(({ weight }) => weight > 0)),
    totalWeight: sumSiblings(table, total, first, last),
  };
}

function byWeight(rows: FunctionRow[]): FunctionRow[] {
  return rows.sort((a, b) => b.weight - a.weight || a.sums.symbol - b.sums.symbol);
}
