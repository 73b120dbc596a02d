/**
 * The replay of one thread, as a task that runs anywhere: plain data in, plain data out.
 */
import { answerOf, type CallsAnswer } from '../analysis/calls-answer.js';
import { filterThread } from '../analysis/filter-thread.js';
import type { CallFilter, LatencyQuestion } from '../analysis/questions.js';
import { type StackFrame, stackAt } from '../analysis/stack-at.js';
import type { CallLog } from '../model/call-log.js';
import { withoutEmptyNodes } from '../model/call-tree.js';
import type { Nanoseconds, Tid } from '../model/units.js';
import { Contexts, type Lessons } from '../replay/contexts.js';
import { Replayer, type ReplayOptions, type ThreadReplay } from '../replay/replay.js';
import type { SiteFacts } from '../replay/site-facts.js';
import type { SharedEvents } from '../store/event-memory.js';
import { loadThread, type ThreadFacts, type ThreadSource } from '../store/thread-source.js';

/** What is asked of each thread. */
export interface Questions {
  /** null: all of it is looked at. */
  readonly filter: CallFilter | null;
  /** How long the calls of each function took. */
  readonly wantsDurations: boolean;
  readonly latency: LatencyQuestion | null;
  /** When its stack is to be told. */
  readonly stackAtNs: Nanoseconds | null;
}

/** What all threads of a trace have in common. */
export interface ReplayedTrace {
  readonly facts: SiteFacts;
  /** Of branch sites, where the trace begins and ends. */
  readonly edge: Uint8Array;
  readonly events: SharedEvents;
  readonly options: Pick<ReplayOptions, 'tailCalls' | 'extendTo'>;
  readonly questions: Questions;
  /** What all threads teach; null while it is still being learned. */
  readonly lessons: Lessons | null;
}

/** A thread, and what became of it. */
export interface ReplayedThread {
  readonly thread: ThreadFacts;
  /** Of its numbers, only those of what is looked at. */
  readonly replay: Omit<ThreadReplay, 'log'>;
  readonly calls: CallsAnswer | null;
  readonly stack: readonly StackFrame[] | null;
}

/** Sums do not tell: the thread's log is needed. */
export function asksForCalls({ filter, latency, stackAtNs }: Questions): boolean {
  return filter !== null || latency !== null || stackAtNs !== null;
}

const EVERYTHING: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

/** Replays threads of one trace in the same memory. */
export class TraceReplayer {
  private readonly trace: ReplayedTrace;
  private readonly replayer: Replayer;
  private readonly contexts: Contexts | null;

  constructor(trace: ReplayedTrace) {
    this.trace = trace;
    this.replayer = new Replayer(trace.facts);
    this.contexts = trace.lessons && Contexts.of(trace.lessons);
  }

  /** `buffer`: memory to put its events in order, as large as `threadBytes` says. */
  replay(source: ThreadSource, buffer: ArrayBuffer | SharedArrayBuffer): ReplayedThread {
    const { trace, contexts } = this;
    const { events, ...thread } = loadThread(source, trace.events, trace, buffer);
    const { isCreatedInside, exitNs } = thread;
    const { filter, wantsDurations } = trace.questions;
    const wantsLog = asksForCalls(trace.questions);
    const extendTo = whileAlive(trace.options.extendTo, exitNs);
    const counting = { wantsLog, wantsDurations: wantsDurations && filter === null };
    const options = { ...trace.options, extendTo, isCreatedInside, contexts, ...counting };
    return { thread, ...answers(source.tid, this.replayer.replay(events, options), trace.questions) };
  }
}

function answers(tid: Tid, { log, ...replay }: ThreadReplay, questions: Questions): Omit<ReplayedThread, 'thread'> {
  if (log === null) return { replay, calls: null, stack: null };
  const { filter, latency, stackAtNs } = questions;
  return {
    replay: filter ? filtered(replay, log, filter) : { ...replay, tree: withoutEmptyNodes(replay.tree) },
    calls: latency && answerOf(tid, log, replay.tree, filter ?? EVERYTHING, latency),
    stack: stackAtNs === null ? null : stackAt(log, replay.tree, stackAtNs),
  };
}

function filtered(replay: ReplayedThread['replay'], log: CallLog, filter: CallFilter): ReplayedThread['replay'] {
  const startNs = Math.max(replay.startNs, filter.window?.startNs ?? replay.startNs);
  const endNs = Math.max(startNs, Math.min(replay.endNs, filter.window?.endNs ?? replay.endNs));
  const { lostAt, ...numbers } = filterThread(log, replay.tree, filter);
  const isOfAll = filter.inside.length === 0 && filter.root === null;
  const lost = replay.lost.map((stretch) => ({ ...stretch, isInside: isOfAll || lostAt.has(stretch.atNs) }));
  return { ...replay, ...numbers, lost, startNs, endNs };
}

/** A thread that ended waits no longer. */
export function whileAlive(extendTo: ReplayOptions['extendTo'], exitNs: Nanoseconds): ReplayOptions['extendTo'] {
  return extendTo && { ...extendTo, endNs: Math.min(extendTo.endNs, exitNs) };
}
