/**
 * Answers a question about the timeline for one thread, in one walk over its log.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import type { Doubt } from '../../model/calls/doubts.js';
import { nodeOrder } from '../../model/calls/tree-view.js';
import { rowNumbers } from '../../model/columns.js';
import {
  ACTIVITIES,
  type Activity,
  activityOf,
  type Strip,
  type ThreadSpans,
  type ThreadSums,
} from '../../model/profile/timeline.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId } from '../../model/units.js';
import { overlaps } from '../log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from '../log/walk-calls.js';
import type { TimedPaths } from './resolution.js';
import {
  COARSEST_OF_ALL_PATHS,
  levelsOf,
  NO_SUMS,
  stripSliceNs,
  sumsShare,
  type TimelineQuestion,
} from './resolution.js';
import { SpansBuilder, type Stay } from './spans-builder.js';
import { BoundedSums, type SumsBuilder, SumsMemory } from './sums-builder.js';

/** Times are relative to the start of the timeline. Plain data. */
export interface ThreadTimeline {
  readonly strip: Strip;
  /** Rows are in no order. null: too many for the bytes that they may take. */
  readonly sums: ThreadSums | null;
  readonly sumsLevel: number;
  readonly spans: ThreadSpans;
  /** Calls of lower steps are left out (`spanStep`). */
  readonly firstSpanStep: number;
  /** By step: how many calls and pieces there are. */
  readonly stepCounts: Int32Array;
}

/** Memory for one thread after the other. */
export class TimelineMemory {
  readonly sums = new SumsMemory();
  readonly spans = new SpansBuilder();
}

/** The call paths that are shown of a thread; their times are those within the window. */
export interface ShownPaths extends TimedPaths, Pick<CallTree, 'symbol'> {
  /** By node of the log: the node of the same path. */
  readonly nodeOf: Int32Array;
}

/** Nodes of the result are those that are shown. */
export function threadTimeline(
  log: CallLog,
  paths: ShownPaths,
  question: TimelineQuestion,
  memory = new TimelineMemory(),
): ThreadTimeline {
  const builder = new TimelineBuilder(paths, question, memory);
  walkCalls(log, builder);
  return builder.build();
}

/**
 * Likewise for the part of a thread that begins at a row of the log; see `TimelineJoiner`. Nodes are those of the log. Which
 * call paths have little time in the thread is not known yet, so none is left out.
 */
export function partTimeline(
  log: CallLog,
  firstRow: number,
  { length, parent, symbol }: Pick<CallTree, 'length' | 'parent' | 'symbol'>,
  question: TimelineQuestion,
  memory: TimelineMemory,
): PartTimeline {
  const totalNs = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
  const paths = { length, parent, symbol, totalNs, nodeOf: rowNumbers(length) };
  const lastRow = log.length - 1;
  const hasTime = (row: number) => log.sinceNs[row] > 0;
  const hasBegun = firstRow > 0 && firstRow < lastRow && hasTime(firstRow);
  const builder = new PartBuilder(paths, question, memory, log.endNs, hasBegun);
  walkCalls(log, builder, firstRow);
  return builder.buildPart(hasTime(lastRow), firstRow === lastRow);
}

class TimedCall extends OpenCall {
  /** Its stays on the thread's stack so far, if its stack was switched away from. */
  stays: Stay[] | null = null;
  /** When the current stay began. */
  sinceNs: Nanoseconds = 0;
}

class TimelineBuilder implements CallListener<TimedCall> {
  private readonly strip: Strip;
  private readonly sums: BoundedSums;
  private readonly spans: SpansBuilder;
  private readonly activity: Uint8Array; // by node
  private readonly nodeOf: Int32Array;
  private readonly window: Bounds;
  private readonly stripSliceNs: Nanoseconds;
  /** The log's time, from which stays on the stack are known. */
  private nowNs: Nanoseconds = 0;
  /**
   * The current slice: one of the sums, as far as it is in one of the strip. In the log's time; after its start and up to its
   * end nearly all happens, and is added without finding slices anew.
   */
  private fromNs: Nanoseconds = Number.POSITIVE_INFINITY;
  private toNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  private slice = NONE;
  private stripAt = 0;
  private sliced: SumsBuilder;

  /** `lastNs`: what ends later is added by `addTime`. */
  constructor(
    paths: ShownPaths,
    private readonly question: TimelineQuestion,
    memory: TimelineMemory,
    coarsest = NO_SUMS,
    private readonly lastNs: Nanoseconds = Number.POSITIVE_INFINITY,
  ) {
    const { window, stripSlices, maxBytes } = question;
    const durationNs = window.endNs - window.startNs;
    const reached = levelsOf(question.reached);
    this.window = window;
    this.stripSliceNs = stripSliceNs(question);
    this.strip = new Float64Array((stripSlices + 1) * ACTIVITIES);
    this.sums = new BoundedSums(reached.sums, durationNs, paths, sumsShare(question), memory.sums, coarsest);
    this.sliced = memory.sums.current;
    this.spans = memory.spans;
    this.spans.clear(reached.spans, maxBytes);
    this.activity = Uint8Array.from(paths.symbol, activityOf);
    this.nodeOf = paths.nodeOf;
  }

