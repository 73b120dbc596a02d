/**
 * Ends calls: updates the open calls and writes what ended them to the pairing.
 */
import { NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action } from './actions.js';
import { MAX_SEARCH_DEPTH, type OtherStack, type SkippedStack } from './calls.js';
import { MAX_SKIPPED_ROWS } from './pairing.js';
import { calledIn, hasTrait, type SegmentState } from './segment-state.js';

/** Ends the call at an index by the event in `row`; the calls above it are skipped. */
export function endCall(state: SegmentState, row: number, index: number, how: Action = Action.Return): void {
  const { open, facts } = state;
  const { action, link } = state.pairing;
  const callRow = open.rowAt(index);
  action[row] = how;
  link[row] = callRow;
  link[callRow] = row;
  if (!open.isTop(index)) skipCalls(state, row, open.cutAbove(index));
  if (facts.hasAborts) noteReturned(state, index);
  open.pop();
}

function noteReturned({ returned, open }: SegmentState, index: number): void {
  if (returned.push({ call: open.at(index), index }) > 2 * MAX_SEARCH_DEPTH) returned.splice(0, MAX_SEARCH_DEPTH);
}

/** Pairs the return in `row` with a call that the trace does not show, made by the function of the call at an index. */
export function returnTo(state: SegmentState, row: number, index: number): void {
  const { open, pairing } = state;
  pairing.action[row] = Action.ReturnTo;
  pairing.link[row] = open.rowAt(index);
  skipCalls(state, row, open.cutAbove(index));
}

/** Notes the return in `row` as unmatched: its call was not seen. */
export function pairUnmatchedReturn(state: SegmentState, row: number): void {
  const { open, pairing } = state;
  const base = open.findSwitch(({ stack }) => stack !== null);
  const unmatchedRows = base === NONE ? state.unmatchedRows : (open.switchAt(base).stack as OtherStack).unmatchedRows;
  unmatchedRows.push(row);
  pairing.action[row] = Action.UnmatchedReturn;
  const skipped = open.cutStack(base);
  const count = skipped.reduce((sum, { calls }) => sum + calls.length, 0);
  if (count > 0 && count <= MAX_SKIPPED_ROWS)
    pairing.skippedByReturn.set(
      row,
      skipped.flatMap(({ calls }) => calls.map((call) => call.row)),
    );
  skipCalls(state, row, skipped);
}

/** Notes the "return" in `row` as a jump. If its target is never returned from, it may have switched stacks. */
export function jumpByReturn({ pairing, open }: SegmentState, row: number): void {
  pairing.action[row] = Action.JumpByReturn;
  open.switchStack({ row, stack: null });
}

/**
 * Links skipped calls to the event in `row` that skips them, and parks their stacks: they were left before `leftRow`.
 */
export function skipCalls(state: SegmentState, row: number, skipped: readonly SkippedStack[], leftRow = row): void {
  const { pairing, parked } = state;
  pairing.skipped.add(row, skipped, (callRow) => hasTrait(state, calledIn(state, callRow), Trait.Raiser));
  for (const { calls } of skipped) for (const call of calls) pairing.link[call.row] = row;
  parked.park(skipped, leftRow);
}
