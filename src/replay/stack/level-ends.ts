/**
 * How a level that is open now will end, as pairing has found it.
 */
import { NONE } from '../../model/units.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { ReplayState } from '../state.js';
import { levelOfCall, levelOfReturn } from './levels.js';
import { frameAt } from './open-frames.js';

/** The lowest level that goes when the level at `index` goes; NONE if nothing is seen to leave it. */
export function lowestEndedWith(state: ReplayState, index: number): number {
  const { action, link } = state.pairing;
  const { callRow, returnRow } = frameAt(state, index);
  if (returnRow !== NONE) return levelOfReturn(state, returnRow);
  const endRow = endRowOf(state, index);
  if (endRow === NONE) return NONE;
  if (endRow === callRow) return index; // by its own return, behind a loss
  const ending = actionOf(action[endRow]);
  if (ending === Action.SwitchBack) return index;
  if (ending === Action.UnmatchedReturn) return levelOfReturn(state, endRow);
  return link[endRow] === callRow ? index : levelOfCall(state, link[endRow]);
}

/** The newest of the calls that go together with the level at `index`, without a return of their own; or NONE. */
export function newestSkippedWith(state: ReplayState, index: number): number {
  const endRow = endRowOf(state, index);
  return endRow === NONE ? NONE : state.pairing.skipped.newestOf(endRow);
}

/** The newest raisers, at most so many, of those that go together with it. */
export function raisersSkippedWith(state: ReplayState, index: number, most: number): Int32Array {
  return state.pairing.skipped.raisersOf(endRowOf(state, index), most);
}

/** The row in which the level at `index` ends; NONE if that is not seen. */
function endRowOf(state: ReplayState, index: number): number {
  const { callRow, returnRow } = frameAt(state, index);
  if (returnRow !== NONE) return returnRow;
  return callRow === NONE ? NONE : state.pairing.link[callRow];
}
