/**
 * Answers the questions that all threads are asked, for one thread: its part that is selected, its calls, its stack.
 */
import { answerForThread } from '../../analysis/calls/calls-answer.js';
import { filterThread } from '../../analysis/log/filter-thread.js';
import { stackAt } from '../../analysis/log/stack-at.js';
import type { CallFilter, FunctionSet } from '../../analysis/questions.js';
import type { CallLog } from '../../model/calls/call-log.js';
import { withoutEmptyNodes } from '../../model/calls/call-tree.js';
import type { Tid } from '../../model/units.js';
import type { ThreadReplay } from '../../replay/thread-replay.js';
import type { Questions } from './replay-setup.js';
import type { ReplayedThread } from './replayed-thread.js';

const NO_FILTER: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

type Answers = Pick<ReplayedThread, 'replay' | 'calls' | 'stack'> & Partial<Pick<ReplayedThread, 'durations'>>;

/** `durations`: only if the selected calls decide them. */
export function answerQuestions(tid: Tid, { log, ...replay }: ThreadReplay, questions: Questions): Answers {
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

/** If latency is requested, only the durations of those functions are needed. */
export function requestedOnly({ latency }: Questions): FunctionSet | null {
  return latency?.calls.functions ?? null;
}
