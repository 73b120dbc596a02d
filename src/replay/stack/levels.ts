/**
 * Where on the stack is it? Levels by the events that called them or that will leave them, frames by their function.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import type { ReplayState } from '../state.js';
import { frameAt, topFrame } from './open-frames.js';

/** The nearest frame of a function below a place, but not below `lowest`; or NONE. */
export function findBelow({ index, depth }: ReplayState, fn: FunctionId, below: number, lowest: number): number {
  return index.findBelow(fn, depth, below, lowest);
}

/** The place of the level that the event in `row` called. */
export function placeOfCall(state: ReplayState, row: number): number {
  if (state.depth > 0) {
    const { level } = topFrame(state);
    if (frameAt(state, level).callRow === row) return level;
  }
  const attached = state.attached.size === 0 ? undefined : state.attached.get(row);
  if (attached !== undefined) return attached;
  const place = placeBefore(state, row) + 1;
  return place < state.depth && frameAt(state, place).callRow === row ? place : NONE;
}

/** The place of the top frame as it was before the event in `row`, or NONE. */
export function placeBefore(state: ReplayState, row: number): number {
  let low = 0;
  let high = state.depth;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frameAt(state, middle).order < row) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The place of the level that the return in `row` leaves, or NONE. */
export function placeOfLeave({ leaves }: ReplayState, row: number): number {
  return leaves.get(row) ?? NONE;
}

/** The return in `row`, to this address, leaves the level at a place; unless a lower level was said to: that together with it. */
export function setLeave(state: ReplayState, place: number, row: number, returnsTo: Address): void {
  const frame = frameAt(state, place);
  frame.leave = row;
  if (state.leaves.has(row)) return;
  frame.returnsTo = returnsTo;
  state.leaves.set(row, place);
}

/** Something was lost: which returns leave what, is found anew. */
export function forgetLeaves(state: ReplayState): void {
  const { stack, depth, leaves } = state;
  for (const [row, lowest] of leaves)
    for (let place = lowest; place < depth && stack[place]?.leave === row; place++) frameAt(state, place).leave = NONE;
  leaves.clear();
}

/** The first place behind the level that begins at `place`. */
export function endOfLevel(state: ReplayState, place: number): number {
  let end = state.depth;
  while (frameAt(state, end - 1).level > place) end = frameAt(state, end - 1).level;
  return end;
}

/** The places of the uppermost levels, at most so many, lowest first. */
export function uppermostLevels(state: ReplayState, most: number): number[] {
  const places: number[] = [];
  for (let place = state.depth - 1; place >= 0 && places.length < most; place = frameAt(state, place).level - 1)
    places.push(frameAt(state, place).level);
  return places.reverse();
}
