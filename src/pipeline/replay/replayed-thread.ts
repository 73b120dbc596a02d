/**
 * A thread and its replay: plain data, so that workers can hand it on.
 */

import type { ThreadEventsOfCalls } from '../../analysis/call-events.js';
import type { CallsAnswer } from '../../analysis/calls/calls-answer.js';
import type { AnswersWithPaths } from '../../analysis/log/answer-thread.js';
import type { StackFrame } from '../../analysis/log/spans.js';
import type { ThreadTimeline } from '../../analysis/timeline/thread-timeline.js';
import type { FunctionDurations } from '../../model/calls/durations.js';
import type { ThreadChunks } from '../../model/profile/timeline.js';
import type { SymbolId } from '../../model/units.js';
import type { MendedThread } from '../../replay/mend-hits.js';
import type { ThreadReplay } from '../../replay/thread-replay.js';
import type { ThreadFacts } from '../../trace/load-thread.js';
import type { KeptLog } from './kept-logs.js';
import type { KeptCallGroups } from './thread-call-rows.js';

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
  /** null: it was asked nothing of its own. */
  readonly answers: AnswersWithPaths | null;
  /** For later questions; null: not requested, or too large. */
  readonly keptLog: KeptLog | null;
  /** If only a skeleton was replayed: the functions to which control moved without an event; else null. */
  readonly jumpedTo: readonly SymbolId[] | null;
}
