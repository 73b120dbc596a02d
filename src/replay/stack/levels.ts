/**
 * Finds things on the stack: levels by the events that call or end them, and frames by their function.
 */
import { returningTo } from '../../model/calls/call-log.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import { Action, actionOf } from '../pairing/pairing.js';
import type { ReplayState } from '../state.js';
import { closeAbove, closeTop, frameAt, push, renameTop, topFrame, topTraits } from './open-frames.js';

/** Returns the index of the highest frame of a function below `below` and not below `lowest`, or NONE. */
export function findBelow({ frameIndex, depth }: ReplayState, fn: FunctionId, below: number, lowest: number): number {
  return frameIndex.findBelow(fn, depth, below, lowest);
}

/** Returns the index of the level that the event in `row` called, or NONE. */
export function levelOfCall(state: ReplayState, row: number): number {
  if (state.depth > 0) {
    const { level } = topFrame(state);
    if (frameAt(state, level).callRow === row) return level;
  }
  const index = topBefore(state, row) + 1;
  return index < state.depth && frameAt(state, index).callRow === row ? index : NONE;
}

/** Returns the index of the frame that was on top before the event in `row`, or NONE. */
export function topBefore(state: ReplayState, row: number): number {
  let low = 0;
  let high = state.depth;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frameAt(state, middle).order < row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the index of the level that the unmatched return in `row` ends, or NONE. */
export function levelOfReturn({ levelByReturnRow }: ReplayState, row: number): number {
  return levelByReturnRow.get(row) ?? NONE;
}

/** Sets the return that ends the level at an index. If that return already ends a lower level, both end together. */
export function setReturnRow(state: ReplayState, index: number, row: number, returnsTo: Address): void {
  const frame = frameAt(state, index);
  frame.returnRow = row;
  state.log?.setPlace(frame.logRow, returningTo(state.events.siteAt(row)));
  if (state.levelByReturnRow.has(row)) return;
  frame.returnsTo = returnsTo;
  state.levelByReturnRow.set(row, index);
}

/** Forgets after a loss which returns end which levels: that is determined anew. */
export function forgetReturnRows(state: ReplayState): void {
  const { stack, depth, levelByReturnRow } = state;
  for (const [row, lowest] of levelByReturnRow)
    for (let index = lowest; index < depth && stack[index]?.returnRow === row; index++)
      frameAt(state, index).returnRow = NONE;
  levelByReturnRow.clear();
}

/** Returns the index after the last frame of the level that begins at `index`. */
export function endOfLevel(state: ReplayState, index: number): number {
  let end = state.depth;
  while (frameAt(state, end - 1).level > index) end = frameAt(state, end - 1).level;
  return end;
}

/** Returns the indexes of the uppermost levels, at most `max`, lowest first. */
export function topLevels(state: ReplayState, max: number): number[] {
  const indexes: number[] = [];
  for (let index = state.depth - 1; index >= 0 && indexes.length < max; index = frameAt(state, index).level - 1)
    indexes.push(frameAt(state, index).level);
  return indexes.reverse();
}

// Looks up in the pairing how a level that is open now will end.

/** Returns the lowest level that ends together with the level at `index`; NONE if no return is seen to end it. */
export function lowestEndedWith(state: ReplayState, index: number): number {
  const { rows } = state.pairing;
  const { callRow, returnRow } = frameAt(state, index);
  if (returnRow !== NONE) return levelOfReturn(state, returnRow);
  const endRow = endRowOf(state, index);
  if (endRow === NONE) return NONE;
  if (endRow === callRow) return index; // ended by its own return after a loss
  const ending = actionOf(rows.actionAt(endRow));
  if (ending === Action.SwitchBack) return index;
  if (ending === Action.UnmatchedReturn) return levelOfReturn(state, endRow);
  const link = rows.linkAt(endRow);
  return link === callRow ? index : levelOfCall(state, link);
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
  return callRow === NONE ? NONE : state.pairing.rows.linkAt(callRow);
}

// Jumps from the function on top: a tail call, a stub to its target, or a label inside the function.

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
  const { level, callRow, returnRow, returnsTo, doubts } = topFrame(state);
  closeTop(state, inference); // its end was not seen if the jump is hidden
  push(state, fn, level, callRow, returnRow, inference);
  const top = topFrame(state);
  top.returnsTo = returnsTo;
  state.certainty.markLike(top, doubts);
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
