/**
 * Executes simple actions, with the same effect as `executeRow` in execute.ts. It stops before an event that the general
 * rules decide.
 */

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
  HEAD_DEPTH,
  HEAD_DOUBT,
  HEAD_NOW_NS,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  HEAD_WINDOW_TIMES,
  NODE_PARENT,
  NONE,
  RULE_NO_JUMPS,
  RULE_NO_STOPS,
  RULE_REPLACE,
  SITE_BITS,
  SITE_FROM_FUNCTION,
  SITE_STEP,
  SITE_TO_FUNCTION,
  SITE_TO_SYMBOL,
  STOP_DONE,
  STOP_FULL,
  STOP_GENERAL,
} from './layout';
import {
  ACTION_CALL,
  ACTION_JUMP,
  ACTION_RESUME,
  ACTION_RETURN,
  ACTION_STOP,
  ACTION_SYSCALL,
  DOUBT_HIDDEN_JUMP,
  HIDDEN_JUMP,
  MAX_TAIL_CHAIN,
  MAX_UNWINDER_DEPTH,
  NO_DOUBT,
  STEP_CALL,
  SYMBOL_SYSCALL,
  SYMBOL_UNTRACED,
  TRAIT_COLD_PART,
  TRAIT_KERNEL,
  TRAIT_MAY_SWITCH,
  TRAIT_PROGRAM_START,
  TRAIT_RESOLVER,
  TRAIT_RETPOLINE,
  TRAIT_RETURN_THUNK,
  TRAIT_STUB,
  TRAIT_UNKNOWN,
  TRAIT_UNWINDER,
} from './rules';
import {
  actionAt,
  areListsFull,
  beginLog,
  beginThread,
  endLog,
  endThread,
  frameAt,
  functionRow,
  linkAnywhere,
  linkAt,
  logDoubt,
  logEndStop,
  logOpen,
  logRename,
  logStop,
  rules,
  sites,
  traitsOf,
} from './thread';
import {
  beginTree,
  charge,
  childOf,
  countNode,
  endLevel,
  endsLevel,
  endTree,
  forgetInIndex,
  isTreeFull,
  nodeRow,
  openCalled,
  openJumpedTo,
} from './tree';

/** Executes the rows from `first` to `end`, which are in the window; returns the row before which it stopped. */
export function execute(first: u32, end: u32): u32 {
  beginThread();
  beginTree();
  beginLog();
  const doubt = load<u32>(HEAD_DOUBT);
  const stackLimit = load<u32>(HEAD_STACK_LIMIT);
  const offset: usize = first - load<u32>(HEAD_WINDOW_ROW);
  let siteAt = <usize>load<u32>(HEAD_WINDOW_SITES) + (offset << 2);
  let timeAt = <usize>load<u32>(HEAD_WINDOW_TIMES) + (offset << 3);
  let depth = load<u32>(HEAD_DEPTH);
  let top = frameAt(depth - 1);
  let nowNs = load<f64>(HEAD_NOW_NS);
  let stop = STOP_DONE;
  let row = first;
  for (; row < end; row++, siteAt += 4, timeAt += 8) {
    const site = sites + ((<usize>load<u32>(siteAt)) << SITE_BITS);
    const action = actionAt(row);
    const from = load<i32>(site, SITE_FROM_FUNCTION);
    stop = STOP_GENERAL;
    if (from === NONE || depth === 0) break;
    const move = load<i32>(top, FRAME_FUNCTION) === from ? MOVE_NONE : hiddenMoveTo(top, depth, from);
    if (move === MOVE_GENERAL) break;
    const target = load<i32>(site, SITE_TO_FUNCTION);
    let isStop = false;
    let jump = MOVE_NONE;
    if (action === ACTION_JUMP) {
      if (move === MOVE_NONE) jump = shownMoveTo(top, depth, target);
      if (jump < MOVE_RENAME) break;
    } else if (action > ACTION_RETURN) {
      isStop = row + 1 < end && isBriefStop(top, row, siteAt);
      if (!isStop) break;
    } else if (action === ACTION_RETURN && !endsLevel(top, depth, linkAt(row), target)) break;
    if (isTreeFull() || depth + 1 >= stackLimit || areListsFull()) {
      stop = STOP_FULL;
      break;
    }
    stop = STOP_DONE;
    const timeNs = load<f64>(timeAt);
    if (move !== MOVE_NONE) {
      top = follow(top, depth - 1, from, move, nowNs, HIDDEN_JUMP, doubt, NONE);
      if (move >= MOVE_JUMP) depth++;
      noteSeen(top, timeNs);
    }
    if (move === MOVE_JUMP && doubt === NO_DOUBT) {
      logDoubt(DOUBT_HIDDEN_JUMP, nowNs);
      charge(load<u32>(top, FRAME_NODE), timeNs - nowNs, DOUBT_HIDDEN_JUMP);
      logDoubt(NO_DOUBT, timeNs);
    } else if (leavesStub(jump)) hold(top, timeNs - nowNs);
    else charge(load<u32>(top, FRAME_NODE), timeNs - nowNs, doubt);
    nowNs = timeNs;
    if (isStop) {
      const node = beginStop(top, row, nowNs);
      row++;
      siteAt += 4;
      timeAt += 8;
      const resumedNs = load<f64>(timeAt);
      charge(node, resumedNs - nowNs, doubt);
      endStop(node, nowNs, resumedNs);
      nowNs = resumedNs;
    } else if (action === ACTION_CALL) {
      const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(site, SITE_TO_SYMBOL));
      top += FRAME_BYTES;
      const isPlain = load<u8>(site, SITE_STEP) === STEP_CALL;
      openCalled(top, target, node, nowNs, depth++, row, isPlain);
      logOpen(top, node, nowNs, row);
    } else if (action === ACTION_RETURN) {
      depth = endLevel(top, depth, nowNs);
      top = frameAt(depth - 1);
    } else if (jump !== MOVE_NONE) {
      top = follow(top, depth - 1, target, jump, nowNs, NONE, doubt, row);
      if (jump >= MOVE_JUMP) depth++;
    }
  }
  endTree();
  endThread();
  endLog();
  store<u32>(HEAD_DEPTH, depth);
  store<f64>(HEAD_NOW_NS, nowNs);
  store<u32>(HEAD_STOP, stop);
  return row;
}

