/**
 * How a level that is open now will end, as pairing has found it.
 */
import { NONE } from '../../model/units.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { ReplayState } from '../state.js';
import { placeOfCall, placeOfLeave } from './levels.js';
import { frameAt } from './open-frames.js';

/** The lowest level that goes when the level at `place` goes; NONE if nothing is seen to leave it. */
export function lowestEndedWith(state: ReplayState, place: number): number {
  const { action, link } = state.pairing;
  const { callRow, leave } = frameAt(state, place);
  if (leave !== NONE) return placeOfLeave(state, leave);
  const endRow = endRowOf(state, place);
  if (endRow === NONE) return NONE;
  if (endRow === callRow) return place; // by its own return, behind a loss
  const ending = actionOf(action[endRow]);
  if (ending === Action.SwitchBack) return place;
  if (ending === Action.Leave) return placeOfLeave(state, endRow);
  return link[endRow] === callRow ? place : placeOfCall(state, link[endRow]);
}

/** The newest of the calls that go together with the level at `place`, without a return of their own; or NONE. */
export function newestSkippedWith(state: ReplayState, place: number): number {
  const endRow = endRowOf(state, place);
  return endRow === NONE ? NONE : state.pairing.skipped.newestOf(endRow);
}

/** The newest raisers, at most so many, of those that go together with it. */
export function raisersLeftWith(state: ReplayState, place: number, most: number): Int32Array {
  return state.pairing.skipped.raisersOf(endRowOf(state, place), most);
}

/** The row in which the level at `place` ends; NONE if that is not seen. */
function endRowOf(state: ReplayState, place: number): number {
  const { callRow, leave } = frameAt(state, place);
  if (leave !== NONE) return leave;
  return callRow === NONE ? NONE : state.pairing.link[callRow];
}
