/**
 * Turns the calls of a function into the answer that `ptflame latency` prints: how long they took, and why.
 */

import { type CallCounts, typicalCounts } from '../../analysis/calls/call-counts.js';
import type { CallsAnswer } from '../../analysis/calls/calls-answer.js';
import type { ChainRow, ChildRow } from '../../analysis/calls/latency.js';
import {
  type CallerLatency,
  type LatencyStats,
  latencyOf,
  type SlowCallRows,
  type WorkRow,
} from '../../analysis/calls/latency.js';
import type { TimedCall, TimedCalls } from '../../analysis/calls/over-time.js';
import { rowStartNs, TIME_COLUMNS } from '../../analysis/calls/over-time.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
import { functionsOf } from '../../analysis/tree/functions.js';
import { isLost, isOffCpu, isStop, onCpuNs } from '../../analysis/tree/outside.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { Profile } from '../../model/profile/profile.js';
import { isComplete, UNWOUND } from '../../model/profile/profile.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { compareSymbols } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import {
  clockText,
  durationsOfAllThreads,
  finiteOrNull,
  headOf,
  named,
  qualityOf,
  rangeOrNulls,
  rounded,
  statsOrNulls,
  traceSummary,
} from '../common.js';
import { functionRow } from '../report/answer.js';
import type * as schema from './schema.js';

/** The name of a function's self time among its callees. */
export const SELF = '*self';

/** `functions`: those in the question. */
export function latencyAnswer(profile: Profile, calls: CallsAnswer, functions: FunctionSet): schema.Latency {
  const { symbols } = profile;
  const durations = durationsOfAllThreads(profile);
  const tree = treeOfAllThreads(profile);
  const trace = traceSummary(profile, tree);
  const latency = latencyOf(calls, symbols);
  const typical = typicalCounts(calls.sample);
  const asked = functionsOf(tree, durations, trace.hasSwitches).filter(({ symbol }) => isInSet(functions, symbol));
  const naming = new RowNames(profile, trace.hasSwitches, functions);
  return {
    ...headOf('ptflame-latency'),
    trace,
    functions: asked
      .sort((a, b) => b.totalNs - a.totalNs || compareSymbols(symbols, a.symbol, b.symbol))
      .map((row) => functionRow(row, symbols)),
    stats: statsRow(latency.stats),
    histogram: [...latency.histogram],
    isOfParts: latency.isOfParts,
    children: latency.children.map((row) => naming.child(row)),
    callers: latency.callers.map((row) => naming.caller(row)),
    chains: latency.chains.map((row) => naming.chain(row)),
    chainsLeftOut: latency.chainsLeftOut,
    slowest: latency.slowest.map((row) => naming.slowCall(row)),
    ...(typical && { typical: { calls: typical.calls, ...countsOf(typical) } }),
    ...(calls.overTime && { overTime: overTimeOf(calls.overTime, latency.stats.calls, profile) }),
    quality: qualityOf(profile),
  };
}

/** Turns symbols into names, and times into perf's clock. */
class RowNames {
  private readonly symbols: SymbolTable;
  /** The question is about stops only. */
  private readonly hasOnlyStops: boolean;
  private readonly hasOnlyOffCpu: boolean;
  private readonly hasOnlyLost: boolean;

  constructor(
    private readonly profile: Profile,
    private readonly hasSwitches: boolean,
    functions: FunctionSet,
  ) {
    this.hasOnlyStops = functions.every((flag, symbol) => flag === 0 || isStop(symbol));
    this.hasOnlyOffCpu = functions.every((flag, symbol) => flag === 0 || isOffCpu(symbol));
    this.hasOnlyLost = functions.every((flag, symbol) => flag === 0 || isLost(symbol));
    this.symbols = profile.symbols;
  }

  child({ symbol, calls, inferred, totalNs, avgNs, perCallNs, share, ...row }: ChildRow): schema.ChildRow {
    const isStopItself = symbol === NONE && this.hasOnlyStops;
    const outsideNs = isStopItself ? totalNs : row.outsideNs;
    const offCpuNs = isStopItself && this.hasOnlyOffCpu ? totalNs : row.offCpuNs;
    const lostNs = isStopItself && this.hasOnlyLost ? totalNs : row.lostNs;
    return {
      ...this.nameOf(symbol),
      calls,
      inferred,
      totalNs,
      outsideNs,
      offCpuNs,
      onCpuNs: onCpuNs({ totalNs, outsideNs, offCpuNs, lostNs }, this.hasSwitches),
      avgNs: finiteOrNull(avgNs),
      perCallNs: finiteOrNull(perCallNs),
      share: Number(share.toPrecision(6)),
    };
  }

