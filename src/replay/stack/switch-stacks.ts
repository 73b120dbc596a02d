/**
 * Switches stacks during replay: sets the frames of the stack that the thread leaves aside, and puts those of the other
 * one in their place. Only the running stack is in `ReplayState.stack`.
 *
 * Each stack is a root of its own. With `--fibers nest`, the others are shown on the call that left the thread's first
 * stack, and its calls stay open meanwhile.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { Doubt } from '../../model/calls/doubts.js';
import { Inference, UNWOUND } from '../../model/profile/profile.js';
import { type FunctionId, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { Trait } from '../functions/traits.js';
import type { StackSwitch } from '../pairing/pairing.js';
import type { ReplayState } from '../state.js';
import { FRAME_LEVEL } from '../wasm/layout.js';
import { FRAME_INTS, type Frame, type ParkedFrames } from './frame.js';
import { endOfLevel, findBelow, levelOfCall } from './levels.js';
import { addFrame, closeAbove, frameAt, removeTop, returnFrom, topFrame, topNode } from './open-frames.js';

/**
 * Leaves the running stack for one that was not seen before, whose frames are pushed next. `waitsAt`: see `StackSwitch`.
 */
export function leaveStack(state: ReplayState, waitsAt: number = NONE): void {
  endCallsAbove(state, waitsAt);
  const base = baseOfOthers(state);
  park(state);
  state.base = base;
}

/**
 * Goes on with a parked stack, or with the running one: the call in `callRow` is over, and those above it. False if the
 * stack is not known.
 */
export function goOnWith(state: ReplayState, change: StackSwitch): boolean {
  const { leftRow, callRow, isJump, isGuess, unsureRow = NONE, returnedRow = NONE, waitsAt = NONE } = change;
  endCallsAbove(state, waitsAt);
  if (returnedRow !== NONE) returnFrom(state, levelOfCall(state, returnedRow), UNWOUND);
  if (rowOfTopLevel(state) !== leftRow) {
    const parked = state.parked.get(leftRow);
    if (parked === undefined) return false;
    const base = baseOfOthers(state);
    park(state);
    state.parked.delete(leftRow);
    putBack(state, parked, parked.isFirst ? ROOT : parked.isSplit ? parked.base : base);
    countResumption(state);
  }
  if (callRow === NONE) closeAbove(state, -1, Inference.Unwound);
  const index = callRow === NONE ? NONE : levelOfCall(state, callRow);
  if (index === NONE) return callRow === NONE;
  closeAbove(state, endOfLevel(state, index) - 1, Inference.Unwound);
  if (!isJump) returnFrom(state, index, NONE);
  if (isGuess && state.depth > 0) markUnsure(state, unsureRow);
  return true;
}

/** Notes who went on with the stack that runs now, unless it is the thread's first one, or none was left for it. */
export function countResumption(state: ReplayState): void {
  const { resumptions, resumer, facts } = state;
  const { symbol } = facts.functions;
  if (resumer !== NONE && !state.isFirstStack && state.depth > 0)
    resumptions.add(symbol[frameAt(state, 0).fn], symbol[resumer]);
  state.resumer = NONE;
}

/** Returns the function that had the running stack left: below those that switch stacks. NONE: it is not known. */
function resumerOn(state: ReplayState): FunctionId {
  const { traits } = state.facts.functions;
  for (let index = state.depth - 1; index >= 0; index--) {
    const { fn } = frameAt(state, index);
    if (!(traits[fn] & (Trait.StackSwitcher | Trait.Stub | Trait.Resolver))) return fn;
  }
  return NONE;
}

/** Marks what is on the running stack until a return ends the level that made the call in a row; NONE: the one on top. */
function markUnsure(state: ReplayState, callRow: number): void {
  const index = callRow === NONE ? NONE : levelOfCall(state, callRow);
  state.certainty.mark(index === NONE ? topFrame(state) : frameAt(state, Math.max(0, index - 1)), Doubt.StackChoice);
}

function endCallsAbove(state: ReplayState, callRow: number): void {
  const index = callRow === NONE ? NONE : levelOfCall(state, callRow);
  if (index !== NONE) closeAbove(state, endOfLevel(state, index) - 1, UNWOUND);
}

/** Ends the calls of all stacks: last those of the first one, on which others may be shown. */
export function endStacks(state: ReplayState): void {
  const { parked } = state;
  closeAbove(state, -1, Inference.OpenAtEnd);
  for (const stack of [...parked.values()].sort((a, b) => Number(a.isFirst) - Number(b.isFirst))) {
    putBack(state, stack, stack.base);
    closeAbove(state, -1, Inference.OpenAtEnd);
  }
  parked.clear();
  state.base = ROOT;
  state.isFirstStack = true;
}

/** Returns the node that a stack begins at to which the thread switches now, unless it is the first one. */
function baseOfOthers(state: ReplayState): NodeId {
  return staysOpen(state, state.isFirstStack) ? topNode(state) : state.base;
}

/** True if other stacks are shown on this one. */
function staysOpen({ options }: ReplayState, isFirst: boolean): boolean {
  return isFirst && options.fibers === 'nest';
}

function rowOfTopLevel(state: ReplayState): number {
  return state.depth === 0 ? NONE : topFrame(state).callRow;
}

