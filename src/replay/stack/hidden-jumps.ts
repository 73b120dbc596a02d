/**
 * Control that moved without an event: `--itrace=cr` prints no jumps, so an event may come from a function that is not
 * the one on top. Was it a tail call, or was the stack unwound? How the level on top ends tells; nothing is guessed.
 */
import { Inference, UNWOUND } from '../../model/profile/quality.js';
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

/** The trace goes on in a function: what a signal interrupted, or still the code that ends it. */
export function endSignalTail(state: ReplayState, fn: FunctionId): void {
  if (state.signalTail !== fn) state.signalTail = NONE;
}

/** A jump that was shown, into another function. */
export function jumpTo(state: ReplayState, named: FunctionId, toEntry: boolean, row: number): void {
  const target = wholeFunction(state, named);
  if (isTop(state, target)) return;
  if (toEntry) leaveLoader(state, target);
  const isNameless = (traitsOf(state, target) & Trait.Unknown) !== 0;
  if (isNameless && landNameless(state, target, row)) return;
  if (toEntry || isNameless) return jump(state, target, NONE);
  // Into the middle of a function: of a frame to which control can have gone, or of a label inside this one.
  const landing = targetOf(state, target, row);
  if (landing.index !== NONE) land(state, landing, target);
  else if (isUnwinding(state)) {
    jump(state, target, NONE);
    markTop(state);
  } else addAlias(state, target);
}

/** Of a index without a name nobody knows whether it is the start of a function: an unwinder that is left lands in it. */
function landNameless(state: ReplayState, target: FunctionId, row: number): boolean {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (end === level || !isUnwinding(state)) return false;
  const landing = landingOf(state, target, end, row);
  if (landing.index !== NONE) land(state, landing, target);
  return landing.index !== NONE;
}

function targetOf(state: ReplayState, target: FunctionId, row: number): Landing {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (wasUnwound(state, end, row)) return landingOf(state, target, end, row);
  const lowest = Math.max(0, end);
  const index = findBelow(state, target, state.depth, lowest);
  return { index, isCertain: end === level || index === NONE || findBelow(state, target, index, lowest) === NONE };
}

/**
 * Makes the function that the event in `row` comes from the top of the stack. True if it was not, so that the time since
 * the event before it is that of two functions.
 */
export function syncTo(state: ReplayState, named: FunctionId, row: number): boolean {
  const fn = wholeFunction(state, named);
  if (fn === NONE || state.signalTail === fn || isTop(state, fn)) return false;
  state.signalTail = NONE;
  if (traitsOf(state, fn) & Trait.ReturnThunk) return false; // the function on top returns
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
  if (isStub || isSwitchingStacks(state, row)) jumpUnseen(state, fn);
  else jumpOrUnwind(state, fn, row);
  noteTopSeen(state, row);
  return !isStub && !(topTraits(state) & Trait.Stub);
}

/** The event in `row` is seen in the function on top. */
function noteTopSeen(state: ReplayState, row: number): void {
  const top = topFrame(state);
  top.knownFromNs = Math.min(top.knownFromNs, state.events.timeNs[row]);
}

function jumpUnseen(state: ReplayState, fn: FunctionId): void {
  const bothUnknown = topTraits(state) & traitsOf(state, fn) & Trait.Unknown;
  if (!bothUnknown || state.options.tailCalls === 'nest') jump(state, fn, Inference.HiddenJump);
}

/**
 * Left by an exception or a longjmp? If the level on top ends by its own return, no: it jumped. If a return that lands
 * deeper ends it, control went to a frame of `fn` between the two.
 */
function jumpOrUnwind(state: ReplayState, fn: FunctionId, row: number): void {
  const { level } = topFrame(state);
  const end = lowestEndedWith(state, level);
  if (!wasUnwound(state, end, row)) {
    const hasChoice = end === NONE && findBelow(state, fn, level, 0) !== NONE;
    jumpUnseen(state, fn);
    if (hasChoice) markTop(state);
    return;
  }
  const landing = landingOf(state, fn, end, row);
  if (landing.index !== NONE) return land(state, landing, fn);
  const isKnown = end !== NONE && isReturn(state, row); // the return itself: its level is certain
  if (isKnown) closeAbove(state, endOfLevel(state, end) - 1, UNWOUND);
  jumpUnseen(state, fn);
  // Nobody lands in an unwinder: it was jumped to.
  if (!isKnown && !(traitsOf(state, fn) & Trait.Unwinder)) markTop(state);
}

function isReturn({ pairing }: ReplayState, row: number): boolean {
  const action = actionOf(pairing.action[row]);
  return action === Action.Return || action === Action.UnmatchedReturn || action === Action.SignalReturn;
}

/**
 * Control went to the frame at a index, out of all that is above it. That those calls ended is certain if a return further
 * down is seen to end them, or if an unwinder runs.
 */
function land(state: ReplayState, { index, isCertain }: Landing, fn: FunctionId): void {
  const isEndKnown = lowestEndedWith(state, topFrame(state).level) !== NONE || isUnwinding(state);
  closeAbove(state, index, isEndKnown ? UNWOUND : Inference.Unwound);
  if (topFrame(state).fn !== fn) addAlias(state, fn); // a part of it that lies elsewhere
  if (!isCertain) markTop(state);
}

/** Of a part of a function the function that is open; else itself. */
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
 * A program has no callers but the code that loaded it, which musl's loader jumps out of with the stack that the kernel
 * made: nothing but the lowest level is left. True if the function is where programs begin.
 */
function leaveLoader(state: ReplayState, fn: FunctionId): boolean {
  if (!(traitsOf(state, fn) & Trait.ProgramStart)) return false;
  if (lowestEndedWith(state, topFrame(state).level) === NONE)
    closeAbove(state, endOfLevel(state, 0) - 1, Inference.Unwound);
  return true;
}

/** The event comes from another stack than the one whose calls are open: that was gone to unseen. */
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
