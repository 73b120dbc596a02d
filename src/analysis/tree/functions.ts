/**
 * Sums up a call tree by function and kind of stop, over all paths.
 */

import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { type Doubt, type DoubtTimes, DoubtTotals, eachDoubt } from '../../model/calls/doubts.js';
import { type FunctionDurations, type Histogram, histogramsOf, percentile } from '../../model/calls/durations.js';
import { siblingsOf, totalTimes } from '../../model/calls/tree-view.js';
import { ReusedColumn } from '../../model/columns.js';
import { eachPercentile, PERCENTILES, type Percentiles } from '../../model/percentiles.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { isStop, onCpuNs, type SideTimes, sideTimes, timeSums, timeSumsAt } from './outside.js';

/** Sums over the calls of a function. Times in ns. */
export interface FunctionSums extends DurationStats {
  readonly symbol: SymbolId;
  /** All calls; inferred: those with an unseen start or end. */
  readonly calls: number;
  readonly inferred: number;
  /** Complete calls that ended in an exception or a longjmp. */
  readonly unwound: number;
  /** While it was on the stack; recursion counts once. */
  readonly totalNs: Nanoseconds;
  /** While it was on top. */
  readonly selfNs: Nanoseconds;
  /** The part of the total outside traced code: in system calls, faults and waits of the function and its callees. */
  readonly outsideNs: Nanoseconds;
  /** The part of `outsideNs` directly on it. */
  readonly outsideSelfNs: Nanoseconds;
  /** The part of the total in which the thread certainly had a CPU. */
  readonly onCpuNs: Nanoseconds;
  /** The part of the total in which the thread had no CPU; 0 if the trace does not record that. */
  readonly offCpuNs: Nanoseconds;
  /** The parts of the total in code of the program, in the kernel for it, and in interrupts; absent: no kernel was traced. */
  readonly userNs?: Nanoseconds;
  readonly kernelNs?: Nanoseconds;
  readonly interruptNs?: Nanoseconds;
  /**
   * How much longer its complete calls lasted than it was on the stack: waits that are shown on the function that called
   * the scheduler, and halts; absent: no kernel was traced.
   */
  readonly asideNs?: Nanoseconds;
  /** The part of its self time, and of its stops, that is inferred. */
  readonly inferredNs: Nanoseconds;
  /** The same by reason; absent: unknown. */
  readonly inferredBy?: DoubtTimes | undefined;
  readonly completeNs: Nanoseconds;
}

/**
 * In the order of symbols. A stop's calls are stops, and all its time is outside. `hasSwitches`: the trace records when
 * threads lost their CPU. `symbols`: tells what the kernel did; null: that is not requested.
 */
export function functionsOf(
  tree: CallTree,
  durations: FunctionDurations | null,
  hasSwitches: boolean,
  symbols: SymbolTable | null = null,
): FunctionSums[] {
  const rows: MutableSums[] = [];
  const rowNumber = ROW_NUMBERS.filled(highestSymbol(tree) + 1, NONE);
  const time = timeSums(tree);
  const sides = symbols && sideTimes(tree, symbols);
  const isOutermost = outermostNodes(tree);
  const rowOf = (symbol: SymbolId) => {
    if (rowNumber[symbol] === NONE) rowNumber[symbol] = rows.push(emptySums(symbol, sides !== null)) - 1;
    return rows[rowNumber[symbol]];
  };
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const symbol = tree.symbol[node];
    const row = rowOf(symbol);
    addCalls(row, tree, node);
    if (isStop(symbol)) addStop(tree, node, rowOf);
    if (sides !== null) row.asideNs = (row.asideNs ?? 0) + Math.max(0, tree.completeNs[node] - time.totalNs[node]);
    if (!isOutermost[node]) continue;
    row.totalNs += time.totalNs[node];
    row.outsideNs += time.outsideNs[node];
    row.onCpuNs += onCpuNs(timeSumsAt(time, node), hasSwitches);
    row.offCpuNs += time.offCpuNs[node];
    if (sides !== null) addSides(row, sides, node);
    if (isStop(symbol)) row.outsideSelfNs += time.totalNs[node];
  }
  rows.sort((a, b) => a.symbol - b.symbol);
  addDoubts(rows, tree);
  addStats(rows, durations);
  return rows;
}