  newCall(): TimedCall {
    return new TimedCall();
  }

  opened(call: TimedCall): void {
    call.stays = null;
    call.sinceNs = call.entryNs;
    this.nowNs = call.entryNs;
  }

  calledLeaf(path: NodeId, entryNs: Nanoseconds, exitNs: Nanoseconds, doubt: Doubt): void {
    const node = this.nodeOf[path];
    const ns = exitNs - entryNs;
    this.nowNs = exitNs;
    if (entryNs < this.fromNs || entryNs >= this.toNs || exitNs > this.toNs)
      return this.leafAcross(node, entryNs, exitNs, doubt !== 0);
    this.strip[this.stripAt + this.activity[node]] += ns;
    this.sliced.addLeafWithin(this.slice, node, ns, doubt !== 0);
    if (ns >= this.spans.minNs) this.spans.add(node, entryNs - this.window.startNs, exitNs - this.window.startNs, NONE);
  }

  suspended(call: TimedCall): void {
    call.stays ??= [];
    this.endStay(call, call.stays, this.nowNs);
  }

  resumed(call: TimedCall): void {
    call.sinceNs = this.nowNs;
  }

  spent(top: TimedCall | null, fromNs: Nanoseconds, toNs: Nanoseconds, doubt: Doubt): void {
    const node = top === null ? ROOT : this.nodeOf[top.node];
    this.nowNs = toNs;
    if (fromNs < this.fromNs || toNs > this.toNs) return this.spentAcross(node, fromNs, toNs, doubt !== 0);
    this.strip[this.stripAt + this.activity[node]] += toNs - fromNs;
    this.sliced.addTimeWithin(this.slice, node, toNs - fromNs, doubt !== 0);
  }

  closed(call: TimedCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    const { entryNs } = call;
    const ns = exitNs - entryNs;
    this.nowNs = Math.max(this.nowNs, exitNs);
    if (entryNs < this.fromNs || entryNs >= this.toNs || exitNs > this.toNs || call.stays !== null)
      return this.closedAcross(call, exitNs, ending, knownNs);
    const node = this.nodeOf[call.node];
    this.sliced.addCallWithin(this.slice, node, ending, ns, knownNs);
    if (ns >= this.spans.minNs)
      this.spans.add(node, entryNs - this.window.startNs, exitNs - this.window.startNs, ending);
  }

  /** Adds time that is not within the current slice. */
  private spentAcross(node: NodeId, fromNs: Nanoseconds, toNs: Nanoseconds, isInferred: boolean): void {
    const { startNs: originNs, endNs } = this.window;
    const startNs = Math.max(fromNs, originNs) - originNs;
    const stopNs = Math.min(toNs, endNs) - originNs;
    if (startNs < stopNs) {
      addToStrip(this.strip, this.stripSliceNs, this.activity[node] as Activity, startNs, stopNs);
      this.addTime(node, startNs, stopNs, isInferred);
    }
    this.enterSlice();
  }

  protected addTime(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    this.sums.addTime(node, startNs, endNs, isInferred);
  }

  /** Adds a call that is not within the current slice, or whose stack was switched away from. */
  private closedAcross(call: TimedCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    const { entryNs, stays } = call;
    const { window } = this;
    if (!overlaps(window, entryNs, exitNs)) return;
    const node = this.nodeOf[call.node];
    const startNs = entryNs - window.startNs;
    const endNs = exitNs - window.startNs;
    this.sums.addCall(node, startNs, endNs, ending, knownNs);
    this.enterSlice();
    if (stays === null) return this.spans.add(node, startNs, endNs, ending);
    if (!call.isSuspended) this.endStay(call, stays, exitNs);
    this.spans.addSplit(node, startNs, endNs, ending, stays);
  }

  /** Likewise a call without callees, with its time. */
  private leafAcross(node: NodeId, entryNs: Nanoseconds, exitNs: Nanoseconds, isInferred: boolean): void {
    const { window } = this;
    this.spentAcross(node, entryNs, exitNs, isInferred);
    if (!overlaps(window, entryNs, exitNs)) return;
    const startNs = entryNs - window.startNs;
    const endNs = exitNs - window.startNs;
    this.sums.addCall(node, startNs, endNs, NONE, endNs - startNs);
    this.spans.add(node, startNs, endNs, NONE);
    this.enterSlice();
  }

