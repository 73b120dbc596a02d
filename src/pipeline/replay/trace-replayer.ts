/**
 * Replays threads of one trace, one after the other, and answers questions about each.
 */

import type { ThreadEventsOfCalls } from '../../analysis/call-events.js';
import { callEvents } from '../../analysis/call-events.js';
import { answerForThread, type CallsAnswer } from '../../analysis/calls/calls-answer.js';
import { type AnswersWithPaths, answerThread, type ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { filterThread } from '../../analysis/log/filter-thread.js';
import { type PlacedCalls, placedCalls } from '../../analysis/log/placed-calls.js';
import { type StackFrame, stackAt } from '../../analysis/log/spans.js';
import type { CallFilter, FunctionSet } from '../../analysis/questions.js';
import {
  type PartTimeline,
  partTimeline,
  sameNodes,
  type ThreadTimeline,
  TimelineMemory,
  threadTimeline,
} from '../../analysis/timeline/thread-timeline.js';
import { type CallLog, ROW_BYTES } from '../../model/calls/call-log.js';
import { type CallTree, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { DurationsBuilder, type FunctionDurations, type HistogramMemory } from '../../model/calls/durations.js';
import type { Shape } from '../../model/calls/overlay.js';
import { sortedTree, totalTimes } from '../../model/calls/tree-view.js';
import type { ThreadChunks } from '../../model/profile/timeline.js';
import { inSharedMemory } from '../../model/shared-memory.js';
import { RECORD_SITES } from '../../model/trace/branch-sites.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Nanoseconds, type SymbolId, type Tid, UNBOUNDED } from '../../model/units.js';
import { passRows } from '../../model/work.js';
import { KnownPaths } from '../../replay/losses/known-paths.js';
import { type MendedThread, mendHits, type Probes } from '../../replay/mend-hits.js';
import { type PartRows, Replayer } from '../../replay/replayer.js';
import { SkeletonBuilder } from '../../replay/skeleton.js';
import { nameSystemCalls } from '../../replay/system-calls.js';
import type { ReplayOptions, ThreadReplay } from '../../replay/thread-replay.js';
import { unfitOutline } from '../../trace/blocks.js';
import { type SharedEvents, SpillFile } from '../../trace/event-memory.js';
import { OutOfOrder } from '../../trace/lanes/lane.js';
import { type LoadedThread, loadThread, type ThreadFacts, type ThreadMemory } from '../../trace/load-thread.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import type { PartOutline } from '../../trace/thread-parts.js';
import { needsCallLog, type Questions, type ReplaySetup } from './replay-setup.js';
import type { KeptCallGroups } from './thread-calls.js';

/** Replays threads of one trace, reusing the same memory. */
export class TraceReplayer {
  private readonly replayer: Replayer;
  private readonly knownPaths: KnownPaths | null;
  /** Of each thread in turn; null: they are not requested. */
  private readonly ownDurations: DurationsBuilder | null;
  private ownSkeletons: SkeletonBuilder | null = null;
  private ownTimelineMemory: TimelineMemory | null = null;

  /** `writers`: of `loadCallWriters`. */
  constructor(
    private readonly trace: ReplaySetup,
    private readonly writers: CallWriters,
  ) {
    this.replayer = new Replayer(trace.siteFacts);
    this.knownPaths = trace.knownPaths && KnownPaths.fromData(trace.knownPaths);
    const isCounted = trace.questions.durations !== null;
    this.ownDurations = isCounted ? new DurationsBuilder({ only: requestedOnly(trace.questions) }) : null;
  }

  private get timelineMemory(): TimelineMemory {
    this.ownTimelineMemory ??= new TimelineMemory();
    return this.ownTimelineMemory;
  }

  private get skeletons(): SkeletonBuilder {
    this.ownSkeletons ??= new SkeletonBuilder(this.trace.siteFacts);
    return this.ownSkeletons;
  }

  /**
   * `space`: memory for its events. `histogram`: memory in which to count
   * durations, shared with other threads; null if durations of all threads together are not requested. `asked`: questions to
   * this thread alone. `maxLogBytes`: keeps its log if it is not larger. `shared`: where its events are.
   */
  replay(
    source: ThreadSource,
    space: Omit<ThreadMemory, 'file'>,
    histogram: HistogramMemory | null,
    asked: ThreadQuestions | null,
    maxLogBytes = 0,
    shared = this.trace.events,
  ): ReplayedThread {
    const file = new SpillFile(shared.directory);
    try {
      return this.replayIn({ ...space, file }, source, histogram, asked, maxLogBytes, shared);
    } finally {
      file.close();
    }
  }

  private replayIn(
    memory: ThreadMemory,
    source: ThreadSource,
    histogram: HistogramMemory | null,
    asked: ThreadQuestions | null,
    maxLogBytes: number,
    shared: SharedEvents,
  ): ReplayedThread {
    const { trace } = this;
    const { events, ...thread } = mended(loadThread(source, shared, trace, memory), trace.probes);
    if (trace.systemCalls) nameSystemCalls(trace.systemCalls, trace.siteFacts, events);
    const part = source.packed?.part ?? null;
    const skeleton = trace.span && this.skeletons.reduce(events, trace.span, part?.outline.jumps);
    if (part !== null && skeleton === null) throw unfitOutline(source.tid);
    const own = histogram ? null : this.ownDurations;
    own?.clear();
    const ofAll = trace.questions.filter === null ? own : null; // else of selected calls, from the log
    const durations = histogram ? new DurationsBuilder({ memory: histogram }) : ofAll;
    const options = { ...this.optionsFor(thread, asked !== null), durations };
    const replay = this.replayer.replay(skeleton?.events ?? events, options);
    const { log } = replay;
    const answered = answerQuestions(source.tid, replay, trace.questions, own);
    const { tree, newId } = sortedTree(answered.replay.tree, trace.symbolRank);
    const isWhole = answered.replay.tree === replay.tree;
    return {
      thread,
      jumpedTo: skeleton?.jumpedTo ?? null,
      answers: asked && log && answerThread(log, replay.tree, asked, trace.symbolRank),
      keptLog: log && maxLogBytes > 0 ? keptLog(log, replay.tree, maxLogBytes) : null,
      ...this.calls(source.tid, replay, tree, isWhole ? newId : null),
      ...answered,
      replay: { ...answered.replay, tree },
    };
  }

  /** Returns what matters of a part of a thread for its other parts; null: it cannot be replayed in parts. */
  outlinePart(part: ThreadSource, space: Omit<ThreadMemory, 'file'>, shared: SharedEvents): PartOutline | null {
    return this.ofPart(part, space, shared, ({ events, ends, clockSteps }) => {
      const outline = this.skeletons.outline(events, [events.length]);
      passRows(events.length);
      if (outline === null) return null;
      const rows = outline.rows.filter((row) => events.siteAt(row) >= RECORD_SITES);
      const site = Uint32Array.from(rows, (row) => events.siteAt(row));
      const timeNs = Float64Array.from(rows, (row) => events.timeAt(row));
      const records = outline.rows.length - rows.length; // an outline has all
      return { site, timeNs, clockSteps, ends, events: events.length - records };
    });
  }

  /** Replays a part of a thread, which has the outlines of the others around it; null: that is not possible. */
  replayPart(part: ThreadSource, space: Omit<ThreadMemory, 'file'>, shared: SharedEvents): ReplayedPart | null {
    return this.ofPart(part, space, shared, ({ events, ends: _, ...thread }) => {
      const own = this.ownDurations;
      own?.clear();
      const options = { ...this.optionsFor(thread, false), durations: own };
      const found = this.replayer.replayPart(events, rowsOfPart(part, events), options);
      if (found === null) return null;
      const { log, firstLogRow, ...replay } = found;
      const { timeline: question } = this.trace.questions;
      const timeline = log && question && partTimeline(log, firstLogRow, replay.tree, question, this.timelineMemory);
      return { thread, replay, durations: own?.build() ?? null, timeline };
    });
  }

  private ofPart<Result>(
    part: ThreadSource,
    space: Omit<ThreadMemory, 'file'>,
    shared: SharedEvents,
    work: (thread: LoadedThread) => Result | null,
  ): Result | null {
    const file = new SpillFile(shared.directory);
    try {
      return work(loadThread(part, shared, this.trace, { ...space, file }));
    } catch (error) {
      if (error instanceof OutOfOrder) return null;
      throw error;
    } finally {
      file.close();
    }
  }

  private optionsFor(thread: ThreadFacts, isAsked: boolean): ReplayOptions {
    const { createdInside, isForked, isIdleTask, exitNs } = thread;
    const { trace, knownPaths } = this;
    const extendTo = isIdleTask ? null : untilExit(trace.options.extendTo, exitNs);
    const wantsLog = needsCallLog(trace.questions) || isAsked;
    const wantsPlaces = trace.questions.placedCalls;
    return { ...trace.options, extendTo, createdInside, isForked, isIdleTask, knownPaths, wantsLog, wantsPlaces };
  }

  /** `shown`: the tree that is handed on. `newId`: by node of the log, its node there; null: it has only some of them. */
  private calls(
    tid: Tid,
    { log, tree }: ThreadReplay,
    shown: CallTree,
    newId: Int32Array | null,
  ): Pick<ReplayedThread, 'timeline' | 'chunks' | 'callRows' | 'longestCalls' | 'placedCalls'> {
    const { questions, symbolRank } = this.trace;
    const { timeline, chunksOf, callRows, longestCalls } = questions;
    if (log === null) return NO_CALLS;
    const callsOfAll = {
      callRows: callRows && (this.writers.rows?.write(tid, log, tree, callRows) ?? null),
      placedCalls: questions.placedCalls ? placedCalls(log, tree, questions.filter?.window ?? UNBOUNDED) : null,
    };
    if (timeline === null && chunksOf === null && longestCalls === null) return { ...NO_CALLS, ...callsOfAll };
    const nodeOf = newId ?? sameNodes(tree, shown, symbolRank);
    const { length, parent, symbol } = shown;
    return {
      timeline:
        timeline &&
        threadTimeline(
          log,
          { length, parent, symbol, totalNs: totalTimes(shown), nodeOf },
          timeline,
          this.timelineMemory,
        ),
      chunks: chunksOf && (this.writers.chunks?.(log, chunksOf, { nodeOf, symbol }) ?? null),
      ...callsOfAll,
      longestCalls: longestCalls && withNodes(callEvents(log, longestCalls), nodeOf),
    };
  }
}

/** Returns the rows of a part's own events and of the records among them: the last part has what follows, too. */
function rowsOfPart({ around }: ThreadSource, events: ThreadEvents): PartRows {
  const isRecord = (row: number) => events.siteAt(row) < RECORD_SITES;
  let firstRow = 0;
  for (let left = around?.before.site.length ?? 0; left > 0; firstRow++) if (!isRecord(firstRow)) left--;
  let endRow = events.length;
  for (let left = around?.after.site.length ?? 0; left > 0; ) if (!isRecord(--endRow)) left--;
  while (endRow < events.length && endRow > firstRow && isRecord(endRow - 1)) endRow--;
  return { firstRow, endRow };
}

export const NO_CALLS = { timeline: null, chunks: null, callRows: null, longestCalls: null, placedCalls: null };

/** `nodeOf`: by node of the events, that of the result. */
function withNodes({ events, ...counts }: ThreadEventsOfCalls, nodeOf: Int32Array): ThreadEventsOfCalls {
  return { events: { ...events, node: events.node.map((node) => nodeOf[node]) }, ...counts };
}

export const NO_TIMES = new Float64Array(0);

/** Takes the damage of probes out of a thread's events. */
function mended(thread: LoadedThread, probes: Probes | null): LoadedThread & Pick<MendedThread, 'mendedNs'> {
  if (probes === null) return { ...thread, mendedNs: NO_TIMES };
  return { ...thread, ...mendHits(probes, thread.events, thread.gaps) };
}

/** A thread is not extended beyond its exit. */
export function untilExit(extendTo: ReplayOptions['extendTo'], exitNs: Nanoseconds): ReplayOptions['extendTo'] {
  return extendTo && { ...extendTo, endNs: Math.min(extendTo.endNs, exitNs) };
}

const NO_FILTER: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

type Answers = Pick<ReplayedThread, 'replay' | 'durations' | 'calls' | 'stack'>;

/**
 * Answers the questions that all threads are asked, for one thread: its part that is selected, its calls, its stack.
 *
 * `own`: has counted its calls, or is to count those that are selected.
 */
function answerQuestions(
  tid: Tid,
  { log, ...replay }: ThreadReplay,
  questions: Questions,
  own: DurationsBuilder | null,
): Answers {
  if (log === null) return { replay, durations: own?.build() ?? null, calls: null, stack: null };
  const { filter, latency, stackAtNs } = questions;
  return {
    ...(filter
      ? filtered(replay, log, filter, own)
      : { replay: { ...replay, tree: withoutEmptyNodes(replay.tree) }, durations: own?.build() ?? null }),
    calls: latency && answerForThread(tid, log, replay.tree, filter ?? NO_FILTER, latency),
    stack: stackAtNs === null ? null : stackAt(log, replay.tree, stackAtNs),
  };
}

function filtered(
  replay: ReplayedThread['replay'],
  log: CallLog,
  filter: CallFilter,
  own: DurationsBuilder | null,
): Pick<ReplayedThread, 'replay' | 'durations'> {
  const startNs = Math.max(replay.startNs, filter.window?.startNs ?? replay.startNs);
  const endNs = Math.max(startNs, Math.min(replay.endNs, filter.window?.endNs ?? replay.endNs));
  const { lostAt, durations, ...numbers } = filterThread(log, replay.tree, filter, own);
  const isOfAll = filter.inside.length === 0 && filter.root === null;
  const lost = replay.lost.map((gap) => ({ ...gap, isInside: isOfAll || lostAt.has(gap.atNs) }));
  return { replay: { ...replay, ...numbers, lost, startNs, endNs }, durations };
}

/** If latency is requested, only the durations of those functions are needed. */
function requestedOnly({ latency }: Questions): FunctionSet | null {
  return latency?.calls.functions ?? null;
}

/** What is counted in a part of a thread. */
export interface ReplayedPart extends Pick<ReplayedThread, 'durations'> {
  readonly timeline: PartTimeline | null;
  readonly thread: ThreadFacts;
  readonly replay: Omit<ThreadReplay, 'log'>;
}

/** A thread and its replay: plain data, so that workers can hand it on. */
export interface ReplayedThread {
  readonly thread: ThreadFacts & Pick<MendedThread, 'mendedNs'>;
  /** Its numbers cover only the selection. The tree is in pre-order with siblings by `symbolRank`. */
  readonly replay: Omit<ThreadReplay, 'log'>;
  /** Of its complete calls; null if not requested, or counted in a histogram pool. */
  readonly durations: FunctionDurations | null;
  readonly calls: CallsAnswer | null;
  readonly stack: readonly StackFrame[] | null;
  /** Its nodes are those of the tree. */
  readonly timeline: ThreadTimeline | null;
  /** All its calls; null if not requested. Its nodes are those of the tree. */
  readonly chunks: ThreadChunks | null;
  /** All its calls as row groups of a Parquet file, which are in the file of the question; null: not requested. */
  readonly callRows: KeptCallGroups | null;
  /** The longest calls; null: not requested. Nodes are those of the tree. */
  readonly longestCalls: ThreadEventsOfCalls | null;
  /** null: not requested. */
  readonly placedCalls: readonly PlacedCalls[] | null;
  /** null: it was asked nothing of its own. */
  readonly answers: AnswersWithPaths | null;
  /** For later questions; null: not requested, or too large. */
  readonly keptLog: KeptLog | null;
  /** If only a skeleton was replayed: the functions to which control moved without an event; else null. */
  readonly jumpedTo: readonly SymbolId[] | null;
}

// Call logs that outlive the replay of their threads, so that later questions are answered without replaying these again.

/** In shared memory. */
export interface KeptLog {
  readonly log: CallLog;
  /** The call paths of the log's nodes. */
  readonly paths: Shape;
}

export const NODE_BYTES = 8;

/** Copies the log, which the next replay overwrites; null: it is larger. */
export function keptLog(log: CallLog, { length, parent, symbol }: CallTree, maxBytes: number): KeptLog | null {
  const { place: _, ...kept } = log; // no question is about places
  if (ROW_BYTES * log.length + kept.farNs.byteLength + NODE_BYTES * length > maxBytes) return null;
  return inSharedMemory({ log: kept, paths: { length, parent, symbol } });
}

interface AnswerTask {
  readonly kept: KeptLog;
  readonly questions: ThreadQuestions;
  readonly symbolRank: Int32Array;
}

/** Answers from a kept log, as a task for any worker. */
export function answerFromLog({ kept: { log, paths }, questions, symbolRank }: AnswerTask): AnswersWithPaths {
  return answerThread(log, paths, questions, symbolRank);
}

/** What writes all calls of a thread into files; null: not requested. */
interface CallWriters {
  readonly chunks: typeof import('./thread-calls.js').threadChunks | null;
  readonly rows: import('./thread-calls.js').ThreadCallRows | null;
}

export async function loadCallWriters({ chunksOf, callRows }: Questions): Promise<CallWriters> {
  return {
    chunks: chunksOf && (await import('./thread-calls.js')).threadChunks,
    rows: callRows && new (await import('./thread-calls.js')).ThreadCallRows(),
  };
}
