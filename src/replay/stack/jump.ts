/**
 * The function on top hands on control: a tail call, a stub that leads somewhere, a label inside of it.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import type { ReplayState } from '../state.js';
import { findBelow } from './levels.js';
import { closeAbove, closeTop, push, renameTop, topFrame, topTraits } from './open-frames.js';

/** Longer chains of tail calls are loops, as of an interpreter: they go back to the frame they came from. */
const MAX_TAIL_CHAIN = 64;
/** A function has fewer labels; of more only the last ones are known. */
const MAX_ALIASES = 16;

/** The function on top jumps to another one. `inference`: NONE if the jump was seen. */
export function jump(state: ReplayState, fn: FunctionId, inference: number): void {
  const top = topFrame(state);
  const traits = topTraits(state);
  const nests = state.options.tailCalls === 'nest';
  if (traits & Trait.Stub) leaveStub(state, fn, inference);
  else if (!nests || (traits & Trait.Resolver && !top.isCalled)) replaceTop(state, fn, inference);
  else if (state.depth - top.level > MAX_TAIL_CHAIN && findBelow(state, fn, state.depth, top.level) !== NONE)
    closeAbove(state, findBelow(state, fn, state.depth, top.level), NONE);
  else push(state, fn, top.level, top.callRow, top.returnRow, inference);
}

/** What a stack walk would show: the new function stands where the old one stood. */
export function replaceTop(state: ReplayState, fn: FunctionId, inference: number): void {
  const { level, callRow, returnRow, returnsTo, isAfterHiddenJump } = topFrame(state);
  closeTop(state, inference); // nobody saw it end if the jump was not shown
  push(state, fn, level, callRow, returnRow, inference);
  const top = topFrame(state);
  top.returnsTo = returnsTo;
  if (isAfterHiddenJump) state.certainty.markAfterHiddenJump(top);
}

/** A stub is renamed to where it leads. "foo@plt" leads to foo, even if foo has jumped on to `fn` by now. */
function leaveStub(state: ReplayState, fn: FunctionId, inference: number): void {
  const { stubTarget, bareName, traits } = state.facts.functions;
  const target = stubTarget[topFrame(state).fn];
  const isThere = target === NONE || bareName[target] === bareName[fn];
  const leadsOn = traits[fn] & (Trait.Stub | Trait.Resolver);
  if (state.options.tailCalls === 'replace' || isThere || leadsOn) return renameTop(state, fn);
  renameTop(state, target);
  jump(state, fn, inference);
}

/** Code under another label is seen to belong to the function on top. */
export function addAlias(state: ReplayState, fn: FunctionId): void {
  const top = topFrame(state);
  if (!top.aliases?.includes(fn)) top.aliases = [fn, ...(top.aliases ?? [])].slice(0, MAX_ALIASES);
}

/** The frame on top is one of this function, under whatever label. */
export function isTop(state: ReplayState, fn: FunctionId): boolean {
  const top = topFrame(state);
  return top.fn === fn || top.aliases?.includes(fn) === true;
}
