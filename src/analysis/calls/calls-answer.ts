/**
 * Merges what the threads found about the calls of a function.
 */

import type { CallLog } from '../../model/calls/call-log.js';
import { type CallTree, CallTreeBuilder, ROOT, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { Doubt } from '../../model/calls/doubts.js';
import { DurationsBuilder } from '../../model/calls/durations.js';
import { isComplete, UNWOUND } from '../../model/profile/profile.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import {
  type Bounds,
  type Nanoseconds,
  NONE,
  type NodeId,
  type SymbolId,
  type Tid,
  UNBOUNDED,
} from '../../model/units.js';
import { addWork, type KernelWork, type WorkInCalls } from '../kernel-work.js';
import { endingWithin, nsWithin, overlaps } from '../log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from '../log/walk-calls.js';
import { type CallFilter, isDirectRecursion, type LatencyQuestion } from '../questions.js';
import { reroot } from '../tree/reshape.js';
import { type CallCounts, type SampledCall, sampled } from './call-counts.js';
import {
  addSums,
  type CallDurations,
  type CallSums,
  emptySums,
  type FoundCalls,
  findCalls,
  RowMark,
} from './find-calls.js';
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
  /** Where it is from, if recordings were joined: their threads and clocks differ. */
  readonly from?: CallOrigin;
  /** Absent: not recorded. */
  readonly work?: readonly KernelWork[];
  /** Its arguments and its result; absent: no probes recorded them. */
  readonly values?: readonly CallValue[];
  /** Absent: not known. */
  readonly counts?: CallCounts;
}

export interface CallValue {
  readonly at: 'entry' | 'return';
  readonly name: string;
  /** As perf prints it. */
  readonly value: string;
}

export interface CallOrigin {
  readonly recording: string;
  readonly pid: number | null;
  readonly comm: string | null;
  /** On the clock of perf. */
  readonly start: string;
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
  /** Some complete calls that returned, for what is typical; none where the slowest are not asked for. */
  readonly sample: readonly SampledCall[];
  /** null: not requested. */
  readonly overTime: TimedCalls | null;
  /** What the kernel did in them; null: not recorded. */
  readonly work: WorkInCalls | null;
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
  const sample = calls.sample.map((call) => ({ tid, ...call }));
  return { sums: calls.sums, durations: calls.durations, ...inner, paths, slowest, sample, overTime, work: null };
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
  private sample: SampledCall[] = [];
  private readonly overTime = new TimedCallsSum();
  private work: WorkInCalls | null = null;

  constructor(private readonly maxSlowest: number) {}

  /** `shiftNs`: is subtracted from the start times. */
  add(
    { sums, durations, complete, inferred, paths, slowest, sample, overTime, work }: CallsAnswer,
    shiftNs: Nanoseconds,
  ): void {
    for (const [caller, more] of sums) this.sums.set(caller, addSums(this.sums.get(caller) ?? emptySums(), more));
    this.latency.addAll(durations.latency);
    this.outside.addAll(durations.outside);
    this.offCpu.addAll(durations.offCpu);
    this.complete.merge(complete);
    this.inferred.merge(inferred);
    this.paths.merge(paths);
    for (const call of slowest) this.slowest.push({ ...call, startNs: call.startNs - shiftNs });
    this.slowest.sort((a, b) => b.durationNs - a.durationNs || a.startNs - b.startNs || a.tid - b.tid);
    this.slowest.length = Math.min(this.slowest.length, this.maxSlowest);
    const moved = sample.map((call) => ({ ...call, startNs: call.startNs - shiftNs }));
    this.sample = sampled([...this.sample, ...moved]);
    if (overTime !== null) this.overTime.add(overTime, shiftNs);
    if (work !== null) this.work = addWork(this.work, work);
  }

  build(): CallsAnswer {
    const { sums, latency, outside, offCpu, complete, inferred, paths, slowest, sample } = this;
    return {
      sums,
      durations: { latency: latency.build(), outside: outside.build(), offCpu: offCpu.build() },
      complete: complete.build(),
      inferred: inferred.build(),
      paths: paths.build(),
      slowest,
      sample,
      overTime: this.overTime.build(),
      work: this.work,
    };
  }
}

