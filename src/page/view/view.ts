/**
 * Builds the rows of the functions table for the frames in view, weighted by the selected width.
 */

import { type FunctionSums, functionsOf, functionWeights } from '../../analysis/tree/functions.js';
import { type Metric, ownWeights } from '../../analysis/tree/outside.js';
import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import {
  bucketMiddle,
  bucketStart,
  type FunctionDurations,
  type Histogram,
  histogramsOf,
} from '../../model/calls/durations.js';
import { eachPercentile } from '../../model/percentiles.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../model/units.js';
import { formatDuration, formatMany } from '../../render/format.js';
import { type FrameTable, subtreeEnd } from '../../render/frames/frame-table.js';
import { sumSiblings } from '../../render/layout.js';
import type { RowComparison } from './comparison.js';
import { once } from './memoize-last.js';

export interface FunctionRow {
  readonly sums: FunctionSums;
  /** By the selected width: with callees, recursion counted once; and without callees. */
  readonly weight: number;
  readonly selfWeight: number;
  /** In a comparison, what it is on both sides; weights are those after. */
  readonly compared?: RowComparison;
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

/** A tree with the numbers of its functions, computed on first use. */
export interface View {
  readonly tree: CallTree;
  /** With frames that stand for libraries. */
  readonly symbols: SymbolTable;
  readonly functions: () => ReadonlyMap<SymbolId, FunctionSums>;
  /** Histogram of a function's call durations; null if unknown. */
  readonly bars: (symbol: SymbolId) => Bar[] | null;
  readonly histogram: (symbol: SymbolId) => Histogram | null;
  readonly allNs: () => Nanoseconds;
}

/** Returns the view of a part. Percentiles and histograms are known for functions with all of their calls in the part. */
export function viewOfPart(tree: CallTree, full: View, hasSwitches: boolean): View {
  const part = viewOfTree(tree, full.symbols, () => null, hasSwitches);
  const isComplete = (sums: FunctionSums) => {
    const all = full.functions().get(sums.symbol);
    return all !== undefined && all.calls === sums.calls && all.inferred === sums.inferred;
  };
  const functions = once(() => {
    const rows = [...part.functions().values()].map((sums) => {
      if (!isComplete(sums)) return sums;
      const known = full.functions().get(sums.symbol) as FunctionSums;
      return { ...sums, ...eachPercentile(({ key }) => known[key]) };
    });
    return new Map(rows.map((row) => [row.symbol, row]));
  });
  const ofAll = <Known>(known: (symbol: SymbolId) => Known | null) => {
    return (symbol: SymbolId) => {
      const sums = functions().get(symbol);
      return sums !== undefined && isComplete(sums) ? known(symbol) : null;
    };
  };
  return { ...part, functions, bars: ofAll(full.bars), histogram: ofAll(full.histogram) };
}

/** Returns the view of a tree. `durations`: of its calls; null if unknown. */
export function viewOfTree(
  tree: CallTree,
  symbols: SymbolTable,
  durations: () => FunctionDurations | null,
  hasSwitches: boolean,
): View {
  const known = once(durations);
  const histograms = once(() => {
    const took = known();
    return took && histogramsOf(took);
  });
  return {
    tree,
    symbols,
    functions: once(() => new Map(functionsOf(tree, known(), hasSwitches, symbols).map((row) => [row.symbol, row]))),
    bars: (symbol) => {
      const histogram = histograms()?.get(symbol);
      return histogram ? barsOf(histogram) : null;
    },
    histogram: (symbol) => histograms()?.get(symbol) ?? null,
    allNs: once(() => tree.selfNs.reduce((sum, ns) => sum + ns, 0)),
  };
}

/** Groups the durations of calls into the bars of a histogram. */
export interface Bar {
  /** A power of two, or 0. */
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  /** Total time of the calls, accurate to 1.6 %. */
  readonly ns: Nanoseconds;
}

/** Returns the bars from the shortest to the longest duration, each bound twice the one before, without gaps. */
export function barsOf({ bucket, calls }: Histogram): Bar[] {
  const bars: { fromNs: number; toNs: number; calls: number; ns: number }[] = [];
  for (let row = 0; row < bucket.length; row++) {
    const ns = bucketStart(bucket[row] as number);
    if (bars.length === 0) bars.push(barFrom(ns < 1 ? 0 : 2 ** Math.floor(Math.log2(ns))));
    for (let last = bars.at(-1) as Bar; ns >= last.toNs; last = bars.at(-1) as Bar) bars.push(barFrom(last.toNs));
    const bar = bars.at(-1) as (typeof bars)[number];
    bar.calls += calls[row] as number;
    bar.ns += (calls[row] as number) * bucketMiddle(bucket[row] as number);
  }
  return bars;
}

function barFrom(fromNs: Nanoseconds) {
  return { fromNs, toNs: Math.max(1, 2 * fromNs), calls: 0, ns: 0 };
}

/** Describes a bar for tooltips and screen readers. */
export function barText({ fromNs, toNs, calls, ns }: Bar): string {
  const took = ns > 0 ? `, ${formatDuration(ns)} in total` : '';
  return `${formatDuration(fromNs)} to ${formatDuration(toNs)}: ${formatMany(calls, 'call')}${took}`;
}

/** Returns the position of a duration in bars: 2.5 is the middle of the third bar. */
export function barPosition(bars: readonly Bar[], ns: Nanoseconds): number {
  const at = bars.findIndex(({ toNs }) => ns < toNs);
  const bar = bars[at];
  if (bar === undefined) return bars.length;
  return at + (bar.fromNs === 0 ? 0 : Math.max(0, Math.log2(ns / bar.fromNs)));
}
