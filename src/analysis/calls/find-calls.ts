/**
 * Finds the calls of a function: the rows of the log that open them, how long they took, and the longest ones.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { DurationsBuilder, type FunctionDurations } from '../../model/calls/durations.js';
import { isComplete, UNWOUND } from '../../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type SymbolId, UNBOUNDED } from '../../model/units.js';
import { endingWithin, InsideMarker, MarkedCall, nsWithin, overlaps } from '../log/filter-thread.js';
import { type CallListener, walkCalls } from '../log/walk-calls.js';
import { type CallFilter, isDirectRecursion, isInSet, type LatencyQuestion } from '../questions.js';
import { isOffCpu } from '../tree/outside.js';
import { drawOf, type SampledCall, sampled } from './call-counts.js';
import { type LongCall, LongestCalls, TimedCallsBuilder } from './over-time.js';

/** Durations of complete calls. Keyed by caller (`callerKey`), not by function. */
export interface CallDurations {
  readonly latency: FunctionDurations;
  readonly outside: FunctionDurations;
  readonly offCpu: FunctionDurations;
}

export const RowMark = { None: 0, Complete: 1, Inferred: 2 } as const;

export interface FoundCalls {
  /** By row of the log: `RowMark` of the call that the row opens. */
  readonly rows: Uint8Array;
  readonly sums: ReadonlyMap<SymbolId, CallSums>; // by caller; NONE: no caller
  readonly durations: CallDurations;
  /** The longest complete calls, in any order. */
  readonly slowest: readonly LongCall[];
  /** Of complete calls that returned; only where the slowest are asked for. */
  readonly sample: readonly Omit<SampledCall, 'tid'>[];
  /** null: not requested. */
  readonly overTime: TimedCallsBuilder | null;
}

/** So many calls are drawn from at a time. */
const MAX_UNSORTED = 1024;

/** Returns the key of a caller in `CallDurations`; 0: no caller. */
export function callerKey(caller: SymbolId): number {
  return caller - NONE;
}

export function findCalls(log: CallLog, tree: CallTree, filter: CallFilter, question: LatencyQuestion): FoundCalls {
  const finder = new CallFinder(log, tree, filter, question);
  walkCalls(log, finder);
  return finder.build();
}

/** Times are the thread's sums when the call began; while the call is suspended, the call's own sums. */
class MeasuredCall extends MarkedCall {
  outsideNs: Nanoseconds = 0;
  /** Time in stops directly on it; if it is a stop, its own time, too. */
  outsideSelfNs: Nanoseconds = 0;
  offCpuNs: Nanoseconds = 0;
}

class CallFinder implements CallListener<MeasuredCall> {
  private readonly rows: Uint8Array;
  private readonly sums = new Map<SymbolId, CallSums>();
  private readonly latency = new DurationsBuilder();
  private readonly outside = new DurationsBuilder();
  private readonly offCpu = new DurationsBuilder();
  private readonly slowest: LongestCalls<LongCall>;
  private sample: Omit<SampledCall, 'tid'>[] = [];
  private readonly overTime: TimedCallsBuilder | null;
  /** Sums of the thread up to now. */
  private outsideNs = 0;
  private offCpuNs = 0;
  private readonly marker: InsideMarker;
  private readonly window: Bounds;

  constructor(
    log: CallLog,
    private readonly tree: CallTree,
    private readonly filter: CallFilter,
    private readonly question: LatencyQuestion,
  ) {
    this.rows = new Uint8Array(log.length);
    this.slowest = new LongestCalls(question.slowest);
    this.overTime = question.overTime && new TimedCallsBuilder(question.overTime);
    this.marker = new InsideMarker(log, tree, filter);
    this.window = filter.window ?? UNBOUNDED;
  }

  newCall(): MeasuredCall {
    return new MeasuredCall();
  }

  opened(call: MeasuredCall): void {
    this.marker.mark(call);
    call.outsideNs = this.outsideNs;
    call.outsideSelfNs = 0;
    call.offCpuNs = this.offCpuNs;
  }

  /** Time that passes until the call resumes is not its own, so its sums up to now are stored. */
  suspended(call: MeasuredCall): void {
    call.outsideNs = this.outsideNs - call.outsideNs;
    call.offCpuNs = this.offCpuNs - call.offCpuNs;
  }

  resumed(call: MeasuredCall): void {
    this.marker.mark(call);
    this.suspended(call);
  }

  spent(top: MeasuredCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    if (top === null || !top.isStop) return;
    this.outsideNs += toNs - fromNs;
    this.addOutsideSelf(top, toNs - fromNs);
    if (isOffCpu(this.tree.symbol[top.node])) this.offCpuNs += toNs - fromNs;
  }

  closed(call: MeasuredCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    const { tree, question, filter, window } = this;
    if (!isInSet(question.calls.functions, tree.symbol[call.node])) return;
    if (!this.marker.matches(call) || !overlaps(window, call.entryNs, exitNs)) return;
    if (filter.foldsRecursion && isDirectRecursion(tree, call.node)) return;
    const windowEnding = endingWithin(window, call.entryNs, exitNs, ending);
    if (isComplete(windowEnding)) this.countComplete(call, exitNs - call.entryNs, windowEnding);
    else if (question.calls.durations === null)
      this.countInferred(call, Math.min(knownNs, nsWithin(window, call.entryNs, exitNs)), windowEnding);
  }

