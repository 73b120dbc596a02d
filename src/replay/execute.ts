/**
 * Executes the actions that pairing decided, event by event: charges the time before the event to the frame on top,
 * then applies the action to the stack.
 */

import { SpecialSymbol } from '../model/names/symbol-table.js';
import { Inference } from '../model/profile/quality.js';
import { type FunctionId, NONE } from '../model/units.js';
import { orNameless } from './functions/function-table.js';
import { executeInKernel } from './kernel-actions.js';
import { applyHiddenSwitch, switchToNew } from './other-stacks.js';
import {
  Action,
  ActionFlag,
  actionOf,
  canRemoveFrames,
  isRecord,
  isStop,
  isTraceStart,
  type RecordAction,
} from './pairing/actions.js';
import type { StackSwitch } from './pairing/fibers/parked-stacks.js';
import { landIn, reopen, returnFromCall, returnTo, returnUnmatched } from './stack/apply-return.js';
import { noteStackStart, parkStacks, resumeStack } from './stack/fibers.js';
import { endSignalTail, jumpTo, syncTo } from './stack/hidden-jumps.js';
import { jump } from './stack/jump.js';
import { closeAbove, pushCall } from './stack/open-frames.js';
import type { ReplayState } from './state.js';
import { chargeHiddenMove, chargeUntil, stoppedNode } from './time/charge.js';
import { recordErrors } from './time/lost-time.js';
import { applySwitch, beginStop, endStop, forgetSwitch } from './time/stops.js';

/** Executes the events of a segment, or of a part of it. */
export function executeRows(state: ReplayState, firstRow: number, endRow: number): void {
  let row = executeWhileSimple(state, firstRow, endRow);
  while (row < endRow) {
    executeRow(state, row);
    row = executeWhileSimple(state, row + 1, endRow);
  }
}

/** Has the kernel execute simple actions, if there is one, and returns the first row that is not simple. */
function executeWhileSimple(state: ReplayState, firstRow: number, endRow: number): number {
  const { kernel } = state;
  if (kernel === null || stoppedNode(state) !== NONE) return firstRow;
  const row = executeInKernel(state, kernel, firstRow, endRow);
  if (row === firstRow) return row;
  forgetSwitch(state);
  return row;
}

function executeRow(state: ReplayState, row: number): void {
  state.watcher?.atRow(row);
  const code = state.pairing.action[row];
  const action = actionOf(code);
  if (!isRecord(action)) return executeBranch(state, row, code, action);
  if (action === Action.Gap) recordErrors(state, row, row + 1, state.events.timeNs[row]);
  else applySwitch(state, row, action);
}

type BranchAction = Exclude<Action, RecordAction>;

/**
 * Executes a branch: follows hidden switches and jumps that come before it, charges the time up to it, ends the stop
 * that it ends, applies its action, and begins a stop if the trace stops after it.
 */
function executeBranch(state: ReplayState, row: number, code: number, action: BranchAction): void {
  const { events, facts } = state;
  const site = events.site[row];
  const from = facts.fromFunction[site];
  const target = orNameless(facts.functions, facts.toFunction[site]);
  const hasSwitched =
    (code & ActionFlag.HiddenSwitch) !== 0 && applyHiddenSwitch(state, row, orNameless(facts.functions, from));
  const hasJumped = !isTraceStart(action) && syncTo(state, from, row);
  if (hasJumped || hasSwitched) chargeHiddenMove(state, events.timeNs[row]);
  else chargeUntil(state, events.timeNs[row]);
  if (stoppedNode(state) !== NONE) endStop(state, true);
  else if (!isStop(code)) forgetSwitch(state);
  if (isTraceStart(action)) endSignalTail(state, target);
  if (canRemoveFrames(action)) parkStacks(state, row);
  execute(state, row, action, target);
  if (!isStop(code)) return;
  const symbol = code & ActionFlag.StopsInSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced;
  beginStop(state, symbol, action === Action.Stay ? row : NONE);
}

/**
 * Applies a branch's action to the stack; see `Action` for what each one means. `target`: the function the event goes
 * to.
 */
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
    case Action.StartAfterReturn:
      returnFromCall(state, link, action);
      return landIn(state, target);
    case Action.ReturnTo:
      return returnTo(state, link, orNameless(facts.functions, facts.fromFunction[events.site[row]]), target);
    case Action.UnmatchedReturn:
      return returnUnmatched(state, row, target, action);
    case Action.SignalReturn:
      returnFromCall(state, link, action);
      state.signalTail = target;
      return;
    case Action.JumpByReturn:
      noteStackStart(state, row);
      return jump(state, target, NONE);
    case Action.SwitchBack:
      return resumeStack(state, pairing.switches[link] as StackSwitch, row);
    case Action.EntryFromOutside: // closes what an earlier entry from outside opened
      closeAbove(state, -1, Inference.Unwound);
      return switchToNew(state, row, target);
    case Action.NewStack:
      return switchToNew(state, row, target);
    case Action.Reopen:
      return reopen(state, pairing.aborts[link] as number[]);
    case Action.Resume: // on VM exit, the same code may carry another label
      return landIn(state, target);
    case Action.Jump:
      return jumpTo(state, target, facts.toEntry[events.site[row]] === 1, row);
  }
}
