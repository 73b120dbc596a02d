/**
 * The thread goes to another of its stacks: back to one that was left, or to one that was not seen before.
 */
import { type Address, NONE } from '../../model/units.js';
import { Action } from './actions.js';
import type { LeftStack, OpenCall, OtherStack } from './calls.js';
import { leaveBehind } from './end-calls.js';
import { DEEPEST_PARKED, type TakenBack } from './parked-stacks.js';
import type { SegmentState } from './segment-state.js';

/** Of calls, by their rows. */
interface SwitchingCalls {
  /** It was to go to another stack. */
  readonly isToSwitcher: (callRow: number) => boolean;
  /** The row of the first event there. */
  readonly behind: (callRow: number) => number;
}

/** Back to a stack that was left, if this address is on one. */
export function switchBack(state: SegmentState, row: number, to: Address, isSure: boolean): boolean {
  return goBack(state, row, state.parked.takeBack(to, row, isSure));
}

/** The same if the running stack's last call may as well return to this address. */
export function switchToAlike(state: SegmentState, row: number, to: Address): boolean {
  return goBack(
    state,
    row,
    state.parked.takeAlike(to, row, () => state.open.callsOfStack(DEEPEST_PARKED)),
  );
}

function goBack(state: SegmentState, row: number, back: TakenBack | null): boolean {
  if (back === null) return false;
  const { action, link, switches } = state.pairing;
  replaceStack(state, row);
  action[row] = Action.SwitchBack;
  link[row] = switches.push(back.change) - 1;
  link[openAgain(state, row, back)] = row;
  return true;
}

/** What stands on the stack again, but for the call that left it, whose row this returns: it has returned. */
function openAgain({ open, pairing }: SegmentState, row: number, { calls, stack }: TakenBack): number {
  open.switchStack({ row, stack });
  for (const call of calls) pairing.link[call.row] = NONE;
  open.pushAgain(calls.slice(0, -1));
  return (calls.at(-1) as OpenCall).row;
}

/** The event in `row` goes to a stack that was not seen before. */
export function goToOther(state: SegmentState, row: number): void {
  replaceStack(state, row);
  state.open.switchStack({ row, stack: beginOther(state, row, Action.NewStack) });
}

/**
 * What was entered in an earlier `row` is left towards code that is not traced, and that had not called it before: it
 * was called from there, on a stack of its own as far as anybody can tell.
 */
export function enteredFromOutside(state: SegmentState, row: number, leavingRow: number): void {
  leaveBehind(state, leavingRow, state.open.cutAbove(NONE));
  const stack = beginOther(state, row, Action.EntryFromOutside);
  stack.leavingRows.push(leavingRow);
  state.pairing.action[leavingRow] = Action.Leave;
  state.open.switchStack({ row, stack });
}

function beginOther({ pairing }: SegmentState, row: number, how: Action): OtherStack {
  const { action, link, stacks } = pairing;
  const stack = { leavingRows: [] };
  action[row] = how;
  link[row] = stacks.push(stack) - 1;
  return stack;
}

/** A stack that was gone to is left for another one, which takes its place. */
function replaceStack(state: SegmentState, row: number, endRow = row): void {
  const { open, pairing } = state;
  const current = open.findSwitch(({ stack }) => stack !== null);
  if (current === NONE) return;
  pairing.replaces.set(row, open.switchAt(current).row);
  leaveBehind(state, endRow, open.takeStack(current), row);
}

/**
 * Before the event in `row` the thread went to another stack, if the return in `returnRow` to this address ends a call on
 * that: right below the call that left it.
 */
export function goUnseen(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  calls: SwitchingCalls,
): void {
  if (goDownUnseen(state, row, returnRow, to, calls)) return;
  const back = state.parked.takeUnseen(to, row, returnRow, calls.isToSwitcher);
  if (back === null) return;
  const { link, switches, unseen } = state.pairing;
  replaceStack(state, row, returnRow);
  const left = openAgain(state, row, back);
  link[left] = left;
  switches.push(back.change);
  unseen.set(row, { to: 'left', change: back.change });
}

/** Does a return to this address end a call on another stack, right below one that left it? */
export function isLeftBy(
  { open, parked }: SegmentState,
  to: Address,
  isLeaving: (callRow: number) => boolean,
  goesOn: (callRow: number) => boolean,
): boolean {
  const landing = open.findCaller(to, true);
  if (landing === NONE) return parked.hasLeftBy(to, isLeaving, goesOn);
  const isAnother = landing + 1 < open.length - 1;
  return isAnother && isLeaving(open.rowAt(landing + 1)) && goesOn(open.rowAt(landing));
}

/** The same as `goUnseen`, to the stack from which the running one was gone to. */
function goDownUnseen(
  state: SegmentState,
  row: number,
  returnRow: number,
  to: Address,
  { isToSwitcher, behind }: SwitchingCalls,
): boolean {
  const { open, pairing } = state;
  const landing = open.findCaller(to, true);
  if (landing === NONE) return false;
  const isOver = !isToSwitcher(open.rowAt(landing));
  const place = isOver ? landing + 1 : landing;
  if (place >= open.length - 1 || !isToSwitcher(open.rowAt(place))) return false;
  const callRow = open.rowAt(place);
  const isNew = open.findSwitch((change) => change.place === place + 1) === NONE;
  const left = open.cutAbove(place);
  leaveBehind(state, returnRow, isNew ? beganUnseen(state, left, behind(callRow)) : left, row);
  pairing.unseen.set(row, { to: 'below', callRow, isOver });
  if (!isOver) return true;
  pairing.link[callRow] = callRow;
  open.pop();
  return true;
}

/** The lowest of these stacks was not seen before: it was gone to before the event in `row`. */
function beganUnseen({ pairing }: SegmentState, [lowest, ...others]: readonly LeftStack[], row: number): LeftStack[] {
  if (lowest === undefined) return [];
  const stack = { leavingRows: [] };
  pairing.unseen.set(row, { to: 'new', stack });
  return [{ ...lowest, startRow: row, stack }, ...others];
}