/** By symbol: memory for the tree that is summed up. */
const ROW_NUMBERS = new ReusedColumn(new Int32Array(0));

function highestSymbol({ symbol }: CallTree): SymbolId {
  let highest: SymbolId = NONE;
  for (let node = 0; node < symbol.length; node++) if (symbol[node] > highest) highest = symbol[node];
  return highest;
}

type MutableSums = { -readonly [Key in keyof FunctionSums]: FunctionSums[Key] };

/** All fields from the start, in a literal: an object that gets more of them takes several times as long. */
function emptySums(symbol: SymbolId, hasSides: boolean): MutableSums {
  const row: MutableSums = {
    symbol,
    calls: 0,
    inferred: 0,
    unwound: 0,
    totalNs: 0,
    selfNs: 0,
    outsideNs: 0,
    outsideSelfNs: 0,
    onCpuNs: 0,
    offCpuNs: 0,
    inferredNs: 0,
    completeNs: 0,
    avgNs: Number.NaN,
    minNs: Number.POSITIVE_INFINITY,
    maxNs: Number.NEGATIVE_INFINITY,
    longestCutNs: 0,
    p50Ns: Number.NaN,
    p90Ns: Number.NaN,
    p99Ns: Number.NaN,
  };
  return hasSides ? Object.assign(row, { userNs: 0, kernelNs: 0, interruptNs: 0, asideNs: 0 }) : row;
}

function addStats(rows: readonly MutableSums[], durations: FunctionDurations | null): void {
  const histograms = durations && histogramsOf(durations);
  for (const row of rows) {
    const histogram = histograms?.get(row.symbol) ?? null;
    for (const { key, part } of PERCENTILES) row[key] = percentileOf(row, histogram, part);
    Object.assign(row, durationRange(row));
  }
}

function addSides(row: MutableSums, { userNs, kernelNs, interruptNs }: SideTimes, node: NodeId): void {
  row.userNs = (row.userNs ?? 0) + userNs[node];
  row.kernelNs = (row.kernelNs ?? 0) + kernelNs[node];
  row.interruptNs = (row.interruptNs ?? 0) + interruptNs[node];
}

function addCalls(row: MutableSums, tree: CallTree, node: NodeId): void {
  row.calls += tree.calls[node];
  row.inferred += tree.inferredCalls[node];
  row.unwound += tree.unwoundCalls[node];
  row.longestCutNs = Math.max(row.longestCutNs, tree.longestCutNs[node]);
  row.selfNs += tree.selfNs[node];
  row.inferredNs += tree.inferredNs[node];
  row.completeNs += tree.completeNs[node];
  row.minNs = Math.min(row.minNs, tree.minNs[node]);
  row.maxNs = Math.max(row.maxNs, tree.maxNs[node]);
}

/** Adds why the time of functions, and of stops on them, is inferred. */
function addDoubts(rows: readonly MutableSums[], tree: CallTree): void {
  if (tree.doubts === undefined) return;
  const totals = new Map<SymbolId, DoubtTotals>();
  const add = (symbol: SymbolId, doubt: Doubt, ns: Nanoseconds) => {
    const own = totals.get(symbol) ?? new DoubtTotals();
    totals.set(symbol, own);
    own.add(doubt, ns);
  };
  eachDoubt(tree, (node, doubt, ns) => {
    if (node === ROOT) return;
    add(tree.symbol[node], doubt, ns);
    const below = isStop(tree.symbol[node]) ? functionBelow(tree, node) : ROOT;
    if (below !== ROOT) add(tree.symbol[below], doubt, ns);
  });
  for (const row of rows) row.inferredBy = totals.get(row.symbol)?.build() ?? NOT_INFERRED;
}

