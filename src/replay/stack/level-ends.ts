/**
 * Looks up in the pairing how a level that is open now will end.
 */
import { NONE } from '../../model/units.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { ReplayState } from '../state.js';
import { levelOfCall, levelOfReturn } from './levels.js';
import { frameAt } from './open-frames.js';

/** Returns the lowest level that ends together with the level at `index`; NONE if no return is seen to end it. */
export function lowestEndedWith(state: ReplayState, index: number): number {
  const { action, link } = state.pairing;
  const { callRow, returnRow } = frameAt(state, index);
  if (returnRow !== NONE) return levelOfReturn(state, returnRow);
  const endRow = endRowOf(state, index);
  if (endRow === NONE) return NONE;
  if (endRow === callRow) return index; // ended by its own return after a loss
  const ending = actionOf(action[endRow]);
  if (ending === Action.SwitchBack) return index;
  if (ending === Action.UnmatchedReturn) return levelOfReturn(state, endRow);
  return link[endRow] === callRow ? index : levelOfCall(state, link[endRow]);
}

/** Returns the newest of the skipped calls that end together with the level at `index`, or NONE. */
export function newestSkippedWith(state: ReplayState, index: number): number {
  const endRow = endRowOf(state, index);
  return endRow === NONE ? NONE : state.pairing.skipped.newestOf(endRow);
}

/** Returns the newest raisers among them, at most `max`. */
export function raisersSkippedWith(state: ReplayState, index: number, max: number): Int32Array {
  return state.pairing.skipped.raisersOf(endRowOf(state, index), max);
}

/** Returns the row in which the level at `index` ends; NONE if that is not seen. */
function endRowOf(state: ReplayState, index: number): number {
  const { callRow, returnRow } = frameAt(state, index);
  if (returnRow !== NONE) return returnRow;
  return callRow === NONE ? NONE : state.pairing.link[callRow];
}
