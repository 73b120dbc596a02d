/**
 * Lists the call paths in view as the rows of a tree: those whose callers are open.
 */
import { scaled } from '../../analysis/compare.js';
import { durationRange, type FunctionSums, functionBelow } from '../../analysis/tree/functions.js';
import {
  isLost,
  isOffCpu,
  isStop,
  type NodeTimeSums,
  onCpuNs,
  type SideTimes,
  sideTimes,
  timeSums,
  timeSumsAt,
} from '../../analysis/tree/outside.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import { eachPercentile } from '../../model/percentiles.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { isThere } from '../../render/diff/paths.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import { sumSiblings } from '../../render/layout.js';
import { type ComparedTable, compareRows, type RowComparison, type SideRow } from './comparison.js';
import { pathTo } from './frame-tables.js';
import { once } from './memoize-last.js';
import type { FunctionRow } from './view.js';

/** A call path: the numbers are of its last frame, and computed when they are needed. */
export interface PathRow extends FunctionRow {
  readonly node: NodeId;
  readonly symbol: SymbolId;
  /** 1: its caller is not in view. */
  readonly level: number;
  /** null: there is nothing below it. */
  readonly isOpen: boolean | null;
}

/** The call paths that are open: a tree of functions, so that they stay open in other trees. */
export class OpenPaths {
  isOpen = false;
  private readonly below = new Map<SymbolId, OpenPaths>();

  /** Returns a path that continues this one; undefined: nothing of it is open. */
  find(symbol: SymbolId): OpenPaths | undefined {
    return this.below.get(symbol);
  }

  /** Likewise; adds what is not there. */
  reach(path: readonly SymbolId[]): OpenPaths {
    let open: OpenPaths = this;
    for (const symbol of path) {
      let next = open.below.get(symbol);
      if (next === undefined) open.below.set(symbol, (next = new OpenPaths()));
      open = next;
    }
    return open;
  }
}

/** As long as more are opened at once, a browser cannot scroll to the last. */
const MAX_OPENED = 10_000;

export interface PathKind {
  /** Callers are below what they called, and weights are of the functions that paths begin with. */
  readonly isInverted: boolean;
  /** The weight of a stop is also that of the function that entered it. */
  readonly countsStops: boolean;
  readonly hasSwitches: boolean;
  /** Tells what the kernel did; null: that is not requested. */
  readonly symbols: SymbolTable | null;
}

export class CallPaths {
  /** The weight of everything in view. */
  readonly totalWeight: number;
  private readonly top: readonly NodeId[];
  private readonly sums: PathSums;
  /** Of the other side of a comparison. */
  private readonly sumsBefore: PathSums | null;

  /** `first`, `last`: siblings, or the root. `compared`: the table is that of a comparison; null: of none. */
  constructor(
    readonly table: FrameTable,
    { first, last }: { readonly first: NodeId; readonly last: NodeId },
    kind: PathKind,
    private readonly compared: ComparedTable | null = null,
  ) {
    const total = compared?.paths.totals.after ?? table.total;
    this.totalWeight = sumSiblings(table, total, first, last);
    this.top = first === ROOT ? this.below(ROOT) : this.siblings(first, last);
    this.sums = new PathSums(compared?.after ?? table, kind);
    this.sumsBefore = compared && new PathSums(compared.before, kind);
  }

  /** Returns the rows. `sort`: orders siblings. */
  rows(open: OpenPaths, sort: (rows: PathRow[]) => PathRow[]): PathRow[] {
    const rows: PathRow[] = [];
    const above = open.reach(this.pathAbove());
    const listed = (nodes: readonly NodeId[], level: number, open: OpenPaths | undefined) =>
      sort(nodes.map((node) => this.row(node, level, open)))
        .map((row) => ({ row, open: open?.find(row.symbol) }))
        .reverse();
    const left = listed(this.top, 1, above);
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { row, open } = next;
      rows.push(row);
      if (row.isOpen) left.push(...listed(this.below(row.node), row.level + 1, open));
    }
    return rows;
  }

  /** Opens the heaviest path. */
  openHeaviest(open: OpenPaths): void {
    const { total } = this.table;
    let nodes = this.top;
    let at = open.reach(this.pathAbove());
    while (nodes.length > 0) {
      const heaviest = nodes.reduce((best, node) => (total[node] > total[best] ? node : best));
      nodes = this.below(heaviest);
      at = at.reach([this.table.tree.symbol[heaviest]]);
      at.isOpen = true;
    }
  }

  /** Opens a path and all below it, level by level. Returns false if there are too many. */
  openAll(open: OpenPaths, node: NodeId): boolean {
    const left = [{ node, at: open.reach(this.pathOf(node)) }];
    for (let next = 0, opened = 0; next < left.length; next++) {
      const { node, at } = left[next] as (typeof left)[number];
      const below = this.below(node);
      opened += below.length;
      if (opened > MAX_OPENED) return false;
      at.isOpen = true;
      for (const each of below) left.push({ node: each, at: at.reach([this.table.tree.symbol[each]]) });
    }
    return true;
  }

  pathOf(node: NodeId): SymbolId[] {
    return pathTo(this.table, node);
  }

  private pathAbove(): SymbolId[] {
    const [first] = this.top;
    return first === undefined ? [] : this.pathOf(first).slice(0, -1);
  }

  private below(node: NodeId): readonly NodeId[] {
    const { firstChild } = this.table;
    return firstChild[node] === NONE ? [] : this.siblings(firstChild[node], NONE);
  }

  /** Paths without weight are left out, except by wall clock: calls may take zero time. */
  private siblings(first: NodeId, last: NodeId): readonly NodeId[] {
    const { nextSibling, total } = this.table;
    const { self, tree } = this.compared?.after ?? this.table;
    const nodes: NodeId[] = [];
    for (let node = first; node !== NONE; node = node === last ? NONE : nextSibling[node])
      if (total[node] > 0 || self === tree.selfNs) nodes.push(node);
    return nodes;
  }

  private row(node: NodeId, level: number, above: OpenPaths | undefined): PathRow {
    const { tree, firstChild } = this.table;
    const { sums, compared } = this;
    const symbol = tree.symbol[node];
    const hasBelow = firstChild[node] !== NONE && this.below(node).length > 0;
    const own = sums.rowAt(node);
    const scale = compared?.sides.scales.after ?? 1;
    const known = once(() => this.comparedAt(node));
    return {
      ...{ node, symbol, level },
      isOpen: hasBelow ? above?.find(symbol)?.isOpen === true : null,
      weight: scaled(own.weight, scale),
      get selfWeight() {
        return scaled(own.selfWeight, scale);
      },
      get sums() {
        return own.sums;
      },
      ...(compared && {
        get compared() {
          return known();
        },
      }),
    };
  }

  private comparedAt(node: NodeId): RowComparison {
    const { sums, sumsBefore, compared } = this;
    const { paths, sides } = compared as ComparedTable;
    const side = (which: 'before' | 'after', { sums, weight, selfWeight }: FunctionRow): SideRow => ({
      ...{ sums, weight, selfWeight, histogram: null, scale: sides.scales[which] },
      isThere: isThere(paths, node, which),
    });
    const hasNoise = paths.counted?.hasNoise === true;
    return compareRows(side('before', (sumsBefore as PathSums).rowAt(node)), side('after', sums.rowAt(node)), hasNoise);
  }
}

