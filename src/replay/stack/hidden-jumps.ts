/**
 * Handles control that moved without an event: `--itrace=cr` prints no jumps, so an event may come from a function
 * other than the one on top. How the level on top will end decides whether that was a tail call or the stack was
 * unwound.
 */
import { Doubt } from '../../model/calls/doubts.js';
import { Inference, UNWOUND } from '../../model/profile/profile.js';
import { type Address, type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { MAX_NAMELESS_BYTES } from '../functions/function-ids.js';
import { Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { countSteps } from '../pairing/landings.js';
import { Action, actionOf } from '../pairing/pairing.js';
import type { ReplayState } from '../state.js';
import {
  addAlias,
  endOfLevel,
  findBelow,
  isTop,
  jump,
  lowestEndedWith,
  newestSkippedWith,
  raisersSkippedWith,
} from './levels.js';
import { closeAbove, frameAt, topFrame, topTraits } from './open-frames.js';

/** Ends the signal tail if the trace continues in another function, such as the one that the signal interrupted. */
export function endSignalTail(state: ReplayState, fn: FunctionId): void {
  if (state.signalTail !== fn) state.signalTail = NONE;
}

/** Applies a jump that the trace shows, into another function. */
export function jumpTo(state: ReplayState, named: FunctionId, toEntry: boolean, row: number): void {
  const target = wholeFunction(state, named);
  if (isTop(state, target)) return;
  if (traitsOf(state, target) & Trait.Kernel && isInKernelEntry(state)) return addAlias(state, target);
  if (toEntry) leaveLoader(state, target);
  const isNameless = (traitsOf(state, target) & Trait.Unknown) !== 0;
  if (isNameless && landNameless(state, target, row)) return;
  if (toEntry || isNameless) {
    const mayBeSwitch = mayHaveSwitched(state);
    jump(state, target, NONE, row);
    if (mayBeSwitch) markTop(state, Doubt.StackChoice);
    return;
  }
  // A jump into the middle of a function leads to an open frame that control unwound to, or to a label in the function
  // on top.
  const landing = targetOf(state, target, row);
  if (landing.index !== NONE) land(state, landing, target);
  else if (isUnwinding(state)) {
    jump(state, target, NONE);
    markTop(state, Doubt.Landing);
  } else addAlias(state, target);
}

/**
 * True if a jump of the function on top may lead to another stack. If a return ends its level, it does not; after a loss,
 * no return is seen.
 */
function mayHaveSwitched(state: ReplayState): boolean {
  if ((topTraits(state) & Trait.MaySwitch) === 0) return false;
  const { level } = topFrame(state);
  const { callRow } = frameAt(state, level);
  const isOpenAcross = callRow !== NONE && state.pairing.rows.linkAt(callRow) === callRow;
  return isOpenAcross || lowestEndedWith(state, level) === NONE;
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
  // The function on top returns through a thunk, or one it jumped to.
  if (traitsOf(state, fn) & Trait.ReturnThunk) return !state.facts.showsJumps;
  if (isInKernelEntry(state) || beganInKernel(state) || fallsThrough(state, topFrame(state).fn, fn)) {
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
  top.knownFromNs = Math.min(top.knownFromNs, state.events.timeAt(row));
}

/** True if code without a name is another function, or a cold part: nothing tells which. */
function isFarAway(state: ReplayState, fn: FunctionId): boolean {
  const { start } = state.facts.functions;
  return Math.abs(start[fn] - start[topFrame(state).fn]) > MAX_NAMELESS_BYTES;
}

function jumpHidden(state: ReplayState, fn: FunctionId): void {
  const bothUnknown = topTraits(state) & traitsOf(state, fn) & Trait.Unknown;
  if (!bothUnknown || state.options.tailCalls === 'nest') jump(state, fn, Inference.HiddenJump);
  else if (isFarAway(state, fn)) markTop(state, Doubt.HiddenJump);
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
    const mayBeSwitch = mayHaveSwitched(state);
    jumpHidden(state, fn);
    if (mayBeSwitch) markTop(state, Doubt.StackChoice);
    else if (hasChoice) markTop(state, Doubt.HiddenJump);
    return;
  }
  const landing = landingOf(state, fn, end, row);
  if (landing.index !== NONE) return land(state, landing, fn);
  const isKnown = end !== NONE && isReturn(state, row); // the event itself is the return, so its level is certain
  if (isKnown) closeAbove(state, endOfLevel(state, end) - 1, UNWOUND);
  jumpHidden(state, fn);
  // Unwinding never lands in an unwinder: it was jumped to.
  if (!isKnown && !(traitsOf(state, fn) & Trait.Unwinder)) markTop(state, Doubt.Landing);
}

function isReturn({ pairing }: ReplayState, row: number): boolean {
  const action = actionOf(pairing.rows.actionAt(row));
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
  if (!isCertain) markTop(state, Doubt.Landing);
}

/** For a cold part: returns the open function that it belongs to; else the function itself. */
function wholeFunction(state: ReplayState, fn: FunctionId): FunctionId {
  const { traits, symbol } = state.facts.functions;
  if (fn === NONE || !(traits[fn] & Trait.ColdPart)) return fn;
  const whole = functionOfPart(state, symbol[fn] as SymbolId);
  return whole === NONE ? fn : whole;
}

function markTop(state: ReplayState, doubt: Doubt): void {
  state.inferredEvents++;
  state.certainty.mark(topFrame(state), doubt);
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
  const action = actionOf(pairing.rows.actionAt(row));
  return action === Action.NewStack || action === Action.SwitchBack;
}

/** True if the kernel's code ran on into another label: where jumps are shown, nothing else is left. */
function fallsThrough({ facts }: ReplayState, from: FunctionId, to: FunctionId): boolean {
  const { traits, start } = facts.functions;
  return facts.showsJumps && (traits[from] & traits[to] & Trait.Kernel) !== 0 && start[from] < start[to];
}

/**
 * True if the function on top is the kernel's entry code: several labels that run on and jump to each other. What an interrupt
 * entered has no return address, so a jump out of it is no tail call.
 */
function isInKernelEntry(state: ReplayState): boolean {
  const site = siteOfFirst(state);
  if (site === NONE) return false;
  const { step, to, toEntry } = state.facts;
  return step[site] === Step.KernelEntry || (step[site] === Step.Start && to[site] < 0 && toEntry[site] === 1);
}

/** True if the trace starts in the function on top, of the kernel. */
function beganInKernel(state: ReplayState): boolean {
  const site = siteOfFirst(state);
  return site !== NONE && state.facts.step[site] === Step.Start && state.facts.to[site] < 0;
}

/** Returns the site of the event that begins the level on top; NONE: unknown, or another function is on top of it by now. */
function siteOfFirst(state: ReplayState): number {
  const { callRow, level } = topFrame(state);
  return callRow === NONE || level !== state.depth - 1 ? NONE : state.events.siteAt(callRow);
}

function traitsOf({ facts }: ReplayState, fn: FunctionId): number {
  return facts.functions.traits[fn];
}

// Finds the frame that control unwound to, when an exception or a longjmp left a level without a return.
//
// The unwinder of an exception shows how many frames it steps down. If it does not, the way the level on top ends
// limits how far down control can have gone, and shows whether more was unwound together with it later. If nothing was,
// control went to the very level that returns then.

/** An unwinder does not call itself deeper than this before it lands. */
export const MAX_UNWINDER_DEPTH = 8;
/** Frames beyond this number are assumed to be like those compared. */
const MAX_COMPARED = 16;
/** Maximum number of skipped raisers that are counted. */
const MAX_RAISERS = 64;
/** Maximum distance from an unwinder down to the function in whose cold part it lands. */
const MAX_PART_DISTANCE = 128;

interface Landing {
  /** Stack index of the frame; NONE: no such frame is open. */
  readonly index: number;
  /** No other frame was possible. */
  readonly isCertain: boolean;
}

/**
 * True if the level on top was unwound before the event in `row`, and did not jump. `end`: the lowest level that ends
 * with it, or NONE.
 */
function wasUnwound(state: ReplayState, end: number, row: number): boolean {
  const { level } = topFrame(state);
  if (end === level) return false;
  return isUnwinding(state) || (end !== NONE && !isUnwoundLater(state, level, row));
}

/** Returns the frame of `fn` that control went to from the level on top, before the event in `row`. */
function landingOf(state: ReplayState, fn: FunctionId, end: number, row: number): Landing {
  const { level } = topFrame(state);
  const stepped = steppedTo(state, fn, end, row);
  if (stepped !== NONE) return { index: stepped, isCertain: true };
  const lowest = Math.max(end, 0);
  const isKnown = end !== NONE && isLastSkipOf(state, level, row);
  const index = findBelow(state, fn, isKnown ? endOfLevel(state, end) : highestLanding(state, level), lowest);
  const isCertain = index !== NONE && (isKnown || !hasChoice(state, fn, index, lowest, row));
  return { index, isCertain };
}

/**
 * Returns the frame of `fn` that the unwinder on top stepped down to; NONE if there is none or if it contradicts how
 * levels end.
 */
function steppedTo(state: ReplayState, fn: FunctionId, end: number, row: number): number {
  const index = steppedIndex(state, row);
  if (index === NONE) return NONE;
  const { level } = frameAt(state, index);
  const isLastSkip = end !== NONE && isLastSkipOf(state, topFrame(state).level, row);
  if (isLastSkip ? level !== end : level < end) return NONE;
  const isNameless = (state.facts.functions.traits[fn] & Trait.Unknown) !== 0;
  const own = findBelow(state, fn, index + 1, level);
  return own === NONE && isNameless ? index : own; // a part of the function at another address
}

/** Returns the top of the level that the unwinder on top stepped down to, or NONE. */
function steppedIndex(state: ReplayState, row: number): number {
  const { level, callRow } = topFrame(state);
  if (callRow === NONE || (topTraits(state) & (Trait.Raiser | Trait.Stub)) !== Trait.Raiser) return NONE;
  let left = countSteps(state, callRow, row);
  let index = level - 1;
  while (left > 0 && index >= 0) {
    const { level: lower } = frameAt(state, index);
    left -= isSignal(state, lower) ? 2 : 1; // the kernel puts a frame of its own below a handler
    index = lower - 1;
  }
  return left === 0 ? index : NONE;
}

function isSignal(state: ReplayState, level: number): boolean {
  const { callRow } = frameAt(state, level);
  return callRow !== NONE && state.facts.step[state.events.siteAt(callRow)] === Step.Start;
}

/** Returns the function of the nearest frame that a cold part with this symbol can belong to, or NONE. */
function functionOfPart(state: ReplayState, symbol: SymbolId): FunctionId {
  const ofFrame = (index: number) => state.facts.functions.symbol[frameAt(state, index).fn];
  if (ofFrame(state.depth - 1) === symbol) return topFrame(state).fn;
  const below = highestLanding(state, topFrame(state).level);
  for (let index = below - 1; index >= Math.max(0, below - MAX_PART_DISTANCE); index--)
    if (ofFrame(index) === symbol) return frameAt(state, index).fn;
  return NONE;
}

/**
 * True if another frame of the function may be the landing. Frames that wait at the same call are alike to an
 * exception; and if as many frames pass the exception on later as there are others, none was skipped.
 */
function hasChoice(state: ReplayState, fn: FunctionId, index: number, lowest: number, row: number): boolean {
  const isException = unwinderWith(state, Trait.Raiser) !== NONE;
  const call = callIn(state, index);
  let others = 0;
  let areAlike = isException;
  for (let other = index; others < MAX_COMPARED; others++) {
    other = findBelow(state, fn, other, lowest);
    if (other === NONE) break;
    if (callIn(state, other) !== call) areAlike = false;
  }
  return others > 0 && !areAlike && timesResumed(state, fn, row) <= others;
}

/** Returns how many frames of the function are seen to pass the exception on, from now until a return. */
function timesResumed(state: ReplayState, fn: FunctionId, fromRow: number): number {
  const { toFunction, fromFunction, functions } = state.facts;
  let times = 0;
  for (const row of raisersSkippedWith(state, topFrame(state).level, MAX_RAISERS)) {
    const site = state.events.siteAt(row);
    const isOf = functions.symbol[fromFunction[site]] === functions.symbol[fn];
    if (row >= fromRow && isOf && functions.traits[toFunction[site]] & Trait.Resumer) times++;
  }
  return times;
}

/** Returns the address of the call that the frame at an index waits in; NaN if it was not seen. */
function callIn(state: ReplayState, index: number): Address {
  const { callRow } = frameAt(state, index + 1);
  return callRow === NONE ? Number.NaN : state.facts.from[state.events.siteAt(callRow)];
}

/** True if nothing else is skipped between here and the return that ends this level. */
function isLastSkipOf(state: ReplayState, level: number, row: number): boolean {
  return newestSkippedWith(state, level) < row;
}

/** True if what is finally skipped together with the level is left by an unwinder that is called later. */
function isUnwoundLater(state: ReplayState, level: number, row: number): boolean {
  if (isLastSkipOf(state, level, row)) return false;
  const { toFunction, functions } = state.facts;
  const fn = toFunction[state.events.siteAt(newestSkippedWith(state, level))];
  return fn !== NONE && (functions.traits[fn] & Trait.Unwinder) !== 0;
}

/** True if an unwinder runs, possibly in functions of its own that have no name. */
function isUnwinding(state: ReplayState): boolean {
  return unwinderWith(state, Trait.Unwinder) !== NONE;
}

/** Returns the index from which on frames cannot be landed in. */
function highestLanding(state: ReplayState, level: number): number {
  const resumer = unwinderWith(state, Trait.Resumer);
  return resumer > 0 ? frameAt(state, resumer - 1).level : level; // its cleanup is done: never landed in again
}

/** Returns the index of the uppermost unwinder with a trait, if only nameless code runs above it; else NONE. */
function unwinderWith(state: ReplayState, trait: number): number {
  let index = state.depth - 1;
  for (let n = 0; n < MAX_UNWINDER_DEPTH && index >= 0; n++, index--) {
    const frame = frameAt(state, index);
    const traits = state.facts.functions.traits[frame.fn];
    if (traits & Trait.Stub || !(traits & (Trait.Unknown | Trait.Unwinder))) return NONE;
    if (traits & trait) return frame.level;
  }
  return NONE;
}