// Moves of control to another function than the one on top: jumps that the trace shows, and the commonest hidden ones.
// Has the same effect as `jumpTo` and `syncTo` in stack/hidden-jumps.ts where the function on top is a stub, or calls
// the other one as its last act.

/** How control reached another function. `GENERAL`: the general rules decide. */
const MOVE_NONE: u32 = 0;
const MOVE_GENERAL: u32 = 1;
/** The function on top is a stub that leads there. */
const MOVE_RENAME: u32 = 2;
/** The function on top jumped there. */
const MOVE_JUMP: u32 = 3;
/** The function on top is a stub that leads to a function that jumped there. */
const MOVE_RENAME_JUMP: u32 = 4;

/** Functions that have rules of their own. */
const NOT_SIMPLE: i32 = TRAIT_COLD_PART | TRAIT_PROGRAM_START | TRAIT_RETURN_THUNK | TRAIT_KERNEL;

/** Returns how control moves with a jump of the frame on top that the trace shows, and that may lead elsewhere. */
function shownMoveTo(top: usize, depth: u32, fn: i32): u32 {
  const flags = load<u32>(top, FRAME_FLAGS);
  if ((flags & FLAG_ALIASES) !== 0) return MOVE_GENERAL;
  const level = load<u32>(top, FRAME_LEVEL);
  if (level === depth - 1 && (flags & FLAG_PLAIN_CALL) === 0 && (traitsOf(fn) & TRAIT_KERNEL) !== 0)
    return MOVE_GENERAL;
  const mayLand = (traitsOf(fn) & TRAIT_UNKNOWN) !== 0 && !endsByReturn(frameAt(level)) && mayUnwind(depth);
  return mayLand ? MOVE_GENERAL : moveFrom(load<i32>(top, FRAME_FUNCTION), fn, depth - level);
}

