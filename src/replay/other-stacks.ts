/**
 * The thread goes to another of its stacks: one that was not seen before, or, unseen, one that was left.
 */
import { Inference } from '../model/profile/quality.js';
import { type FunctionId, NONE } from '../model/units.js';
import { layOther } from './losses/first-stack.js';
import type { OtherStack } from './pairing/calls.js';
import { beginStack, leaveStack, resumeStack } from './stack/fibers.js';
import { replaceTop } from './stack/jump.js';
import { endOfLevel, placeOfCall } from './stack/levels.js';
import { closeAbove, returnFrom } from './stack/open-frames.js';
import type { ReplayState } from './state.js';

/** The event in `row` goes to a stack that was not seen before. */
export function beginOther(state: ReplayState, row: number, first: FunctionId): void {
  const { events, facts, pairing } = state;
  const isEntry = facts.toEntry[events.site[row]] === 1;
  beginStack(state, row);
  layOther(state, pairing.stacks[pairing.link[row]] as OtherStack, row, first, isEntry);
}

/** Before the event in `row` the thread went to another stack, where `fn` goes on. False if that is not known after all. */
export function goUnseen(state: ReplayState, row: number, fn: FunctionId): boolean {
  const unseen = state.pairing.unseen.get(row);
  if (unseen === undefined) return false;
  leaveStack(state, row);
  switch (unseen.to) {
    case 'new':
      beginStack(state, row);
      layOther(state, unseen.stack, row, fn, false);
      return true;
    case 'left':
      resumeStack(state, unseen.change, row);
      return true;
    case 'below':
      return goDown(state, unseen.callRow, unseen.isOver, fn);
  }
}

/** To the stack below, on which the call in a row went away. */
function goDown(state: ReplayState, callRow: number, isOver: boolean, fn: FunctionId): boolean {
  const place = placeOfCall(state, callRow);
  if (place === NONE) return false;
  closeAbove(state, endOfLevel(state, place) - 1, Inference.Unwound);
  if (isOver) returnFrom(state, place, NONE);
  else replaceTop(state, fn, Inference.HiddenJump);
  return true;
}
