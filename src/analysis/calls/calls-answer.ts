/**
 * Merges what the threads found about the calls of a function.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { DurationsBuilder } from '../../model/calls/durations.js';
import type { Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import type { CallFilter, LatencyQuestion } from '../questions.js';
import { reroot } from '../tree/reshape.js';
import { addSums, type CallSums, emptySums } from './call-sums.js';
import { type CallDurations, findCalls } from './find-calls.js';
import { collectInnerTrees } from './inner-trees.js';
import { type TimedCalls, TimedCallsSum } from './over-time.js';

/** One of the longest calls. */
export interface SlowCall {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** It ended in an exception or a longjmp. */
  readonly isUnwound: boolean;
  /** The part of its duration outside traced code; of that, the part off CPU. */
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  /** What it did; the root is the call itself. */
  readonly tree: CallTree;
}

/** The calls of a function, in one thread or in all; plain data. */
export interface CallsAnswer {
  readonly sums: ReadonlyMap<SymbolId, CallSums>; // by caller; NONE: no caller
  readonly durations: CallDurations;
  /** See `InnerTrees`. */
  readonly complete: CallTree;
  readonly inferred: CallTree;
  readonly paths: CallTree;
  /** Longest first, then earliest, then by tid. */
  readonly slowest: readonly SlowCall[];
  /** null: not requested. */
  readonly overTime: TimedCalls | null;
}

/** Answers for one thread. `tree`: has all nodes that the log refers to. */
export function answerForThread(
  tid: Tid,
  log: CallLog,
  tree: CallTree,
  filter: CallFilter,
  question: LatencyQuestion,
): CallsAnswer {
  const calls = findCalls(log, tree, filter, question);
  const { slowest: slowestTrees, ...inner } = collectInnerTrees(log, tree, filter, calls);
  const paths = filter.root === null ? inner.paths : reroot(inner.paths, filter.root);
  const slowest = calls.slowest.map(({ row, entryNs: startNs, ...call }) => {
    return { tid, startNs, ...call, tree: slowestTrees.get(row) as CallTree };
  });
  const overTime = calls.overTime?.build(tid) ?? null;
  return { sums: calls.sums, durations: calls.durations, ...inner, paths, slowest, overTime };
}

/** Merges the answers of the threads, added in any order. */
export class CallsAnswerBuilder {
  private readonly sums = new Map<SymbolId, CallSums>();
  private readonly latency = new DurationsBuilder();
  private readonly outside = new DurationsBuilder();
  private readonly offCpu = new DurationsBuilder();
  private readonly complete = new CallTreeBuilder();
  private readonly inferred = new CallTreeBuilder();
  private readonly paths = new CallTreeBuilder();
  private slowest: SlowCall[] = [];
  private readonly overTime = new TimedCallsSum();
  private readonly maxSlowest: number;

  constructor(maxSlowest: number) {
    this.maxSlowest = maxSlowest;
  }

  /** `shiftNs`: is subtracted from the start times. */
  add({ sums, durations, complete, inferred, paths, slowest, overTime }: CallsAnswer, shiftNs: Nanoseconds): void {
    for (const [caller, more] of sums) this.sums.set(caller, addSums(this.sums.get(caller) ?? emptySums(), more));
    this.latency.addAll(durations.latency);
    this.outside.addAll(durations.outside);
    this.offCpu.addAll(durations.offCpu);
    const same = (symbol: SymbolId) => symbol;
    this.complete.merge(complete, ROOT, same);
    this.inferred.merge(inferred, ROOT, same);
    this.paths.merge(paths, ROOT, same);
    for (const call of slowest) this.slowest.push({ ...call, startNs: call.startNs - shiftNs });
    this.slowest.sort((a, b) => b.durationNs - a.durationNs || a.startNs - b.startNs || a.tid - b.tid);
    this.slowest.length = Math.min(this.slowest.length, this.maxSlowest);
    if (overTime !== null) this.overTime.add(overTime, shiftNs);
  }

  build(): CallsAnswer {
    const { sums, latency, outside, offCpu, complete, inferred, paths, slowest } = this;
    return {
      sums,
      durations: { latency: latency.build(), outside: outside.build(), offCpu: offCpu.build() },
      complete: complete.build(),
      inferred: inferred.build(),
      paths: paths.build(),
      slowest,
      overTime: this.overTime.build(),
    };
  }
}