/** Sets the running stack aside. A stack that does not go on later is over, unless it is the first one. */
function park(state: ReplayState): void {
  const { depth, isFirstStack: isFirst, base, unconfirmedFrom, parked, log } = state;
  const row = rowOfTopLevel(state);
  state.resumer = resumerOn(state);
  if (depth > 0 && (isFirst || state.leftRows.has(row))) {
    const { symbol } = state.facts.functions;
    while (state.depth > 0) {
      if (!staysOpen(state, isFirst)) state.watcher?.setAside(symbol[topFrame(state).fn], state.depth);
      removeTop(state);
    }
    parked.set(row, { ...copyFrames(state, 0, depth), base, isFirst, isSplit: state.isSplit, unconfirmedFrom });
    if (!staysOpen(state, isFirst)) log?.setAside(depth);
    state.certainty.logDoubt();
  } else closeAbove(state, -1, Inference.Unwound);
  state.isFirstStack = false;
  state.isSplit = false;
  state.unconfirmedFrom = NONE;
  state.signalTail = NONE;
}

/** Sets the frames above the level that the event in `callRow` called aside, as a stack that goes on later. */
export function splitStack(state: ReplayState, callRow: number, leftRow: number): void {
  const index = levelOfCall(state, callRow);
  const first = index === NONE ? state.depth : endOfLevel(state, index);
  const { depth, parked } = state;
  if (first === depth || !state.leftRows.has(leftRow) || topFrame(state).callRow !== leftRow) return;
  const base = frameAt(state, first - 1).node;
  const { symbol } = state.facts.functions;
  while (state.depth > first) {
    state.watcher?.setAside(symbol[topFrame(state).fn], state.depth);
    removeTop(state);
  }
  const frames = copyFrames(state, first, depth);
  parked.set(leftRow, { ...frames, base, isFirst: false, isSplit: true, unconfirmedFrom: NONE });
  state.log?.setAside(depth - first);
  state.certainty.logDoubt();
}

/** Goes back to the function `fn` in a level of the running stack. What is above goes on later, or is over. */
export function goBackTo(state: ReplayState, callRow: number, leftRow: number, fn: FunctionId): boolean {
  const index = levelOfCall(state, callRow);
  if (index === NONE) return false;
  splitStack(state, callRow, leftRow);
  closeAbove(state, endOfLevel(state, index) - 1, Inference.Unwound);
  const own = findBelow(state, fn, state.depth, index);
  if (own !== NONE) closeAbove(state, own, Inference.Unwound);
  return true;
}

/** Copies frames that are no longer open, from an index to another one. */
function copyFrames(state: ReplayState, first: number, end: number): Pick<ParkedFrames, 'depth' | 'ints' | 'aliases'> {
  const ints = state.frames.ints.slice(FRAME_INTS * first, FRAME_INTS * end);
  for (let at = FRAME_LEVEL / Int32Array.BYTES_PER_ELEMENT; at < ints.length; at += FRAME_INTS) ints[at] -= first;
  return { depth: end - first, ints, aliases: state.stack.slice(first, end).map((frame) => frame.aliases) };
}

/** Puts the frames of a stack back. `base`: the node that it begins at now. */
function putBack(state: ReplayState, parked: ParkedFrames, base: NodeId): void {
  const { depth, ints, aliases, isFirst, isSplit, unconfirmedFrom } = parked;
  const { symbol } = state.facts.functions;
  const isOpen = staysOpen(state, isFirst);
  while (state.stack.length < depth) addFrame(state);
  state.frames.ints.set(ints);
  if (!isOpen) state.log?.putBack(frameAt(state, depth - 1).logRow);
  for (let index = 0; index < depth; index++) {
    const frame = frameAt(state, index);
    frame.aliases = aliases[index] as readonly FunctionId[];
    if (base !== parked.base) moveTo(state, frame, index === 0 ? base : frameAt(state, index - 1).node);
  }
  for (let index = 0; index < depth; index++) {
    const frame = frameAt(state, index);
    state.depth++;
    if (!isOpen) state.watcher?.putBack(symbol[frame.fn], state.depth);
    state.certainty.frameOpened(frame);
    if (frame.isLevel && frame.returnRow !== NONE && !state.levelByReturnRow.has(frame.returnRow))
      state.levelByReturnRow.set(frame.returnRow, index);
  }
  state.base = base;
  state.isFirstStack = isFirst;
  state.isSplit = isSplit;
  state.unconfirmedFrom = unconfirmedFrom;
  state.certainty.logDoubt();
}

/** Moves a frame below another node: another call has switched to its stack. */
function moveTo(state: ReplayState, frame: Frame, below: NodeId): void {
  const { tree, facts } = state;
  const { inlined, functions } = facts;
  const symbols: SymbolId[] = [];
  for (let at = tree.parentOf(frame.node); inlined?.isInlined[tree.symbolOf(at)] === 1; at = tree.parentOf(at))
    symbols.push(tree.symbolOf(at));
  const parent = symbols.reduceRight((node, symbol) => tree.child(node, symbol), below);
  frame.node = tree.child(parent, functions.symbol[frame.fn]);
  state.log?.renode(frame.node);
}
