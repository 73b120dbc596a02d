/**
 * Events that end calls: what they do to the open ones, and what the pairing says of it.
 */
import { NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action } from './actions.js';
import { DEEPEST_SEARCH, type LeftStack, type OtherStack } from './calls.js';
import { MOST_LEFT_CALLS } from './pairing.js';
import { calledIn, hasTrait, type SegmentState } from './segment-state.js';

/** The event in `row` ends the call at a place; those above it were left without a return. */
export function endCall(state: SegmentState, row: number, place: number, how: Action = Action.Return): void {
  const { open, facts } = state;
  const { action, link } = state.pairing;
  const callRow = open.rowAt(place);
  action[row] = how;
  link[row] = callRow;
  link[callRow] = row;
  if (!open.isTop(place)) leaveBehind(state, row, open.cutAbove(place));
  if (facts.hasAborts) remember(state, place);
  open.pop();
}

function remember({ returned, open }: SegmentState, place: number): void {
  if (returned.push({ call: open.at(place), place }) > 2 * DEEPEST_SEARCH) returned.splice(0, DEEPEST_SEARCH);
}

/** The return in `row` ends a call that was not shown, made by what the call at a place had called. */
export function returnTo(state: SegmentState, row: number, place: number): void {
  const { open, pairing } = state;
  pairing.action[row] = Action.ReturnTo;
  pairing.link[row] = open.rowAt(place);
  leaveBehind(state, row, open.cutAbove(place));
}

/** The return in `row` goes to a caller that nobody saw calling. */
export function leave(state: SegmentState, row: number): void {
  const { open, pairing } = state;
  const base = open.findSwitch(({ stack }) => stack !== null);
  const leavingRows = base === NONE ? state.leavingRows : (open.switchAt(base).stack as OtherStack).leavingRows;
  leavingRows.push(row);
  pairing.action[row] = Action.Leave;
  const left = open.cutStack(base);
  const count = left.reduce((sum, { calls }) => sum + calls.length, 0);
  if (count > 0 && count <= MOST_LEFT_CALLS)
    pairing.leftCalls.set(
      row,
      left.flatMap(({ calls }) => calls.map((call) => call.row)),
    );
  leaveBehind(state, row, left);
}

/** The "return" in `row` only jumps; perhaps to another stack, if it is left without a return. */
export function jumpByReturn({ pairing, open }: SegmentState, row: number): void {
  pairing.action[row] = Action.JumpByReturn;
  open.switchStack({ row, stack: null });
}

/** The event in `row` tells that these were left, at the latest before the one in `leftRow`. */
export function leaveBehind(state: SegmentState, row: number, left: readonly LeftStack[], leftRow = row): void {
  const { pairing, parked } = state;
  pairing.skipped.add(row, left, (callRow) => hasTrait(state, calledIn(state, callRow), Trait.Raiser));
  for (const { calls } of left) for (const call of calls) pairing.link[call.row] = row;
  parked.park(left, leftRow);
}
