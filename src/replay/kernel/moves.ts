/**
 * The commonest hidden jumps: an event comes from another function than the one on top. Has the same effect as `syncTo`
 * in stack/hidden-jumps.ts where the function on top is a stub, or its level ends by its own return.
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
  NONE,
  RULE_NO_JUMPS,
  RULE_REPLACE,
} from './layout';
import { logOpen, logRename } from './log';
import {
  ACTION_RETURN,
  MAX_TAIL_CHAIN,
  TRAIT_COLD_PART,
  TRAIT_PROGRAM_START,
  TRAIT_RESOLVER,
  TRAIT_RETURN_THUNK,
  TRAIT_STUB,
  TRAIT_UNKNOWN,
} from './rules';
import { actionAt, frameAt, functionRow, linkAt, rules, traitsOf } from './thread';
import { childOf } from './tree';

/** How control reached the function that an event comes from. `GENERAL`: the general rules decide. */
export const MOVE_NONE: u32 = 0;
export const MOVE_GENERAL: u32 = 1;
/** The function on top is a stub that leads there. */
export const MOVE_RENAME: u32 = 2;
/** The function on top jumped there. */
export const MOVE_JUMP: u32 = 3;
/** The function on top is a stub that leads to a function that jumped there. */
export const MOVE_RENAME_JUMP: u32 = 4;

/** Functions that have rules of their own. */
const NOT_SIMPLE: i32 = TRAIT_COLD_PART | TRAIT_PROGRAM_START | TRAIT_RETURN_THUNK | TRAIT_STUB;

/** Returns how control moved from the frame on top to another function. */
export function moveTo(top: usize, depth: u32, fn: i32): u32 {
  const current = load<i32>(top, FRAME_FUNCTION);
  const flags = load<u32>(top, FRAME_FLAGS);
  if ((rules & RULE_NO_JUMPS) !== 0 || (flags & FLAG_ALIASES) !== 0) return MOVE_GENERAL;
  if ((traitsOf(fn) & NOT_SIMPLE) !== 0) return MOVE_GENERAL;
  const level = load<u32>(top, FRAME_LEVEL);
  const isFirst = level === depth - 1;
  if (isFirst && (flags & FLAG_PLAIN_CALL) === 0) return MOVE_GENERAL;
  const traits = traitsOf(current);
  if ((traits & TRAIT_STUB) !== 0) return isFirst ? moveFromStub(current, fn) : MOVE_GENERAL;
  const isTooLong = depth - level > <u32>MAX_TAIL_CHAIN;
  if ((traits & TRAIT_RESOLVER) !== 0 || (rules & RULE_REPLACE) !== 0 || isTooLong) return MOVE_GENERAL;
  return load<i32>(top, FRAME_RETURN_ROW) === NONE && endsByReturn(frameAt(level)) ? MOVE_JUMP : MOVE_GENERAL;
}

function moveFromStub(stub: i32, fn: i32): u32 {
  const traits = traitsOf(fn);
  if ((rules & RULE_REPLACE) !== 0) return (traitsOf(stub) & traits & TRAIT_UNKNOWN) === 0 ? MOVE_RENAME : MOVE_GENERAL;
  const target = load<i32>(functionRow(stub), FUNCTION_STUB_TARGET);
  if (target === NONE || (traits & TRAIT_RESOLVER) !== 0) return MOVE_RENAME;
  if (load<i32>(functionRow(target), FUNCTION_BARE_NAME) === load<i32>(functionRow(fn), FUNCTION_BARE_NAME))
    return MOVE_RENAME;
  return (traitsOf(target) & (TRAIT_STUB | TRAIT_RESOLVER)) === 0 ? MOVE_RENAME_JUMP : MOVE_GENERAL;
}

/** True if its own return, and no other event, ends the level of this frame. */
function endsByReturn(first: usize): bool {
  const callRow = load<i32>(first, FRAME_CALL_ROW);
  if (callRow === NONE || load<i32>(first, FRAME_RETURN_ROW) !== NONE) return false;
  const endRow = linkAt(callRow);
  if (endRow === NONE) return false;
  return endRow === callRow || (actionAt(endRow) === ACTION_RETURN && linkAt(endRow) === callRow);
}

/** Renames the frame on top, at `index`, a stub, to the function that it leads to; returns the time held back for it. */
export function renameStub(top: usize, index: u32, fn: i32, move: u32): f64 {
  const target = load<i32>(functionRow(load<i32>(top, FRAME_FUNCTION)), FUNCTION_STUB_TARGET);
  const named = move === MOVE_RENAME ? fn : target;
  const parent = index === 0 ? 0 : load<u32>(top - FRAME_BYTES, FRAME_NODE);
  forgetInIndex(top, index);
  store<i32>(top, named, FRAME_FUNCTION);
  store<u32>(top, load<u32>(top, FRAME_FLAGS) & ~FLAG_CALLED, FRAME_FLAGS);
  const node = childOf(parent, load<i32>(functionRow(named), FUNCTION_SYMBOL));
  store<u32>(top, node, FRAME_NODE);
  logRename(top, node);
  const heldNs = load<f64>(top, FRAME_HELD_NS);
  store<f64>(top, 0, FRAME_HELD_NS);
  return heldNs;
}

/** Opens the frame of a function that the frame on top has jumped to since `entryNs`. */
export function jumpTo(top: usize, fn: i32, entryNs: f64): void {
  const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(functionRow(fn), FUNCTION_SYMBOL));
  openJumpedTo(top + FRAME_BYTES, top, fn, node, entryNs);
  logOpen(top + FRAME_BYTES, node, entryNs);
}

/** Notes that an event confirms the function on top. */
export function noteSeen(top: usize, timeNs: f64): void {
  store<f64>(top, min(load<f64>(top, FRAME_KNOWN_FROM_NS), timeNs), FRAME_KNOWN_FROM_NS);
}