/** Returns how control moved from the frame on top to another function without an event. */
function hiddenMoveTo(top: usize, depth: u32, fn: i32): u32 {
  const current = load<i32>(top, FRAME_FUNCTION);
  const flags = load<u32>(top, FRAME_FLAGS);
  if ((rules & RULE_NO_JUMPS) !== 0 || (flags & FLAG_ALIASES) !== 0) return MOVE_GENERAL;
  if ((traitsOf(fn) & (NOT_SIMPLE | TRAIT_RETPOLINE)) !== 0) return MOVE_GENERAL;
  const level = load<u32>(top, FRAME_LEVEL);
  const isFirst = level === depth - 1;
  if (isFirst && (flags & FLAG_PLAIN_CALL) === 0) return MOVE_GENERAL;
  if ((traitsOf(current) & TRAIT_MAY_SWITCH) !== 0) return MOVE_GENERAL;
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

/** True if its own return, and no other event, ends the level of this frame, as far as pages in memory tell. */
function endsByReturn(first: usize): bool {
  const callRow = load<i32>(first, FRAME_CALL_ROW);
  if (callRow === NONE || load<i32>(first, FRAME_RETURN_ROW) !== NONE) return false;
  const endRow = linkAnywhere(callRow);
  return endRow !== NONE && (endRow === callRow || linkAnywhere(endRow) === callRow);
}

/** True if an unwinder may run: only in the uppermost frames is it one to stack/hidden-jumps.ts. */
function mayUnwind(depth: u32): bool {
  const lowest = max(0, <i32>depth - MAX_UNWINDER_DEPTH);
  for (let index = <i32>depth - 1; index >= lowest; index--)
    if ((traitsOf(load<i32>(frameAt(index), FRAME_FUNCTION)) & TRAIT_UNWINDER) !== 0) return true;
  return false;
}

/**
 * Moves control from the frame on top, at `index`, and returns the new one. `inference`: NONE if the trace shows it, in `row`.
 */
function follow(top: usize, index: u32, fn: i32, move: u32, nowNs: f64, inference: i32, doubt: u32, row: i32): usize {
  if (move !== MOVE_JUMP) renameStub(top, index, fn, move, doubt);
  if (move < MOVE_JUMP) return top;
  const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(functionRow(fn), FUNCTION_SYMBOL));
  const frame = top + FRAME_BYTES;
  openJumpedTo(frame, top, fn, node, nowNs, inference);
  logOpen(frame, node, nowNs, move === MOVE_JUMP ? row : NONE);
  return frame;
}

/** Renames the frame on top, at `index`, a stub, to the function that it leads to; charges the time held back for it. */
function renameStub(top: usize, index: u32, fn: i32, move: u32, doubt: u32): void {
  const target = load<i32>(functionRow(load<i32>(top, FRAME_FUNCTION)), FUNCTION_STUB_TARGET);
  const named = move === MOVE_RENAME ? fn : target;
  const parent = load<u32>(nodeRow(load<u32>(top, FRAME_NODE)), NODE_PARENT);
  forgetInIndex(top, index);
  store<i32>(top, named, FRAME_FUNCTION);
  store<u32>(top, load<u32>(top, FRAME_FLAGS) & ~FLAG_CALLED, FRAME_FLAGS);
  const node = childOf(parent, load<i32>(functionRow(named), FUNCTION_SYMBOL));
  store<u32>(top, node, FRAME_NODE);
  logRename(top, node);
  charge(node, load<f64>(top, FRAME_HELD_NS), doubt);
  store<f64>(top, 0, FRAME_HELD_NS);
}

/** True if the function on top is a stub, from which control moves. */
function leavesStub(move: u32): bool {
  return move === MOVE_RENAME || move === MOVE_RENAME_JUMP;
}

/** Holds time back until it is known where the stub on top leads. */
function hold(top: usize, ns: f64): void {
  store<f64>(top, load<f64>(top, FRAME_HELD_NS) + ns, FRAME_HELD_NS);
}

/** Notes that an event confirms the function on top. */
function noteSeen(top: usize, timeNs: f64): void {
  store<f64>(top, min(load<f64>(top, FRAME_KNOWN_FROM_NS), timeNs), FRAME_KNOWN_FROM_NS);
}

// Stops at which nothing happens: the trace stops, and with the next event it starts in the same function. Has the same
// effect as `beginStop` and `endStop` in time.ts.

/**
 * True if the event in `row` stops the trace and the next one, whose site is in the window, starts it again there.
 */
function isBriefStop(top: usize, row: u32, siteAt: usize): bool {
  const action = actionAt(row);
  if (action !== ACTION_SYSCALL && action !== ACTION_STOP) return false;
  if ((rules & (RULE_NO_STOPS | RULE_NO_JUMPS)) !== 0 || actionAt(row + 1) !== ACTION_RESUME) return false;
  const fn = load<i32>(top, FRAME_FUNCTION);
  const stop = sites + ((<usize>load<u32>(siteAt)) << SITE_BITS);
  const start = sites + ((<usize>load<u32>(siteAt, 4)) << SITE_BITS);
  return load<i32>(stop, SITE_FROM_FUNCTION) === fn && load<i32>(start, SITE_TO_FUNCTION) === fn;
}

/** Begins a stop under the frame on top, and returns its node. */
function beginStop(top: usize, row: u32, ns: f64): u32 {
  const symbol = actionAt(row) === ACTION_SYSCALL ? SYMBOL_SYSCALL : SYMBOL_UNTRACED;
  const node = childOf(load<u32>(top, FRAME_NODE), symbol);
  logStop(node, ns, row);
  return node;
}

/** Ends a stop. */
function endStop(node: u32, sinceNs: f64, ns: f64): void {
  logEndStop(ns);
  countNode(node, ns - sinceNs);
}
