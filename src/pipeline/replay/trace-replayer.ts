/**
 * Replays threads of one trace, one after the other, and answers questions about each.
 */
import { callEvents } from '../../analysis/call-events/call-events.js';
import type { ThreadEventsOfCalls } from '../../analysis/call-events/question.js';
import { answerForThread, type CallsAnswer } from '../../analysis/calls/calls-answer.js';
import { type AnswersWithPaths, answerThread, type ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { filterThread } from '../../analysis/log/filter-thread.js';
import { type StackFrame, stackAt } from '../../analysis/log/stack-at.js';
import type { CallFilter, FunctionSet } from '../../analysis/questions.js';
import type { TimelineQuestion } from '../../analysis/timeline/question.js';
import { sameNodes } from '../../analysis/timeline/renumber.js';
import {
  type ShownPaths,
  type ThreadTimeline,
  TimelineMemory,
  threadTimeline,
} from '../../analysis/timeline/thread-timeline.js';
import type { CallGroups } from '../../export/parquet/call-groups.js';
import type { CallLog } from '../../model/calls/call-log.js';
import { type CallTree, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { DurationsBuilder, type FunctionDurations, type HistogramMemory } from '../../model/calls/durations.js';
import { TreeSorter } from '../../model/calls/tree-sorter.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import type { ThreadChunks } from '../../model/timeline/call-chunks.js';
import type { Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import { KnownPaths } from '../../replay/losses/known-paths.js';
import { type MendedThread, mendHits, type Probes } from '../../replay/probes/mend-hits.js';
import { Replayer } from '../../replay/replayer.js';
import { SkeletonBuilder } from '../../replay/skeleton/skeleton.js';
import type { ReplayOptions, ThreadReplay } from '../../replay/thread-replay.js';
import { type LoadedThread, loadThread, type ThreadFacts } from '../../store/load-thread.js';
import type { ThreadSource } from '../../store/thread-source.js';
import { type KeptLog, keptLog } from './kept-logs.js';
import { needsCallLog, type Questions, type ReplaySetup } from './replay-setup.js';

/** A thread and its replay. */
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
  /** All its calls as row groups of a Parquet file; null: not requested. */
  readonly callRows: CallGroups | null;
  /** The longest calls; null: not requested. Nodes are those of the tree. */
  readonly longestCalls: ThreadEventsOfCalls | null;
  /** null: it was asked nothing of its own. */
  readonly answers: AnswersWithPaths | null;
  /** For later questions; null: not requested, or too large. */
  readonly keptLog: KeptLog | null;
  /** If only a skeleton was replayed: the functions to which control moved without an event; else null. */
  readonly jumpedTo: readonly SymbolId[] | null;
}

const NO_FILTER: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

/** Replays threads of one trace, reusing the same memory. */
export class TraceReplayer {
  private readonly trace: ReplaySetup;
  private readonly replayer: Replayer;
  private readonly sorter: TreeSorter;
  private readonly writers: CallWriters;
  private readonly knownPaths: KnownPaths | null;
  /** Of each thread in turn; null if they are not requested, or derived from the call log. */
  private readonly ownDurations: DurationsBuilder | null;
  private readonly skeletons: SkeletonBuilder | null;
  private timelineMemory: TimelineMemory | null = null;

  /** `writers`: of `loadCallWriters`. */
  constructor(trace: ReplaySetup, writers: CallWriters) {
    this.trace = trace;
    this.writers = writers;
    this.skeletons = trace.span && new SkeletonBuilder(trace.siteFacts);
    this.replayer = new Replayer(trace.siteFacts);
    this.sorter = new TreeSorter(trace.symbolRank);
    this.knownPaths = trace.knownPaths && KnownPaths.fromData(trace.knownPaths);
    const { durations, filter } = trace.questions;
    const isCounted = durations !== null && filter === null;
    this.ownDurations = isCounted ? new DurationsBuilder({ only: requestedOnly(trace.questions) }) : null;
  }

  /**
   * `buffer`: memory in which to order its events, of the size that `threadBytes` returns. `histogram`: memory in which to count
   * durations, shared with other threads; null if durations of all threads together are not requested. `asked`: questions to
   * this thread alone. `maxLogBytes`: keeps its log if it is not larger.
   */
  replay(
    source: ThreadSource,
    buffer: ArrayBuffer | SharedArrayBuffer,
    histogram: HistogramMemory | null,
    asked: ThreadQuestions | null,
    maxLogBytes = 0,
  ): ReplayedThread {
    const { trace, knownPaths } = this;
    const { events, ...thread } = mended(loadThread(source, trace.events, trace, buffer), trace.probes);
    const skeleton = this.skeletons && trace.span && this.skeletons.reduce(events, trace.span);
    const { createdInside, exitNs } = thread;
    const { questions } = trace;
    const extendTo = untilExit(trace.options.extendTo, exitNs);
    const own = histogram ? null : this.ownDurations;
    own?.clear();
    const durations = histogram ? new DurationsBuilder({ memory: histogram }) : own;
    const wantsLog = needsCallLog(questions) || asked !== null;
    const options = { ...trace.options, extendTo, createdInside, knownPaths, wantsLog, durations };
    const replay = this.replayer.replay(skeleton?.events ?? events, options);
    const answersToAsked = asked && replay.log && answerThread(replay.log, replay.tree, asked, trace.symbolRank);
    const kept = replay.log && maxLogBytes > 0 ? keptLog(replay.log, replay.tree, maxLogBytes) : null;
    const answered = answers(source.tid, replay, questions);
    const { tree, newId } = this.sorter.sort(answered.replay.tree);
    const isWhole = answered.replay.tree === replay.tree;
    const calls = this.calls(source.tid, replay, tree, isWhole ? newId : null);
    const jumpedTo = skeleton?.jumpedTo ?? null;
    return {
      ...{
        thread,
        durations: own?.build() ?? null,
        jumpedTo,
        answers: answersToAsked,
        keptLog: kept,
        ...calls,
      },
      ...answered,
      replay: { ...answered.replay, tree },
    };
  }

  /** `shown`: the tree that is handed on. `newId`: by node of the log, its node there; null: it has only some of them. */
  private calls(
    tid: Tid,
    { log, tree }: ThreadReplay,
    shown: CallTree,
    newId: Int32Array | null,
  ): Pick<ReplayedThread, 'timeline' | 'chunks' | 'callRows' | 'longestCalls'> {
    const { questions, symbolRank } = this.trace;
    const { timeline, chunksOf, callRows, longestCalls } = questions;
    if (log === null) return NO_CALLS;
    const rows = callRows && (this.writers.rows?.(tid, log, tree, callRows) ?? null);
    if (timeline === null && chunksOf === null && longestCalls === null) return { ...NO_CALLS, callRows: rows };
    const nodeOf = newId ?? sameNodes(tree, shown, symbolRank);
    const { length, parent, symbol } = shown;
    return {
      timeline:
        timeline && this.timeline(log, { length, parent, symbol, totalNs: totalTimes(shown), nodeOf }, timeline),
      chunks: chunksOf && (this.writers.chunks?.(log, chunksOf, nodeOf) ?? null),
      callRows: rows,
      longestCalls: longestCalls && withNodes(callEvents(log, longestCalls), nodeOf),
    };
  }

  private timeline(log: CallLog, paths: ShownPaths, question: TimelineQuestion): ThreadTimeline {
    this.timelineMemory ??= new TimelineMemory();
    return threadTimeline(log, paths, question, this.timelineMemory);
  }
}

const NO_CALLS = { timeline: null, chunks: null, callRows: null, longestCalls: null };

/** `nodeOf`: by node of the events, that of the result. */
function withNodes({ events, ...counts }: ThreadEventsOfCalls, nodeOf: Int32Array): ThreadEventsOfCalls {
  return { events: { ...events, node: events.node.map((node) => nodeOf[node]) }, ...counts };
}

/** What writes all calls of a thread into files; null: not requested. */
interface CallWriters {
  readonly chunks: typeof import('./thread-chunks.js').threadChunks | null;
  readonly rows: typeof import('./thread-call-rows.js').threadCallRows | null;
}

export async function loadCallWriters({ chunksOf, callRows }: Questions): Promise<CallWriters> {
  return {
    chunks: chunksOf && (await import('./thread-chunks.js')).threadChunks,
    rows: callRows && (await import('./thread-call-rows.js')).threadCallRows,
  };
}

const NO_TIMES = new Float64Array(0);

/** Takes the damage of probes out of a thread's events. */
function mended(thread: LoadedThread, probes: Probes | null): LoadedThread & Pick<MendedThread, 'mendedNs'> {
  if (probes === null) return { ...thread, mendedNs: NO_TIMES };
  return { ...thread, ...mendHits(probes, thread.events, thread.gaps) };
}

/** If latency is requested, only the durations of those functions are needed. */
function requestedOnly({ latency }: Questions): FunctionSet | null {
  return latency?.calls.functions ?? null;
}

type Answers = Pick<ReplayedThread, 'replay' | 'calls' | 'stack'> & Partial<Pick<ReplayedThread, 'durations'>>;

function answers(tid: Tid, { log, ...replay }: ThreadReplay, questions: Questions): Answers {
  if (log === null) return { replay, calls: null, stack: null };
  const { filter, latency, stackAtNs } = questions;
  return {
    ...(filter
      ? filtered(replay, log, questions, filter)
      : { replay: { ...replay, tree: withoutEmptyNodes(replay.tree) } }),
    calls: latency && answerForThread(tid, log, replay.tree, filter ?? NO_FILTER, latency),
    stack: stackAtNs === null ? null : stackAt(log, replay.tree, stackAtNs),
  };
}

function filtered(
  replay: ReplayedThread['replay'],
  log: CallLog,
  questions: Questions,
  filter: CallFilter,
): Pick<ReplayedThread, 'replay' | 'durations'> {
  const startNs = Math.max(replay.startNs, filter.window?.startNs ?? replay.startNs);
  const endNs = Math.max(startNs, Math.min(replay.endNs, filter.window?.endNs ?? replay.endNs));
  const { lostAt, durations, ...numbers } = filterThread(log, replay.tree, filter, requestedOnly(questions));
  const isOfAll = filter.inside.length === 0 && filter.root === null;
  const lost = replay.lost.map((gap) => ({ ...gap, isInside: isOfAll || lostAt.has(gap.atNs) }));
  const wantsDurations = questions.durations !== null;
  return { replay: { ...replay, ...numbers, lost, startNs, endNs }, durations: wantsDurations ? durations : null };
}

/** A thread is not extended beyond its exit. */
export function untilExit(extendTo: ReplayOptions['extendTo'], exitNs: Nanoseconds): ReplayOptions['extendTo'] {
  return extendTo && { ...extendTo, endNs: Math.min(extendTo.endNs, exitNs) };
}
