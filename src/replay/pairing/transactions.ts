/**
 * Undoes an aborted transaction: calls that had returned in it are open again.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Action } from './actions.js';
import { MAX_SEARCH_DEPTH } from './calls.js';
import { skipCalls } from './end-calls.js';
import { calledIn, type Returned, type SegmentState } from './segment-state.js';

/** Reopens the calls that had returned in the transaction, if the event in `row` continues in one of them. */
export function reopen(state: SegmentState, row: number, fn: FunctionId): void {
  const { open, returned, pairing } = state;
  const isCallOf = (callRow: number) => calledIn(state, callRow) === fn;
  for (let index = open.length - 1; index >= Math.max(0, open.length - MAX_SEARCH_DEPTH); index--)
    if (isCallOf(open.rowAt(index))) return;
  const first = returned.findLastIndex(({ call }) => isCallOf(call.row));
  const reopened = first === NONE ? [] : openBeforeReturn(returned.slice(first));
  const lowest = reopened[0];
  if (lowest === undefined || lowest.index > open.length) return;
  skipCalls(state, row, open.cutAbove(lowest.index - 1));
  open.pushAgain(reopened.map(({ call }) => call));
  const { action, link, aborts } = pairing;
  action[row] = Action.Reopen;
  for (const { call } of reopened) link[call.row] = NONE;
  link[row] = aborts.push(reopened.map(({ call }) => call.row)) - 1;
}

/**
 * Returns what was open right before the first of these returned: itself, and those lower on the stack that returned
 * later.
 */
function openBeforeReturn(returned: readonly Returned[]): Returned[] {
  const open: Returned[] = [];
  for (const next of returned) if (next.index < (open[0]?.index ?? Number.POSITIVE_INFINITY)) open.unshift(next);
  return open;
}