/** The numbers of call paths, computed when they are needed. */
class PathSums {
  private readonly hasSwitches: boolean;
  private readonly times: () => NodeTimeSums;
  private readonly sides: () => SideTimes | null;
  private readonly selfWeight: () => Float64Array;
  private readonly enteredNs: () => Float64Array;

  constructor(
    private readonly table: FrameTable,
    { isInverted, countsStops, hasSwitches, symbols }: PathKind,
  ) {
    const { tree } = table;
    this.sides = once(() => symbols && sideTimes(tree, symbols));
    this.hasSwitches = hasSwitches;
    this.times = once(() => (isInverted ? timesFromLeaves(tree) : timeSums(tree)));
    this.enteredNs = once(() => stopsByFunction(tree, tree.selfNs));
    this.selfWeight = once(() => {
      const entered = countsStops ? stopsByFunction(tree, table.self) : null;
      return entered === null ? table.self : table.self.map((own, node) => own + entered[node]);
    });
  }

  rowAt(node: NodeId): FunctionRow {
    const { table, selfWeight } = this;
    const sums = once(() => this.sumsOf(node));
    return {
      weight: table.total[node],
      get selfWeight() {
        return selfWeight()[node];
      },
      get sums() {
        return sums();
      },
    };
  }

  private sumsOf(node: NodeId): FunctionSums {
    const { tree } = this.table;
    const symbol = tree.symbol[node];
    const times = timeSumsAt(this.times(), node);
    const { enteredNs } = this;
    const calls = {
      calls: tree.calls[node],
      inferred: tree.inferredCalls[node],
      longestCutNs: tree.longestCutNs[node],
      completeNs: tree.completeNs[node],
      minNs: tree.minNs[node],
      maxNs: tree.maxNs[node],
    };
    return {
      ...{ symbol, ...calls, ...durationRange(calls), ...eachPercentile(() => Number.NaN) },
      ...{ unwound: tree.unwoundCalls[node], selfNs: tree.selfNs[node], inferredNs: tree.inferredNs[node] },
      ...{ totalNs: times.totalNs, outsideNs: times.outsideNs, offCpuNs: times.offCpuNs },
      ...this.kernelSumsOf(node, times.totalNs),
      onCpuNs: onCpuNs(times, this.hasSwitches),
      get outsideSelfNs() {
        return isStop(symbol) ? times.totalNs : enteredNs()[node];
      },
    };
  }

  private kernelSumsOf(node: NodeId, totalNs: Nanoseconds) {
    const sides = this.sides();
    if (sides === null) return {};
    const asideNs = Math.max(0, this.table.tree.completeNs[node] - totalNs);
    const [userNs, kernelNs, interruptNs] = [sides.userNs[node], sides.kernelNs[node], sides.interruptNs[node]];
    return { userNs, kernelNs, interruptNs, asideNs };
  }
}

/** Charges stops to the function that entered them. Returns the weights by node. */
function stopsByFunction(tree: CallTree, own: Float64Array): Float64Array {
  const entered = new Float64Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    if (own[node] > 0 && isStop(tree.symbol[node])) entered[functionBelow(tree, node)] += own[node];
  return entered;
}

/** Sums of a tree from leaves: time is that of the function that begins the path. */
function timesFromLeaves(tree: CallTree): NodeTimeSums {
  const totalNs = totalTimes(tree);
  const leaf = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    leaf[node] = tree.parent[node] === ROOT ? tree.symbol[node] : leaf[tree.parent[node]];
  const of = (counts: (symbol: SymbolId) => boolean) => totalNs.map((ns, node) => (counts(leaf[node]) ? ns : 0));
  return { totalNs, outsideNs: of(isStop), offCpuNs: of(isOffCpu), lostNs: of(isLost) };
}
