/**
 * Turns the calls of a function into tables that show how long they took, and why.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { bucketMiddle, type FunctionDurations, type Histogram, histogramsOf } from '../../model/calls/durations.js';
import { sortedTree, type TreeView, viewOf } from '../../model/calls/tree-view.js';
import { compareSymbols, type SymbolTable, symbolRanks } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId, type Tid } from '../../model/units.js';
import type { KernelWork, WorkInCalls } from '../kernel-work.js';
import {
  type DurationRange,
  type DurationStats,
  durationRange,
  durationStats,
  percentileOf,
} from '../tree/functions.js';
import { type NodeTimeSums, type TimeSums, timeSums, timeSumsAt } from '../tree/outside.js';
import type { CallCounts } from './call-counts.js';
import type { CallOrigin, CallsAnswer, CallValue, SlowCall } from './calls-answer.js';
import { type DifferenceRow, differences } from './differences.js';
import { addSums, type CallSums, callerKey, emptySums } from './find-calls.js';

/** How long calls took. All times are of complete calls, in ns. */
export interface LatencyStats extends DurationStats {
  readonly calls: number;
  /** Calls with an unseen start or end. */
  readonly inferred: number;
  /** Complete calls that ended in an exception or a longjmp. */
  readonly unwound: number;
  readonly totalNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  /** The part of `outsideNs` in stops directly on the calls. */
  readonly outsideSelfNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly p999Ns: number;
}

export interface CallerLatency {
  /** NONE: no caller. */
  readonly caller: SymbolId;
  readonly stats: LatencyStats;
  readonly children: readonly ChildRow[];
}

export interface SlowCallRows {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  readonly isUnwound: boolean;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  /** Compared with the average call; largest difference first. */
  readonly differences: readonly DifferenceRow[];
  readonly from?: CallOrigin;
  /** Compared with the average call; absent: not recorded. */
  readonly work?: readonly WorkRow[];
  readonly values?: readonly CallValue[];
  readonly counts?: CallCounts;
}

export interface WorkRow extends KernelWork {
  readonly averageCount: number;
  readonly averageNs: Nanoseconds;
}

export interface Latency extends Chains {
  readonly stats: LatencyStats;
  readonly histogram: readonly HistogramRow[];
  /** Largest first. Of inferred calls if there is no complete one. */
  readonly children: readonly ChildRow[];
  readonly isOfParts: boolean;
  /** Most time first. */
  readonly callers: readonly CallerLatency[];
  readonly slowest: readonly SlowCallRows[];
}

export function latencyOf(answer: CallsAnswer, symbols: SymbolTable): Latency {
  const all = [...answer.sums.values()].reduce(addSums, emptySums());
  const isOfParts = all.calls === all.inferred;
  const within = isOfParts ? answer.inferred : answer.complete;
  const calls = isOfParts ? all.inferred : all.calls - all.inferred;
  const average = withoutCallers(within);
  return {
    stats: statsOf(all, histogramOf(answer.durations.latency)),
    histogram: histogramRows(answer),
    children: childRows(measure(average), ROOT, calls, symbols),
    isOfParts,
    callers: callersOf(answer, measure(within), isOfParts, symbols),
    ...chainsOf(answer.paths, isOfParts, symbols),
    slowest: answer.slowest.map((call) => slowCallRows(call, average, calls, symbols, answer.work)),
  };
}

function slowCallRows(
  { tree, work, ...call }: SlowCall,
  average: CallTree,
  calls: number,
  symbols: SymbolTable,
  allWork: WorkInCalls | null,
): SlowCallRows {
  const rows = { ...call, differences: differences(tree, average, calls, symbols) };
  return work === undefined || allWork === null ? rows : { ...rows, work: work.map((row) => workRow(row, allWork)) };
}

