/**
 * Executes the actions that pairing has worked out, event by event: the time before an event goes to the frame on top, then
 * its action is done to the stack.
 */

import { SpecialSymbol } from '../model/names/symbol-table.js';
import { Inference } from '../model/profile/quality.js';
import { type FunctionId, NONE } from '../model/units.js';
import { orNameless } from './functions/function-table.js';
import { beginOther, goUnseen } from './other-stacks.js';
import {
  Action,
  ActionFlag,
  actionOf,
  isRecord,
  isStop,
  isTraceStart,
  leavesFrames,
  type RecordAction,
} from './pairing/actions.js';
import type { StackSwitch } from './pairing/parked-stacks.js';
import { executePlain } from './plain-actions.js';
import { beginStack, leaveStack, resumeStack } from './stack/fibers.js';
import { goOnIn, jumpTo, syncTo } from './stack/hidden-jumps.js';
import { jump } from './stack/jump.js';
import { closeAbove, pushCall } from './stack/open-frames.js';
import { endLevel, landIn, leave, reopen, returnTo } from './stack/returns.js';
import type { ReplayState } from './state.js';
import { chargeMove, chargeUntil, goOnAt, stoppedNode } from './time/charge.js';
import { noteErrors } from './time/lost-time.js';
import { beginStop, endStop, forgetSwitch, takeSwitch } from './time/stops.js';

/** Replays the events of a segment, or a part of it. */
export function executeRows(state: ReplayState, firstRow: number, endRow: number): void {
  let row = executeWhilePlain(state, firstRow, endRow);
  while (row < endRow) {
    executeRow(state, row);
    row = executeWhilePlain(state, row + 1, endRow);
  }
}

/** Takes what needs no thought; returns the first row that does. Who watches sees each event by itself. */
function executeWhilePlain(state: ReplayState, firstRow: number, endRow: number): number {
  if (stoppedNode(state) !== NONE || state.watcher) return firstRow;
  const row = executePlain(state, firstRow, endRow);
  if (row === firstRow) return row;
  goOnAt(state, state.events.timeNs[row - 1]);
  forgetSwitch(state);
  return row;
}

function executeRow(state: ReplayState, row: number): void {
  state.watcher?.atRow(row);
  const code = state.pairing.action[row];
  const action = actionOf(code);
  if (!isRecord(action)) return executeBranch(state, row, code, action);
  if (action === Action.Gap) noteErrors(state, row, row + 1, state.events.timeNs[row]);
  else takeSwitch(state, row, action);
}

type BranchAction = Exclude<Action, RecordAction>;

function executeBranch(state: ReplayState, row: number, code: number, action: BranchAction): void {
  const { events, facts } = state;
  const site = events.site[row];
  const from = facts.fromFunction[site];
  const target = orNameless(facts.functions, facts.toFunction[site]);
  const isElsewhere = (code & ActionFlag.Unseen) !== 0 && goUnseen(state, row, orNameless(facts.functions, from));
  const hasJumped = !isTraceStart(action) && syncTo(state, from, row);
  if (hasJumped || isElsewhere) chargeMove(state, events.timeNs[row]);
  else chargeUntil(state, events.timeNs[row]);
  if (stoppedNode(state) !== NONE) endStop(state, true);
  else if (!isStop(code)) forgetSwitch(state);
  if (isTraceStart(action)) goOnIn(state, target);
  if (leavesFrames(action)) leaveStack(state, row);
  execute(state, row, action, target);
  if (isStop(code)) beginStop(state, code & ActionFlag.StopsInSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced);
}

/** `target`: the function that the event goes to. */
function execute(state: ReplayState, row: number, action: BranchAction, target: FunctionId): void {
  const { pairing, facts, events } = state;
  const link = pairing.link[row];
  switch (action) {
    case Action.Stay:
    case Action.Start:
      return;
    case Action.Call:
    case Action.SignalEntry:
      return pushCall(state, target, row);
    case Action.Return:
    case Action.StartBehind:
      endLevel(state, link, action);
      return landIn(state, target);
    case Action.ReturnTo:
      return returnTo(state, link, orNameless(facts.functions, facts.fromFunction[events.site[row]]), target);
    case Action.Leave:
      return leave(state, row, target, action);
    case Action.SignalReturn:
      endLevel(state, link, action);
      state.signalTail = target;
      return;
    case Action.JumpByReturn:
      beginStack(state, row);
      return jump(state, target, NONE);
    case Action.SwitchBack:
      return resumeStack(state, pairing.switches[link] as StackSwitch, row);
    case Action.EntryFromOutside: // what was entered so before is over
      closeAbove(state, -1, Inference.Unwound);
      return beginOther(state, row, target);
    case Action.NewStack:
      return beginOther(state, row, target);
    case Action.Reopen:
      return reopen(state, pairing.aborts[link] as number[]);
    case Action.Resume: // a virtual machine comes back under a label of its own
      return landIn(state, target);
    case Action.Jump:
      return jumpTo(state, target, facts.toEntry[events.site[row]] === 1, row);
  }
}
