/**
 * The replay of one thread, as a task that runs anywhere: plain data in, plain data out.
 */
import { answerForThread, type CallsAnswer } from '../../analysis/calls/calls-answer.js';
import { filterThread } from '../../analysis/log/filter-thread.js';
import { type StackFrame, stackAt } from '../../analysis/log/stack-at.js';
import type { CallFilter, FunctionSet, LatencyQuestion } from '../../analysis/questions.js';
import type { CallLog } from '../../model/calls/call-log.js';
import { withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { type DurationBlocks, DurationsBuilder, type HistogramMemory } from '../../model/calls/durations.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { SiteFacts } from '../../replay/functions/site-facts.js';
import { KnownPaths, type KnownPathsData } from '../../replay/losses/known-paths.js';
import { Replayer } from '../../replay/replayer.js';
import type { ReplayOptions, ThreadReplay } from '../../replay/thread-replay.js';
import { loadThread, type ThreadFacts } from '../../store/load-thread.js';
import type { SharedEvents } from '../../store/runs/event-memory.js';
import type { ThreadSource } from '../../store/thread-source.js';

/** What is asked of each thread. */
export interface Questions {
  /** null: all of it is looked at. */
  readonly filter: CallFilter | null;
  /** How long the calls of functions took: of each thread, or of all threads together; null: nobody asks. */
  readonly durations: 'apart' | 'together' | null;
  readonly latency: LatencyQuestion | null;
  /** When its stack is to be told. */
  readonly stackAtNs: Nanoseconds | null;
}

/** What all threads of a trace have in common. */
export interface ReplaySetup {
  readonly siteFacts: SiteFacts;
  /** Of branch sites, where the trace begins and ends. */
  readonly edge: Uint8Array;
  readonly events: SharedEvents;
  readonly options: Pick<ReplayOptions, 'tailCalls' | 'extendTo' | 'mayBeUndecoded'>;
  readonly questions: Questions;
  /** Paths seen in all threads; null while they are still being collected. */
  readonly knownPaths: KnownPathsData | null;
}

/** A thread, and what became of it. */
export interface ReplayedThread {
  readonly thread: ThreadFacts;
  /** Of its numbers, only those of what is looked at. */
  readonly replay: Omit<ThreadReplay, 'log'>;
  /** Of its complete calls; null if nobody asks, or if they were counted elsewhere. */
  readonly durations: DurationBlocks | null;
  readonly calls: CallsAnswer | null;
  readonly stack: readonly StackFrame[] | null;
}

/** Sums do not tell: the thread's log is needed. */
export function needsCallLog({ filter, latency, stackAtNs }: Questions): boolean {
  return filter !== null || latency !== null || stackAtNs !== null;
}

const EVERYTHING: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

/** Replays threads of one trace in the same memory. */
export class TraceReplayer {
  private readonly trace: ReplaySetup;
  private readonly replayer: Replayer;
  private readonly knownPaths: KnownPaths | null;

  constructor(trace: ReplaySetup) {
    this.trace = trace;
    this.replayer = new Replayer(trace.siteFacts);
    this.knownPaths = trace.knownPaths && KnownPaths.fromData(trace.knownPaths);
  }

  /**
   * `buffer`: memory to put its events in order, as large as `threadBytes` says. `counts`: where it is counted how long calls
   * took, with those of other threads; null if nobody asks for these together.
   */
  replay(
    source: ThreadSource,
    buffer: ArrayBuffer | SharedArrayBuffer,
    counts: HistogramMemory | null,
  ): ReplayedThread {
    const { trace, knownPaths } = this;
    const { events, ...thread } = loadThread(source, trace.events, trace, buffer);
    const { createdInside, exitNs } = thread;
    const { questions } = trace;
    const extendTo = untilExit(trace.options.extendTo, exitNs);
    const own =
      questions.durations === null || questions.filter || counts
        ? null
        : new DurationsBuilder({ only: askedOnly(questions) });
    const durations = counts ? new DurationsBuilder({ memory: counts }) : own;
    const wantsLog = needsCallLog(questions);
    const options = { ...trace.options, extendTo, createdInside, knownPaths, wantsLog, durations };
    const replay = this.replayer.replay(events, options);
    return { thread, durations: own?.copy() ?? null, ...answers(source.tid, replay, questions) };
  }
}

/** Of one function nobody asks how long the calls of others took. */
function askedOnly({ latency }: Questions): FunctionSet | null {
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
    calls: latency && answerForThread(tid, log, replay.tree, filter ?? EVERYTHING, latency),
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
  const { lostAt, durations, ...numbers } = filterThread(log, replay.tree, filter, askedOnly(questions));
  const isOfAll = filter.inside.length === 0 && filter.root === null;
  const lost = replay.lost.map((stretch) => ({ ...stretch, isInside: isOfAll || lostAt.has(stretch.atNs) }));
  const wantsDurations = questions.durations !== null;
  return { replay: { ...replay, ...numbers, lost, startNs, endNs }, durations: wantsDurations ? durations : null };
}

/** A thread that ended waits no longer. */
export function untilExit(extendTo: ReplayOptions['extendTo'], exitNs: Nanoseconds): ReplayOptions['extendTo'] {
  return extendTo && { ...extendTo, endNs: Math.min(extendTo.endNs, exitNs) };
}

export interface ReplayTask {
  /** The same for all threads: its columns are in shared memory. */
  readonly trace: ReplaySetup;
  readonly source: ThreadSource;
  /** To put its events in order. */
  readonly buffer: SharedArrayBuffer;
  /** To count in how long calls took; null if nobody asks, or if the thread tells it itself. */
  readonly counts: HistogramMemory | null;
}

/** Of this thread of the program. */
let replayer: TraceReplayer | null = null;
let knowsPaths = false;

/** A task of one that replays threads of a single trace. */
export function replayThread(task: ReplayTask): ReplayedThread {
  const hasKnownPaths = task.trace.knownPaths !== null; // nothing else of a trace changes
  if (replayer === null || knowsPaths !== hasKnownPaths) replayer = new TraceReplayer(task.trace);
  knowsPaths = hasKnownPaths;
  return replayer.replay(task.source, task.buffer, task.counts);
}
