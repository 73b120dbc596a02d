/**
 * Jumps from the function on top: a tail call, a stub to its target, or a label inside the function.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import type { ReplayState } from '../state.js';
import { findBelow } from './levels.js';
import { closeAbove, closeTop, push, renameTop, topFrame, topTraits } from './open-frames.js';

/** Longer chains of tail calls are loops, as in an interpreter: they go back to the frame they came from. */
export const MAX_TAIL_CHAIN = 64;
/** Maximum number of labels per function; beyond it, only the most recent ones are known. */
const MAX_ALIASES = 16;

/** Jumps from the function on top to another one. `inference`: NONE if the trace shows the jump, in `row`. */
export function jump(state: ReplayState, fn: FunctionId, inference: number, row: number = NONE): void {
  const top = topFrame(state);
  const traits = topTraits(state);
  const nests = state.options.tailCalls === 'nest';
  if (traits & Trait.Stub) leaveStub(state, fn, inference);
  else if (!nests || (traits & Trait.Resolver && !top.isCalled)) replaceTop(state, fn, inference);
  else if (state.depth - top.level > MAX_TAIL_CHAIN && findBelow(state, fn, state.depth, top.level) !== NONE)
    closeAbove(state, findBelow(state, fn, state.depth, top.level), NONE);
  else push(state, fn, top.level, top.callRow, top.returnRow, inference, row);
}

/** Replaces the frame on top, as a stack walk would show it: the new function is where the old one was. */
export function replaceTop(state: ReplayState, fn: FunctionId, inference: number): void {
  const { level, callRow, returnRow, returnsTo, isAfterHiddenJump } = topFrame(state);
  closeTop(state, inference); // its end was not seen if the jump is hidden
  push(state, fn, level, callRow, returnRow, inference);
  const top = topFrame(state);
  top.returnsTo = returnsTo;
  if (isAfterHiddenJump) state.certainty.markAfterHiddenJump(top);
}

/** Renames a stub to the function it leads to. "foo@plt" leads to foo, even if foo has already jumped on to `fn`. */
function leaveStub(state: ReplayState, fn: FunctionId, inference: number): void {
  const { stubTarget, bareName, traits } = state.facts.functions;
  const target = stubTarget[topFrame(state).fn];
  const isThere = target === NONE || bareName[target] === bareName[fn];
  const leadsOn = traits[fn] & (Trait.Stub | Trait.Resolver);
  if (state.options.tailCalls === 'replace' || isThere || leadsOn) return renameTop(state, fn);
  renameTop(state, target);
  jump(state, fn, inference);
}

/** Notes that code under another label belongs to the function on top. */
export function addAlias(state: ReplayState, fn: FunctionId): void {
  const top = topFrame(state);
  if (!top.aliases.includes(fn)) top.aliases = [fn, ...top.aliases].slice(0, MAX_ALIASES);
}

/** True if the frame on top belongs to this function, under any label. */
export function isTop(state: ReplayState, fn: FunctionId): boolean {
  const top = topFrame(state);
  return top.fn === fn || top.aliases.includes(fn);
}
