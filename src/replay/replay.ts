/**
 * Replays one thread: reads its events and builds its call tree.
 *
 * Each interval between two events is charged to the frame on top of the stack. Pairing (pairing/actions.ts) has
 * already decided what each event does to the stack, so this loop only follows it.
 */
import { withoutEmptyNodes } from '../model/calls/call-tree.js';
import { Inference } from '../model/profile/quality.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE, type SymbolId } from '../model/units.js';
import { executeRows } from './execute.js';
import type { SiteFacts } from './functions/site-facts.js';
import {
  type Beginning,
  beginningOf,
  recordFirstLoss,
  startOf,
  startWithoutBranch,
  waitForFirstBranch,
} from './losses/beginning.js';
import { crossGap } from './losses/cross-gap.js';
import { pushFirstStack } from './losses/first-stack.js';
import { functionPaths, MAX_PATH_DEPTH } from './losses/known-paths.js';
import { matchAcrossLosses, restartOf } from './losses/look-across.js';
import { pairThread } from './pairing/pair-thread.js';
import type { Segment } from './pairing/pairing.js';
import { endParked } from './stack/fibers.js';
import { closeAbove, openSymbols } from './stack/open-frames.js';
import { newReplayState, type ReplayState } from './state.js';
import type { ReplayMemory, ReplayOptions, ThreadReplay } from './thread-replay.js';
import { chargeUntil, startAt, stoppedNode } from './time/charge.js';
import { addressBefore, firstLostRow, knownEnd, rowAfterBranches } from './time/known-end.js';
import { followSwitches, loseUntil, recordErrors } from './time/lost-time.js';
import { endStop } from './time/stops.js';

/** Pairs the thread's returns with calls and sets up the state that `runReplay` works on. */
export function beginReplay(
  events: ThreadEvents,
  facts: SiteFacts,
  options: ReplayOptions,
  memory: ReplayMemory,
): ReplayState {
  const pairing = pairThread(events, facts, memory.pairing);
  matchAcrossLosses(pairing, events, facts);
  const state = newReplayState(events, facts, pairing, options, memory);
  startAt(state, events.timeNs[pairing.segments[0]?.firstRow ?? 0] ?? 0);
  return state;
}

/** True if trace data is missing between two segments: only then can call paths be unconfirmed. */
export function hasLosses({ pairing }: ReplayState): boolean {
  return pairing.segments.length > 1;
}

/** Replays all segments, crossing the losses between them, and then the records after the last branch. */
export function runReplay(state: ReplayState): ThreadReplay {
  const { events, facts, options } = state;
  const { segments } = state.pairing;
  const [first] = segments;
  const tailRow = rowAfterBranches(0, events.length, events, facts);
  const began = first ? begin(state, first) : { startNs: startWithoutBranch(state), firstStack: [] };
  segments.forEach((segment, index) => {
    const before = segments[index - 1];
    if (before) {
      options.watcher?.atRow(segment.firstRow);
      crossGap(state, before, segment);
    }
    const isLast = index === segments.length - 1;
    const endRow = isLast ? segment.endRow : knownEnd(segment, events, facts); // trace data is missing after it
    executeRows(state, segment.firstRow, Math.min(endRow, tailRow));
  });
  replayTail(state, tailRow, segments.at(-1)?.endRow ?? 0);
  finish(state);
  return resultOf(state, began);
}

/** When observation of a thread begins, and with which stack. A thread created while recording has no callers. */
interface ObservedStart {
  readonly startNs: Nanoseconds;
  readonly firstStack: readonly SymbolId[];
}

/** Pushes the thread's first stack. */
function begin(state: ReplayState, segment: Segment): ObservedStart {
  const { events, facts } = state;
  state.watcher?.atRow(segment.firstRow);
  const beginning: Beginning = beginningOf(state, segment.firstRow);
  const startNs = startOf(state, beginning);
  if (startNs !== state.nowNs) startAt(state, startNs);
  recordFirstLoss(state, beginning);
  pushFirstStack(state, restartOf(segment, segment, events, facts, false));
  const firstStack = beginning.createdInside ? [] : openSymbols(state, MAX_PATH_DEPTH);
  if (state.nowNs !== events.timeNs[segment.firstRow]) waitForFirstBranch(state, beginning);
  return { startNs, firstStack };
}

/** Replays the records after the last branch; those before `endRow` belong to the last segment. */
function replayTail(state: ReplayState, row: number, endRow: number): void {
  const { events, facts, options } = state;
  const mayBeLost = options.mayBeUndecoded === true && (endRow === 0 || state.stop === null);
  const lostRow = mayBeLost ? firstLostRow(row, events, facts) : NONE;
  if (lostRow === NONE) {
    executeRows(state, row, endRow);
    return recordErrors(state, endRow, events.length);
  }
  executeRows(state, row, lostRow);
  if (facts.scope !== 'user' && row > 0) chargeUntil(state, events.timeNs[lostRow]); // decoded up to there
  loseEnd(state, row, lostRow);
}

/**
 * Records the loss after the last branch (in the row before `row`): whatever the thread did on a CPU since is unknown.
 */
function loseEnd(state: ReplayState, row: number, lostRow: number): void {
  const { events, facts, options } = state;
  const lastSeen = { ip: addressBefore(row, events, facts), isLast: true };
  const nextErrorRow = followSwitches(state, lostRow, events.length, lastSeen);
  if (stoppedNode(state) !== NONE) return recordErrors(state, nextErrorRow, events.length); // it waits until the end
  const endNs = options.extendTo?.endNs ?? events.timeNs.at(-1) ?? state.nowNs;
  loseUntil(state, endNs, nextErrorRow, events.length, lastSeen);
}

/** Ends the replay. A thread that is stopped or off its CPU keeps waiting until the end of the recording. */
function finish(state: ReplayState): void {
  const { extendTo } = state.options;
  if (stoppedNode(state) !== NONE && extendTo && extendTo.endNs > state.nowNs) chargeUntil(state, extendTo.endNs);
  endStop(state, false);
  closeAbove(state, -1, Inference.OpenAtEnd);
  endParked(state);
}

function resultOf(state: ReplayState, { startNs, firstStack }: ObservedStart): ThreadReplay {
  const { tree, log, lost, inferred, hiddenNs, inferredEvents, confirmedNodes } = state;
  const built = tree.build();
  return {
    tree: log ? built : withoutEmptyNodes(built),
    log: log?.build() ?? null,
    startNs,
    endNs: state.nowNs,
    inferred,
    lost,
    firstStack,
    paths: functionPaths(built, confirmedNodes ?? built.length, state.facts.inlined),
    hiddenNs,
    inferredEvents,
    hasUnconfirmedPaths: confirmedNodes !== null,
  };
}