  /** Adds a stop's time to the stops it is in and to the function below; with folded recursion, to each folded call. */
  private addOutsideSelf(stop: MeasuredCall, ns: Nanoseconds): void {
    let call: MeasuredCall | null = stop;
    for (; call?.isStop; call = call.below) call.outsideSelfNs += ns;
    for (; call !== null; call = call.below) {
      call.outsideSelfNs += ns;
      if (!this.filter.foldsRecursion || !isDirectRecursion(this.tree, call.node)) return;
    }
  }

  build(): FoundCalls {
    const { rows, sums, latency, outside, offCpu, slowest, sample, overTime } = this;
    const durations = { latency: latency.build(), outside: outside.build(), offCpu: offCpu.build() };
    return { rows, sums, durations, slowest: slowest.build(), sample: sampled(sample), overTime };
  }

  private countComplete(call: MeasuredCall, durationNs: Nanoseconds, ending: number): void {
    const isUnwound = ending === UNWOUND;
    const { durations } = this.question.calls;
    if (durations !== null && (durationNs < durations.minNs || durationNs > durations.maxNs)) return;
    if (!call.isSuspended) this.suspended(call);
    const { outsideNs, outsideSelfNs, offCpuNs } = call;
    const caller = this.callerOf(call);
    const sums = this.sumsOf(caller);
    sums.calls++;
    if (isUnwound) sums.unwound++;
    sums.completeNs += durationNs;
    sums.minNs = Math.min(sums.minNs, durationNs);
    sums.maxNs = Math.max(sums.maxNs, durationNs);
    sums.outsideNs += outsideNs;
    sums.outsideSelfNs += outsideSelfNs;
    sums.offCpuNs += offCpuNs;
    this.latency.add(callerKey(caller), durationNs);
    this.outside.add(callerKey(caller), outsideNs);
    this.offCpu.add(callerKey(caller), offCpuNs);
    this.rows[call.row] = RowMark.Complete;
    this.overTime?.add(call.row, call.entryNs, durationNs, ending);
    this.slowest.add({ row: call.row, entryNs: call.entryNs, durationNs, isUnwound, outsideNs, offCpuNs });
    if (this.question.slowest > 0 && !isUnwound) this.addToSample(call.entryNs, durationNs);
  }

  private addToSample(startNs: Nanoseconds, durationNs: Nanoseconds): void {
    this.sample.push({ startNs, durationNs, draw: drawOf(startNs) });
    if (this.sample.length === MAX_UNSORTED) this.sample = sampled(this.sample);
  }

  private countInferred(call: MeasuredCall, knownNs: Nanoseconds, ending: number): void {
    const sums = this.sumsOf(this.callerOf(call));
    sums.calls++;
    sums.inferred++;
    sums.longestCutNs = Math.max(sums.longestCutNs, knownNs);
    this.rows[call.row] = RowMark.Inferred;
    this.overTime?.add(call.row, call.entryNs, knownNs, ending);
  }

  private callerOf({ node }: MeasuredCall): SymbolId {
    return this.tree.symbol[this.tree.parent[node]];
  }

  private sumsOf(caller: SymbolId): CallSums {
    let sums = this.sums.get(caller);
    if (sums === undefined) this.sums.set(caller, (sums = emptySums()));
    return sums;
  }
}

// Sums over calls of a function.

/** Sums over the calls that one caller made. */
export interface CallSums {
  /** All calls in the selection; inferred: those with an unseen start or end. */
  calls: number;
  inferred: number;
  /** Complete calls that ended in an exception or a longjmp. */
  unwound: number;
  /** The longest time that an inferred call lasted at least; 0: unknown. */
  longestCutNs: Nanoseconds;
  /** Sum, minimum and maximum of the durations of complete calls. */
  completeNs: Nanoseconds;
  minNs: Nanoseconds;
  maxNs: Nanoseconds;
  /** Of complete calls: time outside traced code; the part of it directly on them, and the part off CPU. */
  outsideNs: Nanoseconds;
  outsideSelfNs: Nanoseconds;
  offCpuNs: Nanoseconds;
}

export function emptySums(): CallSums {
  const [minNs, maxNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const counts = { calls: 0, inferred: 0, unwound: 0, longestCutNs: 0 };
  return { ...counts, completeNs: 0, minNs, maxNs, outsideNs: 0, outsideSelfNs: 0, offCpuNs: 0 };
}

export function addSums(a: CallSums, b: CallSums): CallSums {
  return {
    calls: a.calls + b.calls,
    inferred: a.inferred + b.inferred,
    unwound: a.unwound + b.unwound,
    longestCutNs: Math.max(a.longestCutNs, b.longestCutNs),
    completeNs: a.completeNs + b.completeNs,
    minNs: Math.min(a.minNs, b.minNs),
    maxNs: Math.max(a.maxNs, b.maxNs),
    outsideNs: a.outsideNs + b.outsideNs,
    outsideSelfNs: a.outsideSelfNs + b.outsideSelfNs,
    offCpuNs: a.offCpuNs + b.offCpuNs,
  };
}
