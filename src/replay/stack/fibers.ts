/**
 * Parks and resumes fibers during replay: takes the frames of a stack that the thread leaves aside, and puts them back
 * when that stack continues. A fiber's frames are pushed onto whatever switched to it, as that is what its time belongs
 * to.
 */
import { Inference } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import type { StackSwitch } from '../pairing/parked-stacks.js';
import type { ReplayState } from '../state.js';
import type { Frame } from './frame.js';
import { endOfLevel, levelOfCall } from './levels.js';
import { closeAbove, countCall, endingOf, removeTop, spareFrame, topFrame, topNode } from './open-frames.js';

/** Notes that the event in `row` switches to another stack, whose frames are pushed onto those that are open now. */
export function noteStackStart({ parked, depth }: ReplayState, row: number): void {
  parked.starts.set(row, depth);
}

/**
 * Parks the frames that the event in `row` takes off the stack and that continue later; closes a stack that is
 * replaced.
 */
export function parkStacks(state: ReplayState, row: number): void {
  const { parked, pairing } = state;
  if (parked.switchesByRow.size === 0 && pairing.replacedStack.size === 0) return; // there are no fibers
  detachParked(state, row);
  const replaced = parked.starts.get(pairing.replacedStack.get(row) ?? NONE);
  if (replaced !== undefined) closeAbove(state, replaced - 1, Inference.Unwound);
}

/** Detaches the frames of the stacks that are parked in a row, and closes what is above their last call. */
function detachParked(state: ReplayState, row: number): void {
  const { switchesByRow, starts, kept } = state.parked;
  const changes = switchesByRow.get(row) ?? [];
  for (const change of [...changes].sort((a, b) => (b.callRows[0] as number) - (a.callRows[0] as number))) {
    const last = levelOfCall(state, change.callRows.at(-1) as number);
    const first = starts.get(change.startRow) ?? levelOfCall(state, change.callRows[0] as number);
    if (last === NONE || first === NONE || first > last) continue;
    closeAbove(state, endOfLevel(state, last) - 1, Inference.Unwound);
    kept.set(change, detach(state, first));
  }
}

/**
 * Puts back a stack that is resumed by the event in `row`, or by a hidden switch before it. The call that had left it has returned.
 */
export function resumeStack(state: ReplayState, change: StackSwitch, row: number): void {
  const { kept, starts } = state.parked;
  const frames = kept.get(change) ?? [];
  const end = frames.findIndex(({ callRow, isLevel }) => isLevel && callRow === change.callRows.at(-1));
  for (const frame of frames.slice(end).reverse()) endParkedFrame(state, frame, state.nowNs, NONE);
  starts.set(row, state.depth);
  attach(state, frames.slice(0, end), row);
  kept.delete(change);
}

/** Ends and counts the calls of stacks that are still parked at the end of the trace. */
export function endParked(state: ReplayState): void {
  const { kept } = state.parked;
  for (const frames of kept.values())
    for (const frame of [...frames].reverse()) endParkedFrame(state, frame, state.nowNs, Inference.OpenAtEnd);
  kept.clear();
}

/** Takes the frames from an index up off the stack, lowest first, without ending their calls. */
function detach(state: ReplayState, index: number): Frame[] {
  const { symbol } = state.facts.functions;
  const frames: Frame[] = [];
  while (state.depth > index) {
    state.watcher?.setAside(symbol[topFrame(state).fn], state.depth);
    frames.push(removeTop(state).copy());
    state.log?.setAside();
    state.certainty.logCertainty();
  }
  return frames.reverse();
}

/**
 * Puts detached frames back on the stack, because of the event in `row`. A frame that was jumped to belongs to the
 * level that is on top now.
 */
function attach(state: ReplayState, frames: readonly Frame[], row: number): void {
  const { putBackLevels, levelByReturnRow } = state;
  const { symbol } = state.facts.functions;
  for (const [index, frame] of frames.entries()) {
    const level = frame.isLevel || state.depth === 0 ? state.depth : topFrame(state).level;
    const code = index === 0 ? topNode(state) : inlinedBelow(state, frame.node); // another one may have resumed the lowest
    const node = state.tree.child(code, symbol[frame.fn]);
    const attached = spareFrame(state);
    attached.copyFrom(frame);
    attached.node = node;
    attached.level = level;
    attached.order = row;
    state.depth++;
    state.watcher?.putBack(symbol[frame.fn], state.depth);
    state.log?.putBack(frame.logRow, node);
    state.certainty.frameOpened(frame);
    if (!frame.isLevel) continue;
    attached.isPutBack = frame.callRow !== NONE;
    if (frame.callRow !== NONE) putBackLevels.set(frame.callRow, state.depth - 1);
    if (frame.returnRow !== NONE && !levelByReturnRow.has(frame.returnRow))
      levelByReturnRow.set(frame.returnRow, state.depth - 1);
  }
}

/** Returns the node of the inlined code on top that a call came from which had this node on another path. */
function inlinedBelow(state: ReplayState, node: NodeId): NodeId {
  const { tree, facts } = state;
  const { inlined } = facts;
  const symbols: SymbolId[] = [];
  for (let at = tree.parentOf(node); inlined?.isInlined[tree.symbolOf(at)] === 1; at = tree.parentOf(at))
    symbols.push(tree.symbolOf(at));
  return symbols.reduceRight((below, symbol) => tree.child(below, symbol), topNode(state));
}

/** Ends the call of a parked frame. */
function endParkedFrame(state: ReplayState, frame: Frame, endNs: Nanoseconds, reason: number): void {
  state.log?.endAside(frame.logRow, endingOf(frame, reason));
  countCall(state, frame, endNs, reason);
}
