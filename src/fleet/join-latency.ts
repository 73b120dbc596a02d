/**
 * Joins the calls of a function in several recordings of one program, such as snapshots of its slow calls.
 *
 * Threads and times of one recording mean nothing in another: threads are joined by name, calls by what they did.
 */
import { type CallsAnswer, CallsAnswerBuilder } from '../analysis/calls/calls-answer.js';
import { addSums, type CallSums, callerKey, emptySums } from '../analysis/calls/find-calls.js';
import { type FunctionSet, functionSet } from '../analysis/questions.js';
import type { CallTree } from '../model/calls/call-tree.js';
import type { FunctionDurations } from '../model/calls/durations.js';
import { orderedDurations } from '../model/profile/file-order.js';
import type { Profile } from '../model/profile/profile.js';
import { NONE, type SymbolId } from '../model/units.js';
import { clockText } from '../questions/common.js';
import { ProfileSum } from './merge-profiles.js';

/** What was found in one recording, or in all. */
export interface FoundLatency {
  /** With the trees of its threads. */
  readonly profile: Profile;
  readonly calls: CallsAnswer;
  /** The functions that the calls are of. */
  readonly functions: FunctionSet;
}

/** Recordings are added one after another, so that only one of them and the sum are in memory. */
export class LatencySum {
  private readonly profiles = new ProfileSum('comm');
  private readonly calls: CallsAnswerBuilder;
  private readonly functions = new Set<SymbolId>();

  /** `maxSlowest`: how many of the slowest calls of all to keep. */
  constructor(maxSlowest: number) {
    this.calls = new CallsAnswerBuilder(maxSlowest);
  }

  add({ profile, calls, functions }: FoundLatency, recording: string): void {
    const rows = this.profiles.add(profile, recording);
    functions.forEach((flag, symbol) => {
      if (flag === 1) this.functions.add(rows[symbol]);
    });
    const { meta, threads } = profile;
    const slowest = calls.slowest.map((call) => {
      const { pid = null, comm = null } = threads.find(({ tid }) => tid === call.tid) ?? {};
      return { ...call, from: { recording, pid, comm, start: clockText(meta, call.startNs) } };
    });
    this.calls.add(withSymbols({ ...calls, slowest }, rows), 0);
  }

  build(): FoundLatency {
    const profile = this.profiles.build();
    return {
      profile,
      calls: this.calls.build(),
      functions: functionSet([...this.functions], profile.symbols.length),
    };
  }
}

/** The same with symbols of the sum. `rows`: there, by symbol. */
function withSymbols(calls: CallsAnswer, rows: Int32Array): CallsAnswer {
  const symbolOf = (symbol: SymbolId) => (symbol === NONE ? NONE : rows[symbol]);
  const keys = new Int32Array(rows.length + 1);
  rows.forEach((row, symbol) => {
    keys[callerKey(symbol)] = callerKey(row);
  });
  const sums = new Map<SymbolId, CallSums>();
  for (const [caller, more] of calls.sums)
    sums.set(symbolOf(caller), addSums(sums.get(symbolOf(caller)) ?? emptySums(), more));
  const tree = (own: CallTree) => ({ ...own, symbol: own.symbol.map(symbolOf) });
  const durations = (own: FunctionDurations) => orderedDurations(own, keys);
  const { latency, outside, offCpu } = calls.durations;
  return {
    sums,
    durations: { latency: durations(latency), outside: durations(outside), offCpu: durations(offCpu) },
    ...{ complete: tree(calls.complete), inferred: tree(calls.inferred), paths: tree(calls.paths) },
    slowest: calls.slowest.map((call) => ({ ...call, tree: tree(call.tree) })),
    sample: calls.sample,
    overTime: null,
    work: calls.work,
  };
}
