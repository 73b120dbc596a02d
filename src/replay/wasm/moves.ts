/**
 * Moves of control to another function than the one on top: jumps that the trace shows, and the commonest hidden ones.
 * Has the same effect as `jumpTo` and `syncTo` in stack/hidden-jumps.ts where the function on top is a stub, or calls
 * the other one as its last act.
 */
import { forgetInIndex, openJumpedTo } from './frames';
import {
  FLAG_ALIASES,
  FLAG_CALLED,
  FLAG_PLAIN_CALL,
  FRAME_BYTES,
  FRAME_CALL_ROW,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_HELD_NS,
  FRAME_KNOWN_FROM_NS,
  FRAME_LEVEL,
  FRAME_NODE,
  FRAME_RETURN_ROW,
  FUNCTION_BARE_NAME,
  FUNCTION_STUB_TARGET,
  FUNCTION_SYMBOL,
  NODE_PARENT,
  NONE,
  RULE_NO_JUMPS,
  RULE_REPLACE,
} from './layout';
import { logOpen, logRename } from './log';
import {
  MAX_TAIL_CHAIN,
  MAX_UNWINDER_DEPTH,
  TRAIT_COLD_PART,
  TRAIT_PROGRAM_START,
  TRAIT_RESOLVER,
  TRAIT_RETURN_THUNK,
  TRAIT_STUB,
  TRAIT_UNKNOWN,
  TRAIT_UNWINDER,
} from './rules';
import { frameAt, functionRow, linkAt, rules, traitsOf } from './thread';
import { charge, childOf, nodeRow } from './tree';

/** How control reached another function. `GENERAL`: the general rules decide. */
export const MOVE_NONE: u32 = 0;
export const MOVE_GENERAL: u32 = 1;
/** The function on top is a stub that leads there. */
export const MOVE_RENAME: u32 = 2;
/** The function on top jumped there. */
export const MOVE_JUMP: u32 = 3;
/** The function on top is a stub that leads to a function that jumped there. */
export const MOVE_RENAME_JUMP: u32 = 4;

/** Functions that have rules of their own. */
const NOT_SIMPLE: i32 = TRAIT_COLD_PART | TRAIT_PROGRAM_START | TRAIT_RETURN_THUNK;

/** Returns how control moves with a jump of the frame on top that the trace shows, and that may lead elsewhere. */
export function shownMoveTo(top: usize, depth: u32, fn: i32): u32 {
  if ((load<u32>(top, FRAME_FLAGS) & FLAG_ALIASES) !== 0) return MOVE_GENERAL;
  const level = load<u32>(top, FRAME_LEVEL);
  const mayLand = (traitsOf(fn) & TRAIT_UNKNOWN) !== 0 && !endsByReturn(frameAt(level)) && mayUnwind(depth);
  return mayLand ? MOVE_GENERAL : moveFrom(load<i32>(top, FRAME_FUNCTION), fn, depth - level);
}

/** Returns how control moved from the frame on top to another function without an event. */
export function hiddenMoveTo(top: usize, depth: u32, fn: i32): u32 {
  const current = load<i32>(top, FRAME_FUNCTION);
  const flags = load<u32>(top, FRAME_FLAGS);
  if ((rules & RULE_NO_JUMPS) !== 0 || (flags & FLAG_ALIASES) !== 0) return MOVE_GENERAL;
  if ((traitsOf(fn) & NOT_SIMPLE) !== 0) return MOVE_GENERAL;
  const level = load<u32>(top, FRAME_LEVEL);
  const isFirst = level === depth - 1;
  if (isFirst && (flags & FLAG_PLAIN_CALL) === 0) return MOVE_GENERAL;
  const isKnown = (traitsOf(current) & TRAIT_STUB) !== 0 || endsByReturn(frameAt(level));
  return isKnown ? moveFrom(current, fn, depth - level) : MOVE_GENERAL;
}

/** Returns how control moves from the function on top to another one. `frames`: those of the level on top. */
function moveFrom(current: i32, fn: i32, frames: u32): u32 {
  const traits = traitsOf(current);
  if (frames > <u32>MAX_TAIL_CHAIN) return MOVE_GENERAL;
  if ((traits & TRAIT_STUB) !== 0) return moveFromStub(current, fn);
  return (traits & TRAIT_RESOLVER) !== 0 || (rules & RULE_REPLACE) !== 0 ? MOVE_GENERAL : MOVE_JUMP;
}

