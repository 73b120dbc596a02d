/**
 * An aborted transaction undoes what happened in it: calls that had returned are open again.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Action } from './actions.js';
import { DEEPEST_SEARCH } from './calls.js';
import { leaveBehind } from './end-calls.js';
import { calledIn, type Returned, type SegmentState } from './segment-state.js';

/** The event in `row` goes on in a function that may have returned in the transaction. */
export function reopen(state: SegmentState, row: number, fn: FunctionId): void {
  const { open, returned, pairing } = state;
  const isCallOf = (callRow: number) => calledIn(state, callRow) === fn;
  for (let place = open.length - 1; place >= Math.max(0, open.length - DEEPEST_SEARCH); place--)
    if (isCallOf(open.rowAt(place))) return;
  const first = returned.findLastIndex(({ call }) => isCallOf(call.row));
  const reopened = first === NONE ? [] : openBeforeReturn(returned.slice(first));
  const lowest = reopened[0];
  if (lowest === undefined || lowest.place > open.length) return;
  leaveBehind(state, row, open.cutAbove(lowest.place - 1));
  open.pushAgain(reopened.map(({ call }) => call));
  const { action, link, aborts } = pairing;
  action[row] = Action.Reopen;
  for (const { call } of reopened) link[call.row] = NONE;
  link[row] = aborts.push(reopened.map(({ call }) => call.row)) - 1;
}

/** What was open just before the first of these returned: itself, and those that returned later and lay lower. */
function openBeforeReturn(returned: readonly Returned[]): Returned[] {
  const open: Returned[] = [];
  for (const next of returned) if (next.place < (open[0]?.place ?? Number.POSITIVE_INFINITY)) open.unshift(next);
  return open;
}