  /** Makes the slice current that the log's time is in, if there is one. */
  private enterSlice(): void {
    const { sliced } = this.sums;
    const { startNs: originNs, endNs } = this.window;
    const atNs = this.nowNs - originNs;
    this.fromNs = Number.POSITIVE_INFINITY;
    if (sliced === null || sliced.resolution.sliceNs === 0 || atNs < 0) return;
    const { sliceNs } = sliced.resolution;
    const strip = Math.floor(atNs / this.stripSliceNs);
    this.sliced = sliced;
    this.slice = Math.floor(atNs / sliceNs);
    this.stripAt = strip * ACTIVITIES;
    this.fromNs = originNs + Math.max(this.slice * sliceNs, strip * this.stripSliceNs);
    const borderNs = originNs + Math.min((this.slice + 1) * sliceNs, (strip + 1) * this.stripSliceNs);
    this.toNs = Math.min(borderNs, endNs, this.lastNs);
  }

  private endStay({ node, sinceNs }: TimedCall, stays: Stay[], atNs: Nanoseconds): void {
    const { window } = this.question;
    if (atNs <= sinceNs || !overlaps(window, sinceNs, atNs)) return;
    stays.push({ node: this.nodeOf[node], startNs: sinceNs - window.startNs, endNs: atNs - window.startNs });
  }

  build(): ThreadTimeline {
    const { strip, sums, spans } = this;
    const reached = levelsOf(this.question.reached);
    const kept = { strip, sums: sums.build(reached.sums), spans: spans.build(reached.spans) };
    return { ...kept, sumsLevel: sums.level, firstSpanStep: spans.firstStep, stepCounts: spans.stepCounts() };
  }
}

/** The time of a call path, without its callees. */
export interface PathTime {
  readonly node: NodeId;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly isInferred: boolean;
}

/** Of a part of a thread. */
export interface PartTimeline extends ThreadTimeline {
  /** Time that may have begun before the part, and time that may go on after it; null: there is none. Not in the sums. */
  readonly first: PathTime | null;
  readonly last: PathTime | null;
  /** All its time is that of `last`, which may have begun before it, too. */
  readonly isThrough: boolean;
}

class PartBuilder extends TimelineBuilder {
  private first: PathTime | null = null;
  private last: PathTime | null = null;

  /** `mayGoOn`: the first time may have begun before the part. */
  constructor(
    paths: ShownPaths,
    question: TimelineQuestion,
    memory: TimelineMemory,
    endNs: Nanoseconds,
    private readonly mayGoOn: boolean,
  ) {
    super(paths, question, memory, COARSEST_OF_ALL_PATHS, endNs - 1); // times are whole
  }

  /** The first time and the last one are held back. */
  protected override addTime(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    const time = { node, startNs, endNs, isInferred };
    if (this.mayGoOn && this.first === null) {
      this.first = time;
      return;
    }
    this.addLast();
    this.last = time;
  }

  /** `goesOn`: the last time may go on after the part. */
  buildPart(goesOn: boolean, isThrough: boolean): PartTimeline {
    if (!goesOn) this.addLast();
    const { first, last } = this;
    return { ...this.build(), first, last, isThrough };
  }

  private addLast(): void {
    const { last } = this;
    if (last !== null) super.addTime(last.node, last.startNs, last.endNs, last.isInferred);
    this.last = null;
  }
}

/**
 * Adds time to the strip of a thread.
 *
 * Adds an interval to each slice that it is in.
 */
function addToStrip(
  strip: Strip,
  sliceNs: Nanoseconds,
  activity: Activity,
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
): void {
  let startNs = fromNs;
  while (startNs < toNs) {
    const slice = Math.floor(startNs / sliceNs);
    const endNs = Math.min(toNs, (slice + 1) * sliceNs);
    strip[slice * ACTIVITIES + activity] += endNs - startNs;
    startNs = endNs;
  }
}

type Paths = Pick<CallTree, 'length' | 'parent' | 'symbol'>;

// Finds the nodes of one tree in another: a log refers to replay's tree, which is reduced and ordered for the profile.

/**
 * Returns by node of `from` the node of `to` with the same call path, or NONE. `to` has some of the paths of `from`, in
 * pre-order with siblings by rank. `rank`: by symbol, each different.
 */
export function sameNodes(from: Paths, to: Paths, rank: Int32Array): Int32Array {
  const ranks = from.symbol.map((symbol) => (symbol === NONE ? NONE : rank[symbol]));
  const found = new Int32Array(from.length).fill(NONE);
  found[ROOT] = ROOT;
  let next = ROOT + 1;
  for (const node of nodeOrder(from, ranks)) {
    if (node === ROOT || next === to.length) continue;
    const isSame = to.symbol[next] === from.symbol[node] && to.parent[next] === found[from.parent[node]];
    if (isSame) found[node] = next++;
  }
  return found;
}
