/**
 * What all threads of a trace share when they are replayed: facts about sites, options, and questions.
 */

import type { EventsQuestion } from '../../analysis/call-events.js';
import { boundsOfQuestions, type ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { CallFilter, LatencyQuestion } from '../../analysis/questions.js';
import type { TimelineQuestion } from '../../analysis/timeline/resolution.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';
import type { SiteFacts } from '../../replay/functions/site-facts.js';
import type { KnownPathsData } from '../../replay/losses/known-paths.js';
import type { Probes } from '../../replay/mend-hits.js';
import type { SystemCalls } from '../../replay/system-calls.js';
import type { ReplayOptions } from '../../replay/thread-replay.js';
import type { SharedEvents } from '../../trace/event-memory.js';
import type { CallRowsQuestion } from './thread-calls.js';

/** The questions that each thread is to answer. */
export interface Questions {
  /** null: all of it is selected. */
  readonly filter: CallFilter | null;
  /** Durations of calls: per thread, or of all threads together; null: not requested. */
  readonly durations: 'apart' | 'together' | null;
  readonly latency: LatencyQuestion | null;
  /** The time at which to take its stack. */
  readonly stackAtNs: Nanoseconds | null;
  /** The timeline; null: not requested. */
  readonly timeline: TimelineQuestion | null;
  /** The time of which all calls are wanted; null: not requested. */
  readonly chunksOf: Bounds | null;
  /** All calls as rows of a table; null: not requested. */
  readonly callRows: CallRowsQuestion | null;
  /** The longest calls; null: not requested. */
  readonly longestCalls: EventsQuestion | null;
  /** The calls by where in the code they are made. */
  readonly placedCalls: boolean;
}

export const NO_QUESTIONS: Questions = {
  filter: null,
  durations: null,
  latency: null,
  stackAtNs: null,
  timeline: null,
  chunksOf: null,
  callRows: null,
  longestCalls: null,
  placedCalls: false,
};

/** Questions to single threads. */
export type AskedThreads = ReadonlyMap<Tid, ThreadQuestions>;

export const NOTHING_ASKED: AskedThreads = new Map();

/** What is known of a trace, whatever it is asked. */
export interface ReplayFacts {
  readonly siteFacts: SiteFacts;
  /** By symbol: the order of siblings in trees. */
  readonly symbolRank: Int32Array;
  /** Per site: whether the trace begins or ends there. */
  readonly edge: Uint8Array;
  readonly events: SharedEvents;
  /** Probes whose hits damaged the trace; null: there are none. */
  readonly probes: Probes | null;
  /** Those whose names are known; null: there are none. */
  readonly systemCalls: SystemCalls | null;
}

/** What all threads of a trace share. */
export interface ReplaySetup extends ReplayFacts {
  readonly options: Pick<
    ReplayOptions,
    'tailCalls' | 'fibers' | 'scheduler' | 'extendTo' | 'mayBeUndecoded' | 'onlyPairs'
  >;
  readonly questions: Questions;
  /** Outside this time only what matters in it is replayed; null: all is replayed. */
  readonly span: Bounds | null;
  /** Paths seen in all threads; null while they are still being collected. */
  readonly knownPaths: KnownPathsData | null;
}

/** Outlines tell what matters outside of a part of the time, if that follows from the branches and their sites alone. */
export function canUseOutlines({ siteFacts, probes, systemCalls }: ReplaySetup): boolean {
  return siteFacts.learned === 0 && probes === null && systemCalls === null;
}

/** Whether sums are not enough to answer: the thread's call log is needed. */
export function needsCallLog(questions: Questions): boolean {
  const { filter, latency, stackAtNs, timeline, chunksOf, callRows, longestCalls, placedCalls } = questions;
  return (
    placedCalls ||
    [filter, latency, stackAtNs, timeline, chunksOf, callRows, longestCalls].some((question) => question !== null)
  );
}

/** Returns how often the events of a thread are passed: paired, executed, and walked through in a log. */
export function passesOf(questions: Questions): number {
  return needsCallLog(questions) ? 3 : 2;
}

/**
 * Returns the time that the questions are about; null: all of it, or they need the call paths of all of it. Rows of calls
 * are handed on at once, so they cannot wait for skeletons to turn out not to be enough. `asked`: the questions to single
 * threads.
 */
export function spanOf({ filter, stackAtNs, callRows }: Questions, asked: AskedThreads = NOTHING_ASKED): Bounds | null {
  if (!filter?.window || callRows !== null) return null;
  const stackBounds = stackAtNs === null ? [] : [{ startNs: stackAtNs, endNs: stackAtNs + 1 }];
  return spanAround([filter.window, ...stackBounds, ...boundsOfAll(asked)]);
}

/** Returns the time that questions to single threads are about; null: all of it. */
export function spanOfAsked(asked: AskedThreads): Bounds | null {
  return spanAround(boundsOfAll(asked));
}

function boundsOfAll(asked: AskedThreads): Bounds[] {
  return [...asked.values()].map(boundsOfQuestions);
}

/** Returns null if it is all of the time. */
function spanAround(all: readonly Bounds[]): Bounds | null {
  const startNs = all.reduce((first, bounds) => Math.min(first, bounds.startNs), Number.POSITIVE_INFINITY);
  const endNs = all.reduce((last, bounds) => Math.max(last, bounds.endNs), Number.NEGATIVE_INFINITY);
  return startNs === Number.NEGATIVE_INFINITY && endNs === Number.POSITIVE_INFINITY ? null : { startNs, endNs };
}
