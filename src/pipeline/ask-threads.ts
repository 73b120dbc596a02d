/**
 * Asks threads about many moments and intervals of their own, which are known only once the trace is read: those of its
 * switches and samples, or those that earlier answers led to.
 */

import {
  type AnswersWithPaths,
  boundsOfQuestions,
  joinAnswers,
  type LogAnswers,
  type ThreadQuestions,
} from '../analysis/log/answer-thread.js';
import type { FunctionSet } from '../analysis/questions.js';
import type { LongestCalls } from '../model/calls/call-events.js';
import { ROW_BYTES } from '../model/calls/call-log.js';
import { assert } from '../model/errors.js';
import type { Profile } from '../model/profile/profile.js';
import type { Timeline } from '../model/profile/timeline.js';
import { inSharedMemory } from '../model/shared-memory.js';
import type { SymbolTable } from '../model/symbol-table.js';
import type { Bounds, Nanoseconds, Tid } from '../model/units.js';
import type { StoredThreads } from '../trace/stored-threads.js';
import type { AnalyzeOptions } from './analyze.js';
import type { TraceSource } from './open-sources.js';
import type { AnalyzedInput } from './read/read-trace.js';
import type { Trace } from './read/trace.js';
import { type FunctionPattern, findFunctions } from './replay/find-functions.js';
import type { LineCalls } from './replay/name-functions.js';
import { type AskedThreads, NO_QUESTIONS, spanOfAsked } from './replay/replay-setup.js';
import { replayThreads } from './replay/replay-threads.js';
import { answerFromLog, type KeptLog, NODE_BYTES } from './replay/trace-replayer.js';
import { type FinishedReplay, type PreparedReplay, prepareReplay, replayPrepared } from './replay-trace.js';
import { type WorkResources, withTrace } from './with-trace.js';
import type { WorkerPool } from './workers/worker-pool.js';

export interface AskedProfile {
  readonly profile: Profile;
  /** null: not requested. */
  readonly timeline: Timeline | null;
  /** null: not requested. */
  readonly longestCalls: LongestCalls | null;
  /** null: not requested. */
  readonly lineCalls: readonly LineCalls[] | null;
  readonly answers: LogAnswers;
  /** From the profile's time to the trace's, which questions and answers have. */
  readonly shiftNs: Nanoseconds;
}

/** Reads a trace and hands it to a function, which may ask its threads for as long as it runs. */
export function askThreads<Result>(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: AnalyzeOptions,
  work: (trace: AskableTrace) => Promise<Result>,
): Promise<Result> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false, isPart: options.window !== undefined };
  return withTrace(inputs, withOptions, (trace, resources) => work(new AskableTrace(trace, options, resources)));
}

export class AskableTrace {
  private readonly prepared: PreparedReplay;
  private replayed: FinishedReplay | null = null;

  constructor(
    trace: Trace,
    private readonly options: AnalyzeOptions,
    private readonly resources: WorkResources,
  ) {
    this.prepared = prepareReplay(trace, options, {});
  }

  get trace(): Trace {
    return this.prepared.trace;
  }

  /** Those of the profile and of all answers. */
  get symbols(): SymbolTable {
    return this.prepared.symbols;
  }

  /** @throws PtflameError NO_SUCH_FUNCTION or BAD_OPTION */
  functions(pattern: FunctionPattern): FunctionSet {
    return findFunctions(pattern, this.symbols);
  }

  /**
   * Replays all threads. The selection in the options matters for the profile, not for the answers. `keepsLogs`: more
   * questions will follow to the same threads.
   */
  async replay(asked: AskedThreads, keepsLogs = false): Promise<AskedProfile> {
    const { pool, memoryBytes, logBytes } = this.resources;
    const logLimits = logLimitsOf(keepsLogs ? asked.keys() : [], this.trace.store, logBytes);
    const help = { pool, memoryBytes: keepsLogs ? memoryBytes - logBytes : memoryBytes, logLimits };
    this.replayed = await replayPrepared(this.prepared, this.options, help, asked);
    const { profile, timeline, longestCalls, lineCalls, answers, shiftNs } = this.replayed;
    return { profile, timeline, longestCalls, lineCalls, answers, shiftNs };
  }

