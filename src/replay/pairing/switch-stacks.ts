/**
 * Switches between the thread's stacks: back to a parked one, or to one that was not seen before.
 */
import { type Address, NONE } from '../../model/units.js';
import { Action } from './actions.js';
import type { OpenCall, OtherStack, SkippedStack } from './calls.js';
import { skipCalls } from './end-calls.js';
import { MAX_PARKED_CALLS, type ResumedStack } from './parked-stacks.js';
import type { SegmentState } from './segment-state.js';

/** Questions about calls, by their rows. */
interface SwitchingCalls {
  /** True if the call was made to switch to another stack. */
  readonly isToSwitcher: (callRow: number) => boolean;
  /** Returns the row of the first event on the other stack. */
  readonly firstRowThere: (callRow: number) => number;
}

/** Switches back to a parked stack if this address is on one. */
export function switchBack(state: SegmentState, row: number, to: Address, isSwitch: boolean): boolean {
  return resumeParked(state, row, state.parked.takeResumed(to, row, isSwitch));
}

/** The same where the running stack's last call may just as well return to this address. */
export function switchToAlike(state: SegmentState, row: number, to: Address): boolean {
  return resumeParked(
    state,
    row,
    state.parked.takeAlike(to, row, () => state.open.callsOfStack(MAX_PARKED_CALLS)),
  );
}

function resumeParked(state: SegmentState, row: number, back: ResumedStack | null): boolean {
  if (back === null) return false;
  const { action, link, switches } = state.pairing;
  replaceStack(state, row);
  action[row] = Action.SwitchBack;
  link[row] = switches.push(back.change) - 1;
  link[pushResumed(state, row, back)] = row;
  return true;
}

/** Pushes a resumed stack. The call that had left it has returned: its row is returned instead. */
function pushResumed({ open, pairing }: SegmentState, row: number, { calls, stack }: ResumedStack): number {
  open.switchStack({ row, stack });
  for (const call of calls) pairing.link[call.row] = NONE;
  open.pushAgain(calls.slice(0, -1));
  return (calls.at(-1) as OpenCall).row;
}

/** Switches to a stack that was not seen before, by the event in `row`. */
export function switchToNew(state: SegmentState, row: number): void {
  replaceStack(state, row);
  state.open.switchStack({ row, stack: addNewStack(state, row, Action.NewStack) });
}

/**
 * Ends what was entered from untraced code in an earlier `row`, as it returns (`returnRow`) to untraced code that was
 * not its caller before: it ran on a stack of its own, for all that is known.
 */
export function pairEntryFromOutside(state: SegmentState, row: number, returnRow: number): void {
  skipCalls(state, returnRow, state.open.cutAbove(NONE));
  const stack = addNewStack(state, row, Action.EntryFromOutside);
  stack.unmatchedRows.push(returnRow);
  state.pairing.action[returnRow] = Action.UnmatchedReturn;
  state.open.switchStack({ row, stack });
}

function addNewStack({ pairing }: SegmentState, row: number, how: Action): OtherStack {
  const { action, link, stacks } = pairing;
  const stack = { unmatchedRows: [] };
  action[row] = how;
  link[row] = stacks.push(stack) - 1;
  return stack;
}

/** Removes the stack that was switched to, as another one takes its place. */
function replaceStack(state: SegmentState, row: number, endRow = row): void {
  const { open, pairing } = state;
  const current = open.findSwitch(({ stack }) => stack !== null);
  if (current === NONE) return;
  pairing.replacedStack.set(row, open.switchAt(current).row);
  skipCalls(state, endRow, open.takeStack(current), row);
}

/**
 * Switches to another stack before the event in `row`, if the return in `returnRow` to this address ends a call on it,
 * right below the call that left it.
 */
export function switchHidden(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  calls: SwitchingCalls,
): void {
  if (switchBelowHidden(state, row, returnRow, to, calls)) return;
  const back = state.parked.takeHidden(to, row, returnRow, calls.isToSwitcher);
  if (back === null) return;
  const { link, switches, hiddenSwitches } = state.pairing;
  replaceStack(state, row, returnRow);
  const callRow = pushResumed(state, row, back);
  link[callRow] = callRow;
  switches.push(back.change);
  hiddenSwitches.set(row, { to: 'parked', change: back.change });
}

/** True if a return to this address ends a call on another stack, right below the one that left it. */
export function endsCallOnOther(
  { open, parked }: SegmentState,
  to: Address,
  isSwitchingCall: (callRow: number) => boolean,
  continues: (callRow: number) => boolean,
): boolean {
  const landing = open.findCaller(to, true);
  if (landing === NONE) return parked.hasLeftBy(to, isSwitchingCall, continues);
  const isAnother = landing + 1 < open.length - 1;
  return isAnother && isSwitchingCall(open.rowAt(landing + 1)) && continues(open.rowAt(landing));
}

/** As `switchHidden`, to the stack from which the running one was switched to. */
function switchBelowHidden(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  { isToSwitcher, firstRowThere }: SwitchingCalls,
): boolean {
  const { open, pairing } = state;
  const landing = open.findCaller(to, true);
  if (landing === NONE) return false;
  const isOver = !isToSwitcher(open.rowAt(landing));
  const index = isOver ? landing + 1 : landing;
  if (index >= open.length - 1 || !isToSwitcher(open.rowAt(index))) return false;
  const callRow = open.rowAt(index);
  const isNew = open.findSwitch((change) => change.base === index + 1) === NONE;
  const skipped = open.cutAbove(index);
  skipCalls(state, returnRow, isNew ? markHiddenStart(state, skipped, firstRowThere(callRow)) : skipped, row);
  pairing.hiddenSwitches.set(row, { to: 'below', callRow, isOver });
  if (!isOver) return true;
  pairing.link[callRow] = callRow;
  open.pop();
  return true;
}

/** Marks the lowest of these stacks as begun before the event in `row`: it was not seen before. */
function markHiddenStart(
  { pairing }: SegmentState,
  [lowest, ...others]: readonly SkippedStack[],
  row: number,
): SkippedStack[] {
  if (lowest === undefined) return [];
  const stack = { unmatchedRows: [] };
  pairing.hiddenSwitches.set(row, { to: 'new', stack });
  return [{ ...lowest, startRow: row, stack }, ...others];
}