const NOT_INFERRED: DoubtTimes = {};

/** Charges the time of a stop to the function below; a stop inside a stop, too. */
function addStop(tree: CallTree, node: NodeId, rowOf: (symbol: SymbolId) => MutableSums): void {
  const below = functionBelow(tree, node);
  if (below === ROOT) return;
  const row = rowOf(tree.symbol[below]);
  row.outsideSelfNs += tree.selfNs[node];
  row.inferredNs += tree.inferredNs[node];
}

/** Returns the function below a stop; the root if there is none. */
export function functionBelow({ parent, symbol }: CallTree, stop: NodeId): NodeId {
  let below = parent[stop];
  while (isStop(symbol[below])) below = parent[below];
  return below;
}

/** By node: 1 if there is no frame of the same function below it. */
export function outermostNodes(tree: CallTree): Uint8Array {
  const { parent, symbol, length } = tree;
  const isOutermost = new Uint8Array(length);
  const { firstChild, nextSibling } = siblingsOf(tree);
  const open = OPEN_FRAMES.filled(highestSymbol(tree) + 1, 0);
  for (let node: NodeId = ROOT; ; ) {
    if (node !== ROOT) {
      isOutermost[node] = open[symbol[node]] === 0 ? 1 : 0;
      open[symbol[node]]++;
    }
    if (firstChild[node] !== NONE) {
      node = firstChild[node];
      continue;
    }
    for (;;) {
      if (node === ROOT) return isOutermost;
      open[symbol[node]]--;
      if (nextSibling[node] !== NONE) break;
      node = parent[node];
    }
    node = nextSibling[node];
  }
}

const OPEN_FRAMES = new ReusedColumn(new Int32Array(0));

/** Sums up node weights by function and kind of stop, over all paths. */
interface FunctionWeight {
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

// Computes statistics of durations from sums and histograms.

/** Sums over some calls; durations are of complete calls. */
interface DurationSums {
  readonly calls: number;
  /** Calls with an unseen start or end. */
  readonly inferred: number;
  /** The longest time that one of these lasted at least; 0: unknown. */
  readonly longestCutNs: Nanoseconds;
  readonly completeNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Of complete calls, in ns; NaN if there is none. */
export interface DurationRange {
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** The longest time that an inferred call lasted at least; NaN if there is none or it is unknown. */
  readonly longestCutNs: number;
}

/** Percentiles are also NaN if durations were not counted. */
export interface DurationStats extends DurationRange, Percentiles {}

export function durationRange({ calls, inferred, completeNs, minNs, maxNs, ...sums }: DurationSums): DurationRange {
  const complete = calls - inferred;
  const longestCutNs = sums.longestCutNs > 0 ? sums.longestCutNs : Number.NaN;
  if (complete <= 0) return { avgNs: Number.NaN, minNs: Number.NaN, maxNs: Number.NaN, longestCutNs };
  return { avgNs: completeNs / complete, minNs, maxNs, longestCutNs };
}

/** Returns the duration of the longest call; if an inferred one is the longest, how long it lasted at least. */
export function longestNs({ maxNs, longestCutNs }: DurationRange): number {
  return Number.isNaN(maxNs) || longestCutNs > maxNs ? longestCutNs : maxNs;
}

export function durationStats(sums: DurationSums, histogram: Histogram | null): DurationStats {
  return { ...durationRange(sums), ...eachPercentile(({ part }) => percentileOf(sums, histogram, part)) };
}

/** Returns the duration that this part of the complete calls does not exceed. */
export function percentileOf(sums: DurationSums, histogram: Histogram | null, part: number): number {
  const { calls, inferred, minNs, maxNs } = sums;
  return histogram && calls > inferred ? percentile(histogram, part, minNs, maxNs) : Number.NaN;
}