  /** Asks further questions after `replay`: threads whose logs were not kept are replayed again. */
  async ask(asked: AskedThreads): Promise<LogAnswers> {
    assert(this.replayed !== null, 'threads are asked before they were replayed');
    const { logs, setup } = this.replayed;
    const isKept = (tid: Tid, questions: ThreadQuestions) => logs.has(tid) && coversTime(setup.span, questions);
    const [ofLogs, others] = divided(asked, isKept);
    const answers = await askLogs(logs, ofLogs, this.prepared.setup.symbolRank, this.resources.pool);
    for await (const [tid, own] of this.replayAgain(others, this.replayed)) answers.set(tid, own);
    return joinAnswers(answers, this.prepared.setup.symbolRank);
  }

  /** Only the threads that are asked are replayed, and outside of the time that they are asked about only their skeletons. */
  private async *replayAgain(
    asked: AskedThreads,
    { again: { tids, knownPaths }, setup: replayed }: FinishedReplay,
  ): AsyncGenerator<readonly [Tid, AnswersWithPaths]> {
    const { store } = this.trace;
    const setup = { ...replayed, questions: NO_QUESTIONS, span: spanOfAsked(asked) };
    for (const isAgain of [false, true]) {
      const some = store.tids.filter((tid) => asked.has(tid) && tids.has(tid) === isAgain);
      const own = isAgain ? { ...setup, knownPaths } : setup;
      const help = { ...this.resources, histograms: null };
      for await (const [tid, thread] of replayThreads(some, store, own, help, asked))
        if (thread.answers) yield [tid, thread.answers];
    }
  }
}

function divided(asked: AskedThreads, isFirst: (tid: Tid, questions: ThreadQuestions) => boolean): AskedThreads[] {
  const all = [...asked];
  return [true, false].map((which) => new Map(all.filter(([tid, questions]) => isFirst(tid, questions) === which)));
}

/** There are seldom more rows or nodes than events. */
const BYTES_PER_EVENT = ROW_BYTES + NODE_BYTES;
const MIN_BYTES = 4096;

/**
 * Decides which call logs are kept, and asks them: as many as fit into a part of the memory.
 *
 * Returns how large the log of each thread may be; threads whose logs do not fit into `bytes` together are left out.
 */
export function logLimitsOf(tids: Iterable<Tid>, store: StoredThreads, bytes: number): Map<Tid, number> {
  const limits = new Map<Tid, number>();
  let restBytes = bytes;
  for (const tid of tids) {
    const ownBytes = MIN_BYTES + BYTES_PER_EVENT * store.eventCount(tid);
    if (ownBytes > restBytes) continue;
    limits.set(tid, ownBytes);
    restBytes -= ownBytes;
  }
  return limits;
}

/** Whether a log of the time `of`, null: of all time, has all that the questions need. */
function coversTime(of: Bounds | null, questions: ThreadQuestions): boolean {
  const asked = boundsOfQuestions(questions);
  return of === null || (of.startNs <= asked.startNs && asked.endNs <= of.endNs);
}

/** Asks the logs of threads: `asked` are some of those that have one. */
export async function askLogs(
  logs: ReadonlyMap<Tid, KeptLog>,
  asked: ReadonlyMap<Tid, ThreadQuestions>,
  symbolRank: Int32Array,
  pool: WorkerPool,
): Promise<Map<Tid, AnswersWithPaths>> {
  const tasks = [...asked].map(([tid, questions]) => [tid, { kept: logs.get(tid) as KeptLog, questions }] as const);
  tasks.sort(([, a], [, b]) => b.kept.log.length - a.kept.log.length);
  const rows = tasks.reduce((sum, [, { kept }]) => sum + kept.log.length, 0);
  const isSmall = !pool.isAwake || rows < pool.sizes.minRows;
  const shared = isSmall ? symbolRank : inSharedMemory({ symbolRank }).symbolRank;
  const answers = tasks.map(async ([tid, task]) => {
    const own = { ...task, symbolRank: shared };
    return [tid, isSmall ? answerFromLog(own) : await pool.run('answerFromLog', own)] as const;
  });
  return new Map(await Promise.all(answers));
}
