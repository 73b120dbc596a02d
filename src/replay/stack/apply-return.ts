/**
 * Applies returns to the stack, as pairing determined them.
 */
import { Inference, UNWOUND } from '../../model/profile/quality.js';
import { type FunctionId, NONE } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import { Trait } from '../functions/traits.js';
import { type Action, isTraceStart } from '../pairing/actions.js';
import type { ReplayState } from '../state.js';
import { addAlias } from './jump.js';
import { endOfLevel, findBelow, levelOfCall, levelOfReturn, topBefore } from './levels.js';
import { closeAbove, pushCall, pushOpen, returnFrom, topFrame, topTraits } from './open-frames.js';

/** Returns from the level that the event in `callRow` called. */
export function returnFromCall(state: ReplayState, callRow: number, action: Action): void {
  returnFrom(state, levelOfCall(state, callRow), endingOfSkipped(state, action));
}

/**
 * Adds the target as an alias of the caller if it has another label. The return address proves that it is the caller's
 * own code: ld.so's _start runs on into _dl_start_user.
 */
export function landIn(state: ReplayState, target: FunctionId): void {
  if (topFrame(state).fn !== target) addAlias(state, target);
}

/**
 * Returns how skipped calls end: here (UNWOUND), if the event is a return. At a trace start they may have ended before,
 * and a function that switches stacks may resume them.
 */
function endingOfSkipped(state: ReplayState, action: Action): number {
  return !isTraceStart(action) && (topTraits(state) & Trait.StackSwitcher) === 0 ? UNWOUND : Inference.Unwound;
}

/** Returns from a call that the trace does not show, to the level that the event in `callRow` called. */
export function returnTo(state: ReplayState, callRow: number, returning: FunctionId, target: FunctionId): void {
  const index = levelOfCall(state, callRow);
  if (index === NONE) return;
  const below = findBelow(state, target, state.depth, index);
  const landing = below === NONE ? endOfLevel(state, index) - 1 : below;
  if (state.depth === landing + 1) pushOpen(state, returning, Inference.HiddenJump); // it had called itself
  closeAbove(state, landing, Inference.HiddenJump);
  state.certainty.markAfterHiddenJump(topFrame(state));
}

/** Applies an unmatched return: its caller was pushed with the first stack, or is below everything that is known. */
export function returnUnmatched(state: ReplayState, row: number, target: FunctionId, action: Action): void {
  const index = levelOfReturn(state, row);
  if (index > 0) return returnFrom(state, index, endingOfSkipped(state, action));
  closeAbove(state, -1, NONE);
  pushOpen(state, target, Inference.CutByGap);
}

/** Reopens calls that had returned in an aborted transaction. */
export function reopen(state: ReplayState, callRows: readonly number[]): void {
  const { toFunction, functions } = state.facts;
  closeAbove(state, topBefore(state, callRows[0] as number), Inference.Unwound);
  for (const row of callRows) {
    const fn = orNameless(functions, toFunction[state.events.site[row]]);
    pushCall(state, fn, row, Inference.Unwound);
  }
}
