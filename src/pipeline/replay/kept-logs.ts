/**
 * Call logs that outlive the replay of their threads, so that later questions are answered without replaying these again.
 */
import { type AnswersWithPaths, answerThread, type ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { CallLog } from '../../model/calls/call-log.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { inSharedMemory } from '../workers/shared-data.js';

/** In shared memory. */
export interface KeptLog {
  readonly log: CallLog;
  /** The call paths of the log's nodes. */
  readonly paths: Shape;
}

/** A row of the log, and a node. */
export const ROW_BYTES = 12;
export const NODE_BYTES = 8;

/** Copies the log, which the next replay overwrites; null: it is larger. */
export function keptLog(log: CallLog, { length, parent, symbol }: CallTree, maxBytes: number): KeptLog | null {
  if (ROW_BYTES * log.length + NODE_BYTES * length > maxBytes) return null;
  return inSharedMemory({ log, paths: { length, parent, symbol } });
}

export interface AnswerTask {
  readonly kept: KeptLog;
  readonly questions: ThreadQuestions;
  readonly symbolRank: Int32Array;
}

/** Answers from a kept log, as a task for any worker. */
export function answerFromLog({ kept: { log, paths }, questions, symbolRank }: AnswerTask): AnswersWithPaths {
  return answerThread(log, paths, questions, symbolRank);
}
