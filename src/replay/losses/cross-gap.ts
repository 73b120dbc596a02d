/**
 * Crosses a loss between two segments: records the gap, and keeps of the old stack only what the next segment confirms.
 */
import { Inference } from '../../model/profile/quality.js';
import { NONE } from '../../model/units.js';
import { comesOutOfSyscall } from '../functions/site-facts.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { Segment } from '../pairing/pairing.js';
import { closeAbove } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { chargeUntil, stoppedNode } from '../time/charge.js';
import { addressBefore, knownEnd, rowAfterBranches } from '../time/known-end.js';
import { followSwitches, loseUntil, recordErrors, recordGap } from '../time/lost-time.js';
import { applySwitch, endStop } from '../time/stops.js';
import type { LastSeen } from '../time/thread-gaps.js';
import { pushFirstStack } from './first-stack.js';
import { isNewProgram, restartOf } from './look-across.js';
import { restartStack } from './restart.js';

/**
 * Goes from one segment to the next: after an exec, with a new program; while the trace was stopped, with a wait; else
 * with a loss.
 */
export function crossGap(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (isNewProgram(before, after, events, facts)) return startNewProgram(state, before, after);
  const restart = restartOf(before, after, events, facts, true);
  state.signalTail = NONE;
  if (state.stop !== null) {
    waitThrough(state, before, after);
    return restartStack(state, restart, state.nowNs);
  }
  const loss = beginLoss(state, before, after);
  // A thread that comes out of a system call was in it meanwhile; otherwise only the old stack is known for this time.
  const isOfNewStack = comesOutOfSyscall(facts, events.site[after.firstRow]) && stoppedNode(state) === NONE;
  if (!isOfNewStack) recordRest(state, loss, after);
  restartStack(state, restart, loss.lostNs);
  if (isOfNewStack) recordRest(state, loss, after);
}

/** Charges the wait of a stopped thread: it waited, whatever was lost meanwhile. */
function waitThrough(state: ReplayState, before: Segment, after: Segment): void {
  chargeUntil(state, state.events.timeNs[after.firstRow]);
  endStop(state, true);
  recordGap(state, before.endRow, after.firstRow, state.nowNs);
}

/** A loss, after following its switches; the time after the last switch is still to be recorded. */
interface Loss {
  readonly firstRow: number;
  readonly lostNs: number;
  readonly lastSeen: LastSeen;
  /** Errors from this row on have not been counted yet. */
  readonly nextErrorRow: number;
  /** Number of gaps recorded before this loss. */
  readonly gapsBefore: number;
}

/** Follows the thread's switches from the point where trace data is missing. */
function beginLoss(state: ReplayState, before: Segment, after: Segment): Loss {
  const { events, facts, lost } = state;
  const firstRow = knownEnd(before, events, facts);
  const isError = firstRow === before.endRow && firstRow < after.firstRow;
  if (isError && stoppedNode(state) === NONE) chargeUntil(state, events.timeNs[firstRow]); // decoded up to there
  const lostNs = state.nowNs;
  const gapsBefore = lost.length;
  const branchEnd = rowAfterBranches(before.firstRow, firstRow, events, facts);
  const lastSeen = { ip: addressBefore(branchEnd, events, facts), isLast: false };
  const nextErrorRow = followSwitches(state, firstRow, after.firstRow, lastSeen);
  return { firstRow, lostNs, lastSeen, nextErrorRow, gapsBefore };
}

function recordRest(state: ReplayState, { firstRow, lastSeen, nextErrorRow, gapsBefore }: Loss, after: Segment): void {
  loseUntil(state, state.events.timeNs[after.firstRow], nextErrorRow, after.firstRow, lastSeen);
  if (state.lost.length === gapsBefore) recordGap(state, firstRow, after.firstRow, state.nowNs); // it took no time
}

/** Starts a new program after an exec: nothing of the old stack is left. */
function startNewProgram(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (knownEnd(before, events, facts) < before.endRow) recordRest(state, beginLoss(state, before, after), after);
  else waitForExec(state, before, after);
  closeAbove(state, -1, Inference.OpenAtEnd);
  state.signalTail = NONE;
  pushFirstStack(state, restartOf(before, after, events, facts, false));
}

/** Charges the time up to an exec before which nothing is missing. */
function waitForExec(state: ReplayState, before: Segment, after: Segment): void {
  for (let row = before.endRow; row < after.firstRow; row++) {
    const action = actionOf(state.pairing.action[row]);
    if (action >= Action.SwitchOut && action !== Action.Exec) applySwitch(state, row, action);
  }
  chargeUntil(state, state.events.timeNs[after.firstRow]);
  endStop(state, true);
  recordErrors(state, before.endRow, after.firstRow);
}
