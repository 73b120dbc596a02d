/**
 * Finds things on the stack: levels by the events that call or end them, and frames by their function.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import type { ReplayState } from '../state.js';
import { frameAt, topFrame } from './open-frames.js';

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
  const attached = state.putBackLevels.size === 0 ? undefined : state.putBackLevels.get(row);
  if (attached !== undefined) return attached;
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
