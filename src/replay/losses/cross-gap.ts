/**
 * Between two segments: the time is nobody's, and of the stack only what the next segment confirms stays.
 */
import { Inference } from '../../model/profile/quality.js';
import { NONE } from '../../model/units.js';
import { comesOutOfSyscall } from '../functions/site-facts.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { Segment } from '../pairing/pairing.js';
import { closeAbove } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { chargeUntil, stoppedNode } from '../time/charge.js';
import { knownEnd, placeBefore, rowBehindBranches } from '../time/known-end.js';
import { followSwitches, loseUntil, noteErrors, noteLoss } from '../time/lost-time.js';
import { endStop, takeSwitch } from '../time/stops.js';
import type { LastSeen } from '../time/thread-gaps.js';
import { layFirst } from './first-stack.js';
import { isNewProgram, restartOf } from './look-across.js';
import { restartStack } from './restart.js';

export function crossGap(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (isNewProgram(before, after, events, facts)) return startProgram(state, before, after);
  const restart = restartOf(before, after, events, facts, true);
  state.signalTail = NONE;
  if (state.stop !== null) {
    waitThrough(state, before, after);
    return restartStack(state, restart, state.nowNs);
  }
  const loss = beginLoss(state, before, after);
  // Who comes out of a system call was in it meanwhile; else the old stack is all that is known of the time.
  const isOfNewStack = comesOutOfSyscall(facts, events.site[after.firstRow]) && stoppedNode(state) === NONE;
  if (!isOfNewStack) loseRest(state, loss, after);
  restartStack(state, restart, loss.lostNs);
  if (isOfNewStack) loseRest(state, loss, after);
}

/** A thread that was stopped waited, whatever was lost meanwhile. */
function waitThrough(state: ReplayState, before: Segment, after: Segment): void {
  chargeUntil(state, state.events.timeNs[after.firstRow]);
  endStop(state, true);
  noteLoss(state, before.endRow, after.firstRow, state.nowNs);
}

/** A loss whose switches were followed, but for the time behind the last one. */
interface Loss {
  readonly firstRow: number;
  readonly lostNs: number;
  readonly place: LastSeen;
  /** From this row on errors are not told yet. */
  readonly untold: number;
  /** How many stretches were lost before. */
  readonly stretches: number;
}

/** Follows the thread's switches from where it runs and is lost. */
function beginLoss(state: ReplayState, before: Segment, after: Segment): Loss {
  const { events, facts, lost } = state;
  const firstRow = knownEnd(before, events, facts);
  const isError = firstRow === before.endRow && firstRow < after.firstRow;
  if (isError && stoppedNode(state) === NONE) chargeUntil(state, events.timeNs[firstRow]); // up to there perf has decoded it
  const lostNs = state.nowNs;
  const stretches = lost.length;
  const branchEnd = rowBehindBranches(before.firstRow, firstRow, events, facts);
  const place = { ip: placeBefore(branchEnd, events, facts), isLast: false };
  const untold = followSwitches(state, firstRow, after.firstRow, place);
  return { firstRow, lostNs, place, untold, stretches };
}

function loseRest(state: ReplayState, { firstRow, place, untold, stretches }: Loss, after: Segment): void {
  loseUntil(state, state.events.timeNs[after.firstRow], untold, after.firstRow, place);
  if (state.lost.length === stretches) noteLoss(state, firstRow, after.firstRow, state.nowNs); // it took no time
}

/** exec: the thread goes on with another program, and nothing of the old stack is left. */
function startProgram(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (knownEnd(before, events, facts) < before.endRow) loseRest(state, beginLoss(state, before, after), after);
  else waitForProgram(state, before, after);
  closeAbove(state, -1, Inference.OpenAtEnd);
  state.signalTail = NONE;
  layFirst(state, restartOf(before, after, events, facts, false));
}

/** The old program was decoded up to its exec. */
function waitForProgram(state: ReplayState, before: Segment, after: Segment): void {
  for (let row = before.endRow; row < after.firstRow; row++) {
    const action = actionOf(state.pairing.action[row]);
    if (action >= Action.SwitchOut && action !== Action.Exec) takeSwitch(state, row, action);
  }
  chargeUntil(state, state.events.timeNs[after.firstRow]);
  endStop(state, true);
  noteErrors(state, before.endRow, after.firstRow);
}