function moveFromStub(stub: i32, fn: i32): u32 {
  const traits = traitsOf(fn);
  if ((rules & RULE_REPLACE) !== 0) return (traitsOf(stub) & traits & TRAIT_UNKNOWN) === 0 ? MOVE_RENAME : MOVE_GENERAL;
  const target = load<i32>(functionRow(stub), FUNCTION_STUB_TARGET);
  if (target === NONE || (traits & TRAIT_RESOLVER) !== 0) return MOVE_RENAME;
  if (load<i32>(functionRow(target), FUNCTION_BARE_NAME) === load<i32>(functionRow(fn), FUNCTION_BARE_NAME))
    return MOVE_RENAME;
  return (traitsOf(target) & TRAIT_RESOLVER) === 0 ? MOVE_RENAME_JUMP : MOVE_GENERAL;
}

/** True if its own return, and no other event, ends the level of this frame. */
function endsByReturn(first: usize): bool {
  const callRow = load<i32>(first, FRAME_CALL_ROW);
  if (callRow === NONE || load<i32>(first, FRAME_RETURN_ROW) !== NONE) return false;
  const endRow = linkAt(callRow);
  return endRow !== NONE && (endRow === callRow || linkAt(endRow) === callRow);
}

/** True if an unwinder may run: only in the uppermost frames is it one to stack/unwinding.ts. */
function mayUnwind(depth: u32): bool {
  const lowest = max(0, <i32>depth - MAX_UNWINDER_DEPTH);
  for (let index = <i32>depth - 1; index >= lowest; index--)
    if ((traitsOf(load<i32>(frameAt(index), FRAME_FUNCTION)) & TRAIT_UNWINDER) !== 0) return true;
  return false;
}

/** Moves control from the frame on top, at `index`, and returns the new one. `inference`: NONE if the trace shows it. */
export function follow(top: usize, index: u32, fn: i32, move: u32, nowNs: f64, inference: i32, certainty: u32): usize {
  if (move !== MOVE_JUMP) renameStub(top, index, fn, move, certainty);
  if (move < MOVE_JUMP) return top;
  const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(functionRow(fn), FUNCTION_SYMBOL));
  const frame = top + FRAME_BYTES;
  openJumpedTo(frame, top, fn, node, nowNs, inference);
  logOpen(frame, node, nowNs);
  return frame;
}

/** Renames the frame on top, at `index`, a stub, to the function that it leads to; charges the time held back for it. */
function renameStub(top: usize, index: u32, fn: i32, move: u32, certainty: u32): void {
  const target = load<i32>(functionRow(load<i32>(top, FRAME_FUNCTION)), FUNCTION_STUB_TARGET);
  const named = move === MOVE_RENAME ? fn : target;
  const parent = load<u32>(nodeRow(load<u32>(top, FRAME_NODE)), NODE_PARENT);
  forgetInIndex(top, index);
  store<i32>(top, named, FRAME_FUNCTION);
  store<u32>(top, load<u32>(top, FRAME_FLAGS) & ~FLAG_CALLED, FRAME_FLAGS);
  const node = childOf(parent, load<i32>(functionRow(named), FUNCTION_SYMBOL));
  store<u32>(top, node, FRAME_NODE);
  logRename(top, node);
  charge(node, load<f64>(top, FRAME_HELD_NS), certainty);
  store<f64>(top, 0, FRAME_HELD_NS);
}

/** True if the function on top is a stub, from which control moves. */
export function leavesStub(move: u32): bool {
  return move === MOVE_RENAME || move === MOVE_RENAME_JUMP;
}

/** Holds time back until it is known where the stub on top leads. */
export function hold(top: usize, ns: f64): void {
  store<f64>(top, load<f64>(top, FRAME_HELD_NS) + ns, FRAME_HELD_NS);
}

/** Notes that an event confirms the function on top. */
export function noteSeen(top: usize, timeNs: f64): void {
  store<f64>(top, min(load<f64>(top, FRAME_KNOWN_FROM_NS), timeNs), FRAME_KNOWN_FROM_NS);
}
