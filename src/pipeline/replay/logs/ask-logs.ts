/**
 * Decides which call logs are kept, and asks them: as many as fit into a part of the memory.
 */
import { type AnswersWithPaths, boundsOfQuestions, type ThreadQuestions } from '../../../analysis/log/answer-thread.js';
import type { Bounds } from '../../../analysis/questions.js';
import type { Tid } from '../../../model/units.js';
import type { StoredThreads } from '../../../trace/stored-threads.js';
import { inSharedMemory } from '../../workers/shared-data.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import { answerFromLog, type KeptLog, NODE_BYTES, ROW_BYTES } from './kept-logs.js';

/** There are seldom more rows or nodes than events. */
const BYTES_PER_EVENT = ROW_BYTES + NODE_BYTES;
const MIN_BYTES = 4096;

/** Returns how large the log of each thread may be; threads whose logs do not fit into `bytes` together are left out. */
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
export function coversTime(of: Bounds | null, questions: ThreadQuestions): boolean {
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
  const isSmall = !pool.isAwake || rows < MIN_ROWS_TO_SHARE;
  const shared = isSmall ? symbolRank : inSharedMemory({ symbolRank }).symbolRank;
  const answers = tasks.map(async ([tid, task]) => {
    const own = { ...task, symbolRank: shared };
    return [tid, isSmall ? answerFromLog(own) : await pool.run('answerFromLog', own)] as const;
  });
  return new Map(await Promise.all(answers));
}

/** Fewer are read by the main thread before workers would have received the questions. */
const MIN_ROWS_TO_SHARE = 500_000;