function workRow(row: KernelWork, { calls, work }: WorkInCalls): WorkRow {
  const all = work.find(({ kind }) => kind === row.kind);
  return { ...row, averageCount: (all?.count ?? 0) / calls, averageNs: (all?.ns ?? 0) / calls };
}

function callersOf(
  { sums, durations }: CallsAnswer,
  within: MeasuredTree,
  isOfParts: boolean,
  symbols: SymbolTable,
): CallerLatency[] {
  const { tree, firstChild, nextSibling } = within;
  const nodes = new Map<SymbolId, number>();
  for (let node = firstChild[ROOT]; node !== NONE; node = nextSibling[node]) nodes.set(tree.symbol[node], node);
  const histograms = histogramsOf(durations.latency);
  const rows = [...sums].map(([caller, sum]) => {
    const node = nodes.get(caller);
    const calls = isOfParts ? sum.inferred : sum.calls - sum.inferred;
    const children = node === undefined ? [] : childRows(within, node, calls, symbols);
    return { caller, stats: statsOf(sum, histograms.get(callerKey(caller)) ?? null), children };
  });
  const byTime = (a: CallerLatency, b: CallerLatency) =>
    b.stats.totalNs - a.stats.totalNs || b.stats.calls - a.stats.calls;
  return rows.sort((a, b) => byTime(a, b) || compareSymbols(symbols, a.caller, b.caller));
}

/** Merges the trees of all callers: the root is the function. */
function withoutCallers(tree: CallTree): CallTree {
  const builder = new CallTreeBuilder();
  const merged = new Int32Array(tree.length);
  for (let node = 1; node < tree.length; node++) {
    const isFunction = tree.parent[node] === ROOT;
    merged[node] = isFunction ? ROOT : builder.child(merged[tree.parent[node]], tree.symbol[node]);
    builder.addTime(merged[node], tree, node);
    builder.addCalls(merged[node], tree, node);
  }
  return builder.build();
}

function statsOf(sums: CallSums, histogram: Histogram | null): LatencyStats {
  const { calls, inferred, unwound, completeNs: totalNs, outsideNs, outsideSelfNs, offCpuNs } = sums;
  return {
    ...{ calls, inferred, unwound, totalNs, outsideNs, outsideSelfNs, offCpuNs },
    ...durationStats(sums, histogram),
    p999Ns: percentileOf(sums, histogram, 0.999),
  };
}

/** Sums up the durations of all callers. */
function histogramOf(durations: FunctionDurations): Histogram {
  const calls = new Map<number, number>();
  for (let row = 0; row < durations.length; row++)
    calls.set(durations.bucket[row], (calls.get(durations.bucket[row]) ?? 0) + durations.calls[row]);
  const bucket = [...calls.keys()].sort((a, b) => a - b);
  return { bucket, calls: bucket.map((each) => calls.get(each) as number) };
}

/**
 * Counts calls by powers of two of their duration, of their time outside traced code, and of their time off CPU.
 *
 * Calls that took at least `fromNs` and less than `toNs`; `toNs` is a power of two.
 */
interface HistogramRow {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  /** Calls that spent this much time outside traced code, or off CPU. */
  readonly outsideCalls: number;
  readonly offCpuCalls: number;
}

/** From the shortest to the longest, including powers of two without calls. */
function histogramRows({ durations }: CallsAnswer): HistogramRow[] {
  const [latency, outside, offCpu] = [durations.latency, durations.outside, durations.offCpu].map(callsByPower);
  const powers = [...latency.keys(), ...outside.keys(), ...offCpu.keys()];
  if (powers.length === 0) return [];
  const [first, last] = [Math.min(...powers), Math.max(...powers)];
  return Array.from({ length: last - first + 1 }, (_, row) => {
    const power = first + row;
    return {
      fromNs: power === 0 ? 0 : 2 ** (power - 1),
      toNs: 2 ** power,
      calls: latency.get(power) ?? 0,
      outsideCalls: outside.get(power) ?? 0,
      offCpuCalls: offCpu.get(power) ?? 0,
    };
  });
}

