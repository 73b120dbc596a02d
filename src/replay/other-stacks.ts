/**
 * Switches the thread to another of its stacks: to one seen for the first time or, by a hidden switch, to a parked one.
 */
import { Inference } from '../model/profile/quality.js';
import { type FunctionId, NONE } from '../model/units.js';
import { pushOtherStack } from './losses/first-stack.js';
import type { OtherStack } from './pairing/calls.js';
import { noteStackStart, parkStacks, resumeStack } from './stack/fibers.js';
import { replaceTop } from './stack/jump.js';
import { endOfLevel, levelOfCall } from './stack/levels.js';
import { closeAbove, returnFrom } from './stack/open-frames.js';
import type { ReplayState } from './state.js';

/** The event in `row` goes to a stack that was not seen before. */
export function switchToNew(state: ReplayState, row: number, first: FunctionId): void {
  const { events, facts, pairing } = state;
  const isEntry = facts.toEntry[events.site[row]] === 1;
  noteStackStart(state, row);
  pushOtherStack(state, pairing.stacks[pairing.link[row]] as OtherStack, row, first, isEntry);
}

/**
 * Switches to another stack, on which `fn` runs, if the thread did so before the event in `row`. False if it
 * did not.
 */
export function applyHiddenSwitch(state: ReplayState, row: number, fn: FunctionId): boolean {
  const hidden = state.pairing.hiddenSwitches.get(row);
  if (hidden === undefined) return false;
  parkStacks(state, row);
  switch (hidden.to) {
    case 'new':
      noteStackStart(state, row);
      pushOtherStack(state, hidden.stack, row, fn, false);
      return true;
    case 'parked':
      resumeStack(state, hidden.change, row);
      return true;
    case 'below':
      return switchBelow(state, hidden.callRow, hidden.isOver, fn);
  }
}

/** Goes back to the stack below, which the call in `callRow` had switched away from. */
function switchBelow(state: ReplayState, callRow: number, isOver: boolean, fn: FunctionId): boolean {
  const index = levelOfCall(state, callRow);
  if (index === NONE) return false;
  closeAbove(state, endOfLevel(state, index) - 1, Inference.Unwound);
  if (isOver) returnFrom(state, index, NONE);
  else replaceTop(state, fn, Inference.HiddenJump);
  return true;
}