/** Collects what calls of a function did inside: their call trees merged, and the trees of the longest calls. */
interface InnerTrees {
  /**
   * Of complete calls: the root has a node for each caller (NONE: no caller), which stands for the calls that it made,
   * and below it what they did. A call of the function inside another one is a leaf there, with only its own stops on
   * it, because it also counts under the root.
   */
  readonly complete: CallTree;
  /** The same of inferred calls. */
  readonly inferred: CallTree;
  /**
   * The paths down to the function, with calls; self time is the sum of their durations, and that of inferred calls is
   * inferred time.
   */
  readonly paths: CallTree;
  /** What each of the longest calls did, by row of the log; the root is the call. */
  readonly slowest: ReadonlyMap<number, CallTree>;
}

/** `tree`: of the thread. */
function collectInnerTrees(log: CallLog, tree: CallTree, filter: CallFilter, calls: FoundCalls): InnerTrees {
  const collector = new TreeCollector(tree, filter, calls);
  walkCalls(log, collector);
  return collector.build();
}

/** A node for a nested call in the tree of an outer call. */
interface Leaf {
  readonly tree: CallTreeBuilder;
  readonly node: NodeId;
}

interface NestedCall {
  readonly symbol: SymbolId;
  readonly leaves: readonly Leaf[];
  /** What the thread had spent when the call began. */
  readonly chargedNs: Float64Array;
}

/** Marks time in code, which no stop has: a function without a name is code. */
const CODE_SYMBOL = SpecialSymbol.Unknown;

/** A call with its node in the merged tree, and in the tree of one of the longest calls; null: not inside any. */
class InnerCall extends OpenCall {
  innerTree: CallTreeBuilder | null = null;
  innerNode: NodeId = ROOT;
  slowTree: CallTreeBuilder | null = null;
  slowNode: NodeId = ROOT;
}

class TreeCollector implements CallListener<InnerCall> {
  private readonly complete = new CallTreeBuilder();
  private readonly inferred = new CallTreeBuilder();
  private readonly paths = new CallTreeBuilder();
  private readonly slowest: ReadonlyMap<number, CallTreeBuilder>;
  /** Nodes of `paths` by node of the thread's tree; NONE: not needed yet. */
  private readonly pathOf: Int32Array;
  private readonly rows: Uint8Array;
  private readonly window: Bounds;
  private readonly foldsRecursion: boolean;
  /** Time that the thread has spent: in code, and by symbol in stops. */
  private readonly spentNs = new Float64Array(SpecialSymbol.Lost + 1);
  /** Calls of the selection inside other calls of the selection, by row. */
  private readonly nested = new Map<number, NestedCall>();

  constructor(
    private readonly tree: CallTree,
    { window, foldsRecursion }: CallFilter,
    { rows, slowest }: FoundCalls,
  ) {
    this.rows = rows;
    this.pathOf = new Int32Array(tree.length).fill(NONE, 1);
    this.slowest = new Map(slowest.map(({ row }) => [row, new CallTreeBuilder()]));
    this.window = window ?? UNBOUNDED;
    this.foldsRecursion = foldsRecursion;
  }

  newCall(): InnerCall {
    return new InnerCall();
  }

  opened(call: InnerCall): void {
    const mark = this.rows[call.row];
    if (mark === RowMark.None) return this.addToCallerTrees(call);
    call.innerTree = mark === RowMark.Complete ? this.complete : this.inferred;
    call.innerNode = call.innerTree.child(ROOT, this.callerOf(call));
    call.slowTree = this.slowest.get(call.row) ?? null;
    call.slowNode = ROOT;
    if (call.below?.innerTree) this.nested.set(call.row, this.addNested(call.below, this.tree.symbol[call.node]));
  }

  /** Time from here on is not the call's own. */
  suspended(call: InnerCall): void {
    const nested = this.nested.get(call.row);
    if (nested === undefined) return;
    this.chargeLeaves(nested);
    nested.chargedNs.fill(Number.POSITIVE_INFINITY);
  }

  resumed(call: InnerCall): void {
    this.opened(call);
  }

  spent(top: InnerCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    if (top === null || top.innerTree === null) return;
    const ns = nsWithin(this.window, fromNs, toNs);
    this.spentNs[top.isStop ? this.tree.symbol[top.node] : CODE_SYMBOL] += ns;
    top.innerTree.charge(top.innerNode, ns);
    top.slowTree?.charge(top.slowNode, ns);
  }

