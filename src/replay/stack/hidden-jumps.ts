/**
 * Handles control that moved without an event: `--itrace=cr` prints no jumps, so an event may come from a function
 * other than the one on top. How the level on top will end decides whether that was a tail call or the stack was
 * unwound.
 */
import { Inference, UNWOUND } from '../../model/profile/profile.js';
import { type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { Action, actionOf } from '../pairing/actions.js';
import type { ReplayState } from '../state.js';
import { addAlias, isTop, jump } from './jump.js';
import { lowestEndedWith } from './level-ends.js';
import { endOfLevel, findBelow } from './levels.js';
import { closeAbove, topFrame, topTraits } from './open-frames.js';
import { functionOfPart, isUnwinding, type Landing, landingOf, wasUnwound } from './unwinding.js';

/** Ends the signal tail if the trace continues in another function, such as the one that the signal interrupted. */
export function endSignalTail(state: ReplayState, fn: FunctionId): void {
  if (state.signalTail !== fn) state.signalTail = NONE;
}

/** Applies a jump that the trace shows, into another function. */
export function jumpTo(state: ReplayState, named: FunctionId, toEntry: boolean, row: number): void {
  const target = wholeFunction(state, named);
  if (isTop(state, target)) return;
  if (toEntry) leaveLoader(state, target);
  const isNameless = (traitsOf(state, target) & Trait.Unknown) !== 0;
  if (isNameless && landNameless(state, target, row)) return;
  if (toEntry || isNameless) return jump(state, target, NONE, row);
  // A jump into the middle of a function leads to an open frame that control unwound to, or to a label in the function
  // on top.
  const landing = targetOf(state, target, row);
  if (landing.index !== NONE) land(state, landing, target);
  else if (isUnwinding(state)) {
    jump(state, target, NONE);
    markTop(state);
  } else addAlias(state, target);
}

/** Lands in nameless code, which may or may not start a function, if an unwinder leaves the level. */
function landNameless(state: ReplayState, target: FunctionId, row: number): boolean {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (end === level || !isUnwinding(state)) return false;
  const landing = landingOf(state, target, end, row);
  if (landing.index !== NONE) land(state, landing, target);
  return landing.index !== NONE;
}

/**
 * Finds the frame that a jump into the middle of a function leads to: where control unwound to, or the nearest frame of
 * the function down to the level that ends together with the one on top.
 */
function targetOf(state: ReplayState, target: FunctionId, row: number): Landing {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (wasUnwound(state, end, row)) return landingOf(state, target, end, row);
  const lowest = Math.max(0, end);
  const index = findBelow(state, target, state.depth, lowest);
  return { index, isCertain: end === level || index === NONE || findBelow(state, target, index, lowest) === NONE };
}

/**
 * Makes the function that the event in `row` comes from the top of the stack. True if it was not on top: then the time
 * since the event before is shared by two functions.
 */
export function syncTo(state: ReplayState, named: FunctionId, row: number): boolean {
  const fn = wholeFunction(state, named);
  if (fn === NONE || state.signalTail === fn || isTop(state, fn)) return false;
  state.signalTail = NONE;
  if (traitsOf(state, fn) & Trait.ReturnThunk) return false; // the function on top returns through it
  const top = topFrame(state);
  if (isKernelEntry(state, top.callRow) && top.level === state.depth - 1) {
    addAlias(state, fn);
    return false;
  }
  if (leaveLoader(state, fn)) {
    jump(state, fn, Inference.OpenAtStart);
    return true;
  }
  const isStub = (topTraits(state) & (Trait.Stub | Trait.Resolver)) !== 0;
  if (isStub || isSwitchingStacks(state, row)) jumpHidden(state, fn);
  else jumpOrUnwind(state, fn, row);
  noteTopSeen(state, row);
  return !isStub && !(topTraits(state) & Trait.Stub);
}

/** Notes that the event in `row` confirms the function on top. */
function noteTopSeen(state: ReplayState, row: number): void {
  const top = topFrame(state);
  top.knownFromNs = Math.min(top.knownFromNs, state.events.timeNs[row]);
}

function jumpHidden(state: ReplayState, fn: FunctionId): void {
  const bothUnknown = topTraits(state) & traitsOf(state, fn) & Trait.Unknown;
  if (!bothUnknown || state.options.tailCalls === 'nest') jump(state, fn, Inference.HiddenJump);
}

/**
 * Decides between a jump and an unwound stack. If the level on top ends by its own return, it jumped. If a return that
 * lands deeper ends it, an exception or longjmp led to a frame of `fn` in between.
 */
function jumpOrUnwind(state: ReplayState, fn: FunctionId, row: number): void {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (!wasUnwound(state, end, row)) {
    const hasChoice = end === NONE && findBelow(state, fn, level, 0) !== NONE;
    jumpHidden(state, fn);
    if (hasChoice) markTop(state);
    return;
  }
  const landing = landingOf(state, fn, end, row);
  if (landing.index !== NONE) return land(state, landing, fn);
  const isKnown = end !== NONE && isReturn(state, row); // the event itself is the return, so its level is certain
  if (isKnown) closeAbove(state, endOfLevel(state, end) - 1, UNWOUND);
  jumpHidden(state, fn);
  // Unwinding never lands in an unwinder: it was jumped to.
  if (!isKnown && !(traitsOf(state, fn) & Trait.Unwinder)) markTop(state);
}

function isReturn({ pairing }: ReplayState, row: number): boolean {
  const action = actionOf(pairing.action[row]);
  return action === Action.Return || action === Action.UnmatchedReturn || action === Action.SignalReturn;
}

/**
 * Closes all frames above the landing. That their calls ended there is certain if a return further down is seen to end
 * them, or if an unwinder runs.
 */
function land(state: ReplayState, { index, isCertain }: Landing, fn: FunctionId): void {
  const isEndKnown = lowestEndedWith(state, topFrame(state).level) !== NONE || isUnwinding(state);
  closeAbove(state, index, isEndKnown ? UNWOUND : Inference.Unwound);
  if (topFrame(state).fn !== fn) addAlias(state, fn); // a part of the function at another address
  if (!isCertain) markTop(state);
}

/** For a cold part: returns the open function that it belongs to; else the function itself. */
function wholeFunction(state: ReplayState, fn: FunctionId): FunctionId {
  const { traits, symbol } = state.facts.functions;
  if (fn === NONE || !(traits[fn] & Trait.ColdPart)) return fn;
  const whole = functionOfPart(state, symbol[fn] as SymbolId);
  return whole === NONE ? fn : whole;
}

function markTop(state: ReplayState): void {
  state.inferredEvents++;
  state.certainty.markAfterHiddenJump(topFrame(state));
}

/**
 * Handles the start of a program, which has no callers but the code that loaded it: musl's loader jumps there on the
 * stack that the kernel made, so only the lowest level stays. True if the function is where programs begin.
 */
function leaveLoader(state: ReplayState, fn: FunctionId): boolean {
  if (!(traitsOf(state, fn) & Trait.ProgramStart)) return false;
  if (lowestEndedWith(state, topFrame(state).level) === NONE)
    closeAbove(state, endOfLevel(state, 0) - 1, Inference.Unwound);
  return true;
}

/** True if the event is on another stack than the open calls, because of a hidden switch. */
function isSwitchingStacks({ pairing }: ReplayState, row: number): boolean {
  const action = actionOf(pairing.action[row]);
  return action === Action.NewStack || action === Action.SwitchBack;
}

// The kernel's entry code has several labels.
function isKernelEntry({ facts, events }: ReplayState, callRow: number): boolean {
  return callRow !== NONE && facts.step[events.site[callRow]] === Step.KernelEntry;
}

function traitsOf({ facts }: ReplayState, fn: FunctionId): number {
  return facts.functions.traits[fn];
}