/** Keyed by the exponent of the next larger power of two; 0: no time at all. */
function callsByPower({ length, bucket, calls }: FunctionDurations): Map<number, number> {
  const powers = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const ns = bucketMiddle(bucket[row]);
    const power = ns < 1 ? 0 : Math.floor(Math.log2(ns)) + 1;
    powers.set(power, (powers.get(power) ?? 0) + calls[row]);
  }
  return powers;
}

// Makes a table row for each callee of the calls of a function, and one for the function itself.

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
interface MeasuredTree extends NodeTimeSums, Pick<TreeView, 'firstChild' | 'nextSibling'> {
  readonly tree: CallTree;
}

function measure(tree: CallTree): MeasuredTree {
  const { firstChild, nextSibling } = viewOf(tree);
  return { tree, firstChild, nextSibling, ...timeSums(tree) };
}

type NodeSums = Omit<ChildRow, 'symbol' | 'avgNs' | 'perCallNs' | 'share'>;

function nodeSums(measured: MeasuredTree, node: NodeId): NodeSums {
  const { calls, inferredCalls } = measured.tree;
  return { calls: calls[node], inferred: inferredCalls[node], ...timeSumsAt(measured, node) };
}

/** Rows for the children of a node and for the node itself. */
function childRows(measured: MeasuredTree, parent: number, calls: number, symbols: SymbolTable): ChildRow[] {
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

// Lists the call paths that lead to the calls of a function.

/** A call path to the function, and the calls made on it. */
export interface ChainRow extends DurationRange {
  readonly path: readonly SymbolId[]; // outermost first; the last one is the function
  readonly calls: number;
  readonly inferred: number;
  readonly unwound: number;
  /** Of complete calls; if there is none, of the seen parts of inferred calls. */
  readonly totalNs: Nanoseconds;
}

interface Chains {
  /** Most time first. */
  readonly chains: readonly ChainRow[];
  /** How many paths were left out, those with least time: all paths together would be too long. */
  readonly chainsLeftOut: number;
}

/** Recursion of depth n has n paths of n/2 frames on average: all of them would not fit into memory. */
const MAX_CHAIN_FRAMES = 1_000_000;

/**
 * Most time first. Paths beyond `MAX_CHAIN_FRAMES` frames in total are left out, so deep recursion stays readable.
 * `isOfParts`: there is no complete call.
 */
function chainsOf(paths: CallTree, isOfParts: boolean, symbols: SymbolTable): Chains {
  const { depth } = viewOf(paths);
  const { newId: rank } = sortedTree(paths, symbolRanks(symbols)); // by the names in them
  const nodes = Array.from(paths.calls.keys()).filter((node) => paths.calls[node] > 0);
  const { calls } = paths;
  const totalNs = paths.selfNs.map((ns, node) => (isOfParts ? ns : ns - paths.inferredNs[node]));
  nodes.sort((a, b) => totalNs[b] - totalNs[a] || calls[b] - calls[a] || rank[a] - rank[b]);
  let frames = 0;
  const shown = nodes.filter((node, row) => (frames += depth[node]) <= MAX_CHAIN_FRAMES || row === 0);
  return {
    chains: shown.map((node) => chainRow(paths, node, totalNs[node])),
    chainsLeftOut: nodes.length - shown.length,
  };
}

function chainRow(paths: CallTree, node: NodeId, totalNs: Nanoseconds): ChainRow {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = paths.parent[at]) path.push(paths.symbol[at]);
  const counted = { calls: paths.calls[node], inferred: paths.inferredCalls[node] };
  const took = { completeNs: paths.completeNs[node], minNs: paths.minNs[node], maxNs: paths.maxNs[node] };
  const range = durationRange({ ...counted, ...took, longestCutNs: paths.longestCutNs[node] });
  return { path: path.reverse(), ...counted, unwound: paths.unwoundCalls[node], totalNs, ...range };
}