  closed(call: InnerCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    if (call.innerTree === null || !overlaps(this.window, call.entryNs, exitNs)) return;
    const isMarked = this.rows[call.row] !== RowMark.None;
    if (this.isFolded(call.node)) return;
    const windowEnding = endingWithin(this.window, call.entryNs, exitNs, ending);
    const durationNs = nsWithin(this.window, call.entryNs, exitNs); // its full duration if it is complete
    const ended = { ending: windowEnding, durationNs, knownNs: Math.min(knownNs, durationNs) };
    count(call.innerTree, call.innerNode, ended);
    if (call.slowTree) count(call.slowTree, call.slowNode, ended);
    if (isMarked) this.closeMarked(call, ended);
  }

  build(): InnerTrees {
    const built = (tree: CallTreeBuilder) => withoutEmptyNodes(tree.build());
    const slowest = new Map([...this.slowest].map(([row, tree]) => [row, built(tree)]));
    return { complete: built(this.complete), inferred: built(this.inferred), paths: built(this.paths), slowest };
  }

  private addToCallerTrees(call: InnerCall): void {
    const { below } = call;
    call.innerTree = below === null ? null : below.innerTree;
    call.slowTree = below === null ? null : below.slowTree;
    if (below === null || call.innerTree === null) return;
    const symbol = this.tree.symbol[call.node];
    const isFolded = this.isFolded(call.node);
    call.innerNode = isFolded ? below.innerNode : call.innerTree.child(below.innerNode, symbol);
    if (call.slowTree) call.slowNode = isFolded ? below.slowNode : call.slowTree.child(below.slowNode, symbol);
  }

  private closeMarked({ row, node }: InnerCall, ended: EndedCall): void {
    const path = this.pathTo(node);
    this.paths.charge(path, ended.durationNs, isComplete(ended.ending) ? Doubt.None : null);
    count(this.paths, path, ended);
    const nested = this.nested.get(row);
    if (nested === undefined) return;
    this.chargeLeaves(nested);
    for (const { tree, node: leaf } of nested.leaves) count(tree, leaf, ended);
    this.nested.delete(row);
  }

  /** Adds the call as one frame to the trees of the call that it was made in. */
  private addNested(below: InnerCall, symbol: SymbolId): NestedCall {
    const leaves: Leaf[] = [];
    const add = (tree: CallTreeBuilder | null, parent: NodeId) => {
      if (tree) leaves.push({ tree, node: tree.child(parent, symbol) });
    };
    add(below.innerTree, below.innerNode);
    add(below.slowTree, below.slowNode);
    return { symbol, leaves, chargedNs: this.spentNs.slice() };
  }

  private chargeLeaves({ symbol, leaves, chargedNs }: NestedCall): void {
    this.spentNs.forEach((ns, stop) => {
      const isLeaf = stop === CODE_SYMBOL || stop === symbol; // a stop that is itself in the selection is the leaf
      for (const { tree, node } of leaves)
        if (ns > chargedNs[stop]) tree.charge(isLeaf ? node : tree.child(node, stop), ns - chargedNs[stop]);
    });
  }

  private pathTo(node: NodeId): NodeId {
    const { pathOf, tree } = this;
    const missing: NodeId[] = [];
    for (let at = node; pathOf[at] === NONE; at = tree.parent[at]) missing.push(at);
    for (const at of missing.reverse()) {
      const below = pathOf[tree.parent[at]];
      pathOf[at] = this.isFolded(at) ? below : this.paths.child(below, tree.symbol[at]);
    }
    return pathOf[node];
  }

  private callerOf({ node }: InnerCall): SymbolId {
    return this.tree.symbol[this.tree.parent[node]];
  }

  private isFolded(node: NodeId): boolean {
    return this.foldsRecursion && isDirectRecursion(this.tree, node);
  }
}

interface EndedCall {
  /** As `endingWithin` returns it. */
  readonly ending: number;
  /** The part within the window. */
  readonly durationNs: Nanoseconds;
  /** How long it certainly lasted. */
  readonly knownNs: Nanoseconds;
}

function count(tree: CallTreeBuilder, node: NodeId, { ending, durationNs, knownNs }: EndedCall): void {
  if (ending === NONE) tree.countComplete(node, durationNs);
  else if (ending === UNWOUND) tree.countUnwound(node, durationNs);
  else tree.countInferred(node, knownNs);
}
