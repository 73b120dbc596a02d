/**
 * The calls of a function → the tables that tell how long they took, and why.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../model/call-tree.js';
import { bucketMiddle, type FunctionDurations, type Histogram, histogramsOf, percentile } from '../model/durations.js';
import { compareSymbols } from '../model/symbol-order.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { childrenOf, type TreeView, viewOf } from '../model/tree-view.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId, type Tid } from '../model/units.js';
import { type CallSums, callerKey, noCalls } from './asked-calls.js';
import type { CallsAnswer, SlowCall } from './calls-answer.js';
import { type DifferenceRow, differences } from './differences.js';
import { type TimeSumsOfNodes, timeSums } from './outside.js';

/** How long calls took. All times are of complete calls, in ns; NaN where there is none. */
export interface LatencyStats {
  readonly calls: number;
  /** Those of which the start or the end was not seen. */
  readonly inferred: number;
  readonly totalNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
  readonly p999Ns: number;
}

/** Calls that took from `fromNs` to below `toNs`; `toNs` is a power of two. */
export interface HistogramRow {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  /** Calls that spent such a time outside of traced code, or off the processor. */
  readonly outsideCalls: number;
  readonly offCpuCalls: number;
}

/** What the calls did themselves, or let others do. */
export interface ChildRow {
  /** NONE: the function itself. */
  readonly symbol: SymbolId;
  readonly calls: number;
  readonly totalNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  /** For each of its own calls; NaN if it has none. */
  readonly avgNs: number;
  /** For each call of the function asked about. */
  readonly perCallNs: number;
  /** Of the time of all calls. */
  readonly share: number;
}

export interface CallerLatency {
  /** NONE: nobody called it. */
  readonly caller: SymbolId;
  readonly stats: LatencyStats;
  readonly children: readonly ChildRow[];
}

/** A path of calls that leads to the function, and the calls that were made there. */
export interface ChainRow {
  readonly path: readonly SymbolId[]; // lowest first, the function is the last
  readonly calls: number;
  readonly inferred: number;
  readonly totalNs: Nanoseconds;
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
}

export interface SlowCallRows {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  /** Beside the average call; what differs most comes first. */
  readonly differences: readonly DifferenceRow[];
}

/** A recursion of depth n has n paths of n frames on average: all of them would not fit into memory. */
const MOST_CHAIN_FRAMES = 1_000_000;

export interface Latency {
  readonly stats: LatencyStats;
  readonly histogram: readonly HistogramRow[];
  /** Largest first. Of calls that were not seen whole if there are no others. */
  readonly children: readonly ChildRow[];
  readonly isOfParts: boolean;
  /** Most time first. */
  readonly callers: readonly CallerLatency[];
  readonly chains: readonly ChainRow[];
  /** Those with least time, where all paths together would be too long to be read. */
  readonly chainsLeftOut: number;
  readonly slowest: readonly SlowCallRows[];
}

/** A tree, and what follows from it: worked out once, however many rows it has. */
interface MeasuredTree extends TimeSumsOfNodes, Pick<TreeView, 'firstChild' | 'nextSibling'> {
  readonly tree: CallTree;
}

function measure(tree: CallTree): MeasuredTree {
  const { firstChild, nextSibling } = viewOf(tree);
  return { tree, firstChild, nextSibling, ...timeSums(tree) };
}

export function latencyOf(answer: CallsAnswer, symbols: SymbolTable): Latency {
  const all = [...answer.sums.values()].reduce(added, noCalls());
  const isOfParts = all.calls === all.inferred;
  const within = isOfParts ? answer.inferred : answer.complete;
  const calls = isOfParts ? all.inferred : all.calls - all.inferred;
  const together = withoutCallers(within);
  return {
    stats: statsOf(all, histogramOf(answer.durations.latency)),
    histogram: histogramRows(answer),
    children: childRows(measure(together), ROOT, calls, symbols),
    isOfParts,
    callers: callersOf(answer, measure(within), isOfParts, symbols),
    ...chainsOf(answer.paths, symbols),
    slowest: answer.slowest.map((call) => slowCallRows(call, together, calls, symbols)),
  };
}