  caller({ caller, stats, children }: CallerLatency): schema.CallerRow {
    const names = caller === NONE ? { name: null, dso: null } : named(this.symbols, caller);
    return { ...names, stats: statsRow(stats), children: children.map((row) => this.child(row)) };
  }

  chain({ path, calls, inferred, unwound, totalNs, ...range }: ChainRow): schema.Latency['chains'][number] {
    const names = path.map((symbol) => this.symbols.name[symbol]);
    return { path: names, calls, inferred, unwound, totalNs, ...rangeOrNulls(range) };
  }

  slowCall({
    tid,
    startNs,
    durationNs,
    isUnwound,
    outsideNs,
    offCpuNs,
    differences,
    from,
    work,
    values,
    counts,
  }: SlowCallRows): schema.SlowCall {
    const thread = from ?? this.profile.threads.find((each) => each.tid === tid);
    return {
      ...(from && { recording: from.recording }),
      tid,
      pid: thread?.pid ?? null,
      comm: thread?.comm ?? null,
      start: from?.start ?? clockText(this.profile.meta, startNs),
      durationNs,
      isUnwound,
      outsideNs,
      offCpuNs,
      differences: differences.map(({ symbol, depth, calls, ns, averageCalls, averageNs, differenceNs }) => ({
        ...(depth === 0 ? { name: 'the call', dso: null, isSelf: false } : this.nameOf(symbol)),
        ...{ depth, calls, ns },
        averageCalls: rounded(averageCalls),
        averageNs: rounded(averageNs),
        differenceNs: rounded(differenceNs),
      })),
      ...(work && { work: work.map(workOf) }),
      ...(counts && { counts: countsOf(counts) }),
      ...(values && { values: values.map((each) => ({ ...each })) }),
    };
  }

  /** NONE: the self time of the function. */
  private nameOf(symbol: SymbolId): { name: string; dso: string | null; isSelf: boolean } {
    if (symbol === NONE) return { name: SELF, dso: null, isSelf: true };
    return { ...named(this.symbols, symbol), isSelf: false };
  }
}

function workOf({ kind, count, ns, averageCount, averageNs }: WorkRow): NonNullable<schema.SlowCall['work']>[number] {
  const [own, average] = [ns, averageNs].map(finiteOrNull);
  return {
    kind,
    count,
    ns: own,
    averageCount: rounded(averageCount),
    averageNs: average === null ? null : rounded(average),
  };
}

function countsOf({ instructions, cycles, iterations, mhz }: CallCounts): schema.CallCounts {
  const ipc = cycles === null ? null : rounded(instructions / cycles);
  return {
    ...{ instructions, cycles, ipc, iterations },
    minMhz: mhz && rounded(mhz.min),
    meanMhz: mhz && rounded(mhz.mean),
  };
}

function statsRow(stats: LatencyStats): schema.LatencyStats {
  const { calls, inferred, unwound, totalNs, outsideNs, outsideSelfNs, offCpuNs } = stats;
  return {
    ...{ calls, inferred, unwound, totalNs, outsideNs, outsideSelfNs, offCpuNs },
    ...statsOrNulls(stats),
    p999Ns: finiteOrNull(stats.p999Ns),
  };
}

/**
 * Turns the times and durations of calls into the part of an answer that shows when they were.
 *
 * `calls`: how many there are.
 */
function overTimeOf({ cells, listed }: TimedCalls, calls: number, { meta, threads }: Profile): schema.CallsOverTime {
  const threadOf = new Map(threads.map((thread) => [thread.tid, thread]));
  const timedCall = ({ tid, startNs, durationNs, ending }: TimedCall): schema.TimedCall => ({
    tid,
    pid: threadOf.get(tid)?.pid ?? null,
    comm: threadOf.get(tid)?.comm ?? null,
    start: clockText(meta, startNs),
    startNs: startNs - meta.startNs,
    durationNs,
    isInferred: !isComplete(ending),
    isUnwound: ending === UNWOUND,
  });
  return {
    calls: listed.map(timedCall),
    callsLeftOut: calls - listed.length,
    columns: TIME_COLUMNS,
    cells: cells.map(({ column, row, ...counts }) => {
      return { column, fromNs: rowStartNs(row), toNs: rowStartNs(row + 1), ...counts };
    }),
  };
}
