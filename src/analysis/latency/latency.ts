/**
 * Turns the calls of a function into tables that show how long they took, and why.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { bucketMiddle, type FunctionDurations, type Histogram, histogramsOf } from '../../model/calls/durations.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { compareSymbols } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { addSums, type CallSums, emptySums } from '../calls/call-sums.js';
import type { CallsAnswer, SlowCall } from '../calls/calls-answer.js';
import { callerKey } from '../calls/find-calls.js';
import { type DurationStats, durationStats, percentileOf } from '../tree/duration-stats.js';
import { type Chains, chainsOf } from './chains.js';
import { type ChildRow, childRows, type MeasuredTree, measure } from './child-rows.js';
import { type DifferenceRow, differences } from './differences.js';

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
    slowest: answer.slowest.map((call) => slowCallRows(call, average, calls, symbols)),
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