function slowCallRows(
  { tree, ...call }: SlowCall,
  average: CallTree,
  calls: number,
  symbols: SymbolTable,
): SlowCallRows {
  return { ...call, differences: differences(tree, average, calls, symbols) };
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

/** The trees of all callers, one on the other: the root stands for the function. */
function withoutCallers(tree: CallTree): CallTree {
  const builder = new CallTreeBuilder();
  const place = new Int32Array(tree.length);
  for (let node = 1; node < tree.length; node++) {
    const isFunction = tree.parent[node] === ROOT;
    place[node] = isFunction ? ROOT : builder.child(place[tree.parent[node]], tree.symbol[node]);
    builder.addTime(place[node], tree, node);
    builder.addCalls(place[node], tree, node);
  }
  return builder.build();
}

/** What stands directly under a node, and the node itself. */
function childRows(measured: MeasuredTree, parent: number, calls: number, symbols: SymbolTable): ChildRow[] {
  const { tree, firstChild, nextSibling, totalNs, outsideNs, offCpuNs } = measured;
  const all = totalNs[parent];
  const row = (symbol: SymbolId, ownCalls: number, ns: number, outside: number, offCpu: number): ChildRow => ({
    symbol,
    calls: ownCalls,
    totalNs: ns,
    outsideNs: outside,
    offCpuNs: offCpu,
    avgNs: ownCalls > 0 ? ns / ownCalls : Number.NaN,
    perCallNs: calls > 0 ? ns / calls : Number.NaN,
    share: all > 0 ? ns / all : 0,
  });
  const rows = [row(NONE, calls, tree.selfNs[parent], 0, 0)];
  for (let node = firstChild[parent]; node !== NONE; node = nextSibling[node])
    rows.push(row(tree.symbol[node], tree.calls[node], totalNs[node], outsideNs[node], offCpuNs[node]));
  return rows.sort((a, b) => b.totalNs - a.totalNs || b.calls - a.calls || compareSymbols(symbols, a.symbol, b.symbol));
}

function statsOf(sums: CallSums, durations: Histogram | null): LatencyStats {
  const { calls, inferred, completeNs, minNs, maxNs, outsideNs, offCpuNs } = sums;
  const complete = calls - inferred;
  const histogram = complete > 0 ? durations : null;
  const at = (part: number) => (histogram ? percentile(histogram, part, minNs, maxNs) : Number.NaN);
  return {
    calls,
    inferred,
    totalNs: completeNs,
    outsideNs,
    offCpuNs,
    avgNs: complete > 0 ? completeNs / complete : Number.NaN,
    minNs: complete > 0 ? minNs : Number.NaN,
    maxNs: complete > 0 ? maxNs : Number.NaN,
    p50Ns: at(0.5),
    p90Ns: at(0.9),
    p99Ns: at(0.99),
    p999Ns: at(0.999),
  };
}

/** Of all callers together. */
function histogramOf(durations: FunctionDurations): Histogram {
  const calls = new Map<number, number>();
  for (let row = 0; row < durations.length; row++)
    calls.set(durations.bucket[row], (calls.get(durations.bucket[row]) ?? 0) + durations.calls[row]);
  const bucket = [...calls.keys()].sort((a, b) => a - b);
  return { bucket, calls: bucket.map((each) => calls.get(each) as number) };
}

/** From the shortest to the longest, powers of two without calls included. */
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

/** By the power of two that is the next larger one: 0 for no time at all. */
function callsByPower({ length, bucket, calls }: FunctionDurations): Map<number, number> {
  const powers = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const ns = bucketMiddle(bucket[row]);
    const power = ns < 1 ? 0 : Math.floor(Math.log2(ns)) + 1;
    powers.set(power, (powers.get(power) ?? 0) + calls[row]);
  }
  return powers;
}

/** Most time first; so many of them that their paths stay readable, however deep a recursion is. */
function chainsOf(paths: CallTree, symbols: SymbolTable): Pick<Latency, 'chains' | 'chainsLeftOut'> {
  const { depth } = viewOf(paths);
  const rank = ranksByName(paths, symbols);
  const nodes = Array.from(paths.calls.keys()).filter((node) => paths.calls[node] > 0);
  const { selfNs, calls } = paths;
  nodes.sort((a, b) => selfNs[b] - selfNs[a] || calls[b] - calls[a] || rank[a] - rank[b]);
  let frames = 0;
  const shown = nodes.filter((node, row) => (frames += depth[node]) <= MOST_CHAIN_FRAMES || row === 0);
  return { chains: shown.map((node) => chainRow(paths, node)), chainsLeftOut: nodes.length - shown.length };
}

function chainRow(paths: CallTree, node: NodeId): ChainRow {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = paths.parent[at]) path.push(paths.symbol[at]);
  const calls = paths.calls[node];
  const inferred = paths.inferredCalls[node];
  const complete = calls - inferred;
  return {
    path: path.reverse(),
    calls,
    inferred,
    totalNs: paths.selfNs[node],
    avgNs: complete > 0 ? paths.completeNs[node] / complete : Number.NaN,
    minNs: complete > 0 ? paths.minNs[node] : Number.NaN,
    maxNs: complete > 0 ? paths.maxNs[node] : Number.NaN,
  };
}

/** Where the path of each node stands among all, by the names in it. */
function ranksByName(tree: CallTree, symbols: SymbolTable): Int32Array {
  const view = viewOf(tree);
  const ranks = new Int32Array(tree.length);
  const open: NodeId[] = [ROOT];
  let rank = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ranks[node] = rank++;
    const children = childrenOf(view, node);
    children.sort((a, b) => compareSymbols(symbols, tree.symbol[b], tree.symbol[a]));
    for (const child of children) open.push(child);
  }
  return ranks;
}

function added(a: CallSums, b: CallSums): CallSums {
  return {
    calls: a.calls + b.calls,
    inferred: a.inferred + b.inferred,
    completeNs: a.completeNs + b.completeNs,
    minNs: Math.min(a.minNs, b.minNs),
    maxNs: Math.max(a.maxNs, b.maxNs),
    outsideNs: a.outsideNs + b.outsideNs,
    offCpuNs: a.offCpuNs + b.offCpuNs,
  };
}
