/**
 * The stack of a thread during replay: opens and closes frames, and updates the call tree and the log.
 *
 * A level is what one call instruction put on the real stack: the called function and, above it, the functions it
 * jumped to (tail calls). A return removes whole levels.
 */
import { Doubt } from '../../model/calls/doubts.js';
import { Inference, type InferenceName, UNWOUND } from '../../model/profile/profile.js';
import { type FunctionId, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { eachInlined } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { ReplayState } from '../state.js';
import { FRAME_BYTES } from '../wasm/layout.js';
import { Frame } from './frame.js';

export function topFrame({ stack, depth }: ReplayState): Frame {
  return stack[depth - 1] as Frame;
}

export function frameAt({ stack }: ReplayState, index: number): Frame {
  return stack[index] as Frame;
}

export function topTraits(state: ReplayState): number {
  return state.facts.functions.traits[topFrame(state).fn];
}

/** Returns the node that time is charged to. */
export function topNode(state: ReplayState): NodeId {
  return state.depth === 0 ? state.base : topFrame(state).node;
}

/**
 * Returns the parent node of a stop that the event in `row` begins; NONE: no event does. While a stub is on top, that is the
 * function it leads to, though that has not begun yet.
 */
export function stopNode(state: ReplayState, row: number = NONE): NodeId {
  const { stubTarget, symbol } = state.facts.functions;
  const target = state.depth === 0 ? NONE : stubTarget[topFrame(state).fn];
  return target === NONE ? codeNode(state, row) : state.tree.child(nodeBelowTop(state), symbol[target]);
}

/** Returns the node that what the function on top calls is below: its own, or that of code inlined where the event in `row` comes from. */
function codeNode(state: ReplayState, row: number): NodeId {
  const { inlined, fromFunction } = state.facts;
  let node = topNode(state);
  if (inlined === null || row === NONE || state.depth === 0) return node;
  const site = state.events.siteAt(row);
  const { fn, aliases } = topFrame(state);
  const from = fromFunction[site];
  if (from !== fn && !aliases.includes(from)) return node;
  eachInlined(inlined, site, (symbol) => {
    node = state.tree.child(node, symbol);
  });
  return node;
}

/** Returns the node below which the function on top was called: of another function, or of inlined code. */
function nodeBelowTop(state: ReplayState): NodeId {
  return state.tree.parentOf(topFrame(state).node);
}

/** Returns the functions on the stack, lowest first, at most `max`. */
export function openSymbols({ stack, depth, facts }: ReplayState, max: number): SymbolId[] {
  return stack.slice(0, Math.min(max, depth)).map(({ fn }) => facts.functions.symbol[fn]);
}

/** Charges time to a node, as certain as the open stack is. */
export function chargeTo(state: ReplayState, node: NodeId, ns: Nanoseconds): void {
  const { current } = state.certainty;
  state.tree.charge(node, ns, current);
  if (current === Doubt.HiddenJump) state.hiddenNs += ns;
}

/** Pushes a level called by the event in `row`. `inference`: NONE if it begins now. */
export function pushCall(state: ReplayState, fn: FunctionId, row: number, inference: number = NONE): void {
  push(state, fn, state.depth, row, NONE, inference, row);
  topFrame(state).isCalled = true;
}

/** Pushes a level that was found running. `row`: where its stack was first seen; NONE: at the start of the segment. */
export function pushOpen(state: ReplayState, fn: FunctionId, inference: number, row: number = NONE): void {
  push(state, fn, state.depth, NONE, NONE, inference);
  const top = topFrame(state);
  top.order = Math.max(top.order, row);
}

/**
 * Opens a frame, of a level that the event in `callRow` called or that the return in `returnRow` ends. `row`: the event that
 * goes to the function; NONE: the trace does not show it.
 */
export function push(
  state: ReplayState,
  fn: FunctionId,
  level: number,
  callRow: number,
  returnRow: number,
  inference: number,
  row: number = NONE,
): void {
  const { log, levelByReturnRow, certainty } = state;
  const symbol = state.facts.functions.symbol[fn];
  const node = state.tree.child(codeNode(state, row), symbol);
  const order = state.depth === 0 ? NONE : topFrame(state).order;
  const frame = spareFrame(state);
  frame.open(fn, node, state.nowNs, level, callRow);
  frame.inference = inference;
  if (inference === Inference.HiddenJump) frame.knownFromNs = Number.POSITIVE_INFINITY;
  frame.isLevel = level === state.depth;
  frame.order = Math.max(callRow, order);
  frame.returnRow = returnRow;
  frame.isCalled = false;
  state.depth++;
  if (log) frame.logRow = log.open(node, row === NONE ? NONE : state.events.siteAt(row));
  certainty.frameOpened(frame);
  if (returnRow !== NONE && frame.isLevel && !levelByReturnRow.has(returnRow)) levelByReturnRow.set(returnRow, level);
  state.watcher?.opened(symbol, state.depth, inference);
}

/** Returns the frame that is opened next. */
export function spareFrame(state: ReplayState): Frame {
  const { stack, depth } = state;
  if (depth === stack.length) addFrame(state);
  return stack[depth] as Frame;
}

/** Adds a frame to those that can be opened. */
export function addFrame({ stack, frames }: ReplayState): void {
  if (FRAME_BYTES * stack.length === frames.ints.byteLength) frames.grow();
  stack.push(new Frame(frames, stack.length));
}

/** Returns from the level at `index`; the levels above it were skipped, and end for the reason `skipped`. */
export function returnFrom(state: ReplayState, index: number, skipped: number): void {
  if (index === NONE) return;
  while (state.depth > index) closeTop(state, topFrame(state).level === index ? NONE : skipped);
}

/** Closes every frame above an index, for a reason other than its own return. */
export function closeAbove(state: ReplayState, index: number, reason: number, endNs = state.nowNs): void {
  while (state.depth > index + 1) closeTop(state, reason, endNs);
}

/** Closes the frame on top. `reason`: why its end was not seen, UNWOUND or NONE. */
export function closeTop(state: ReplayState, reason: number, endNs = state.nowNs): void {
  const target = state.facts.functions.stubTarget[topFrame(state).fn];
  if (target !== NONE) renameTop(state, target); // no event came after the stub
  const frame = removeTop(state);
  state.log?.close(endingOf(frame, reason));
  countCall(state, frame, endNs, reason);
  state.certainty.logDoubt();
}

/** Removes the frame on top without ending its call; only its held time is charged. */
export function removeTop(state: ReplayState): Frame {
  const frame = topFrame(state);
  if (frame.heldNs > 0) chargeTo(state, frame.node, frame.heldNs);
  frame.heldNs = 0;
  state.frameIndex.forget(frame, state.depth - 1);
  state.depth--;
  state.certainty.frameRemoved(frame, state.depth);
  if (frame.isLevel) forgetLevel(state, frame);
  return frame;
}

function forgetLevel({ levelByReturnRow, depth }: ReplayState, { returnRow }: Frame): void {
  if (returnRow !== NONE && levelByReturnRow.get(returnRow) === depth) levelByReturnRow.delete(returnRow);
}

/** Corrects the function of the frame on top, as of its start: a stub shows where it leads. */
export function renameTop(state: ReplayState, fn: FunctionId): void {
  const { symbol, traits } = state.facts.functions;
  const top = topFrame(state);
  state.watcher?.renamed(symbol[top.fn], symbol[fn], state.depth);
  state.frameIndex.forget(top, state.depth - 1);
  top.fn = fn;
  top.isCalled = false;
  top.node = state.tree.child(nodeBelowTop(state), symbol[fn]);
  state.log?.rename(top.logRow, top.node);
  if (traits[fn] & Trait.Stub) return;
  chargeTo(state, top.node, top.heldNs);
  top.heldNs = 0;
}

const INFERENCE_NAMES = Object.keys(Inference) as InferenceName[];

// Counts a call that is over, in the call tree, the quality counters and the call log.

/** Returns why a call was not seen from start to end; else UNWOUND or NONE. `reason`: how it ended. */
export function endingOf({ inference }: Frame, reason: number): number {
  return inference === NONE ? reason : inference;
}

export function countCall(state: ReplayState, frame: Frame, endNs: Nanoseconds, reason: number): void {
  const ending = endingOf(frame, reason);
  state.watcher?.closed(state.facts.functions.symbol[frame.fn], state.depth + 1, ending);
  if (ending === NONE) state.tree.countComplete(frame.node, endNs - frame.entryNs);
  else if (ending === UNWOUND) state.tree.countUnwound(frame.node, endNs - frame.entryNs);
  else countInferred(state, frame, endNs, ending, reason);
}

function countInferred(
  { tree, log, inferred }: ReplayState,
  frame: Frame,
  endNs: Nanoseconds,
  inference: number,
  reason: number,
): void {
  const knownNs = knownDuration(frame, endNs, reason);
  tree.countInferred(frame.node, knownNs);
  if (knownNs !== endNs - frame.entryNs || endNs !== log?.nowNs) log?.setKnownTime(knownNs);
  inferred[INFERENCE_NAMES[inference] as InferenceName]++;
}

/** Returns the certain part of the duration of a call whose start or end was not seen. */
function knownDuration(
  { inference, knownFromNs, knownUntilNs }: Frame,
  endNs: Nanoseconds,
  reason: number,
): Nanoseconds {
  if (inference === Inference.Unwound || reason === Inference.Unwound) return 0;
  return Math.max(0, Math.min(endNs, knownUntilNs) - knownFromNs);
}
