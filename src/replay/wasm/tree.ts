/**
 * The call tree: the same rows and the same table of children as in model/calls/call-tree.ts.
 */
import {
  FLAG_CALLED,
  FLAG_DOUBTS,
  FLAG_LEVEL,
  FLAG_PLAIN_CALL,
  FRAME_BYTES,
  FRAME_CALL_ROW,
  FRAME_ENTRY_NS,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_HELD_NS,
  FRAME_INFERENCE,
  FRAME_KNOWN_FROM_NS,
  FRAME_KNOWN_UNTIL_NS,
  FRAME_LEVEL,
  FRAME_NEXT_LOWER,
  FRAME_NODE,
  FRAME_ORDER,
  FRAME_RETURN_ROW,
  FRAME_RETURNS_TO,
  HEAD_HIDDEN_NS,
  HEAD_HIGHEST,
  HEAD_INDEX_LENGTH,
  HEAD_SLOT_MASK,
  HEAD_SLOTS,
  HEAD_TREE,
  HEAD_TREE_LENGTH,
  HEAD_TREE_LIMIT,
  NODE_BITS,
  NODE_CALLS,
  NODE_COMPLETE_NS,
  NODE_INFERRED_NS,
  NODE_LAST_CHILD,
  NODE_MAX_NS,
  NODE_MIN_NS,
  NODE_NEXT_CALLED,
  NODE_PARENT,
  NODE_SELF_NS,
  NODE_SYMBOL,
  NONE,
  RULE_DURATIONS,
} from './layout';
import { DOUBT_HIDDEN_JUMP, HIDDEN_JUMP, NO_DOUBT } from './rules';
import { frameAt, listDoubtful, listDuration, listInferred, logClose, logKnownTime, MAX_ENDED, rules } from './thread';

let rows: usize = 0;
let slots: usize = 0;
let slotMask: u32 = 0;
let length: u32 = 0;
let limit: u32 = 0;

export function beginTree(): void {
  rows = load<u32>(HEAD_TREE);
  slots = load<u32>(HEAD_SLOTS);
  slotMask = load<u32>(HEAD_SLOT_MASK);
  length = load<u32>(HEAD_TREE_LENGTH);
  limit = load<u32>(HEAD_TREE_LIMIT);
}

export function endTree(): void {
  store<u32>(HEAD_TREE_LENGTH, length);
}

export function isTreeFull(): bool {
  return length >= limit;
}

/** Returns the row of a node. */
export function nodeRow(node: u32): usize {
  return rows + ((<usize>node) << NODE_BITS);
}

/** Returns the child of `parent` for this symbol, and adds it if there is none. */
export function childOf(parent: u32, symbol: i32): u32 {
  const row = nodeRow(parent);
  const last = load<i32>(row, NODE_LAST_CHILD);
  if (last === NONE) return findOrAdd(parent, symbol);
  const lastRow = nodeRow(last);
  if (load<i32>(lastRow, NODE_SYMBOL) === symbol) return last;
  const next = load<i32>(lastRow, NODE_NEXT_CALLED);
  const isNext = next !== NONE && load<i32>(nodeRow(next), NODE_SYMBOL) === symbol;
  const node = isNext ? <u32>next : findOrAdd(parent, symbol);
  store<u32>(lastRow, node, NODE_NEXT_CALLED);
  store<u32>(row, node, NODE_LAST_CHILD);
  return node;
}

/** Charges time to a node. `doubt`: why it is inferred. */
export function charge(node: u32, ns: f64, doubt: u32): void {
  const row = nodeRow(node);
  store<f64>(row, load<f64>(row, NODE_SELF_NS) + ns, NODE_SELF_NS);
  if (doubt === NO_DOUBT) return;
  store<f64>(row, load<f64>(row, NODE_INFERRED_NS) + ns, NODE_INFERRED_NS);
  if (doubt === DOUBT_HIDDEN_JUMP) store<f64>(HEAD_HIDDEN_NS, load<f64>(HEAD_HIDDEN_NS) + ns);
  else if (ns > 0) listDoubtful(node, ns);
}

/** Counts a complete call. */
export function countComplete(node: u32, durationNs: f64): void {
  const row = nodeRow(node);
  store<f64>(row, load<f64>(row, NODE_CALLS) + 1, NODE_CALLS);
  store<f64>(row, load<f64>(row, NODE_COMPLETE_NS) + durationNs, NODE_COMPLETE_NS);
  if (durationNs < load<f64>(row, NODE_MIN_NS)) store<f64>(row, durationNs, NODE_MIN_NS);
  if (durationNs > load<f64>(row, NODE_MAX_NS)) store<f64>(row, durationNs, NODE_MAX_NS);
}

function findOrAdd(parent: u32, symbol: i32): u32 {
  const mixed = (parent ^ (<u32>symbol * 0x85ebca6b)) * 0x9e3779b1;
  let slot = (mixed ^ (mixed >>> 15)) & slotMask;
  for (;;) {
    const found = load<i32>(slots + ((<usize>slot) << 2));
    if (found === NONE) break;
    const row = nodeRow(found);
    if (load<u32>(row, NODE_PARENT) === parent && load<i32>(row, NODE_SYMBOL) === symbol) return found;
    slot = (slot + 1) & slotMask;
  }
  store<u32>(slots + ((<usize>slot) << 2), length);
  return addNode(parent, symbol);
}

function addNode(parent: u32, symbol: i32): u32 {
  const node = length++;
  const row = nodeRow(node);
  store<u32>(row, parent, NODE_PARENT);
  store<i32>(row, symbol, NODE_SYMBOL);
  store<i32>(row, NONE, NODE_LAST_CHILD);
  store<i32>(row, NONE, NODE_NEXT_CALLED);
  store<f64>(row, 0, NODE_CALLS);
  store<f64>(row, 0, NODE_SELF_NS);
  store<f64>(row, 0, NODE_COMPLETE_NS);
  store<f64>(row, Infinity, NODE_MIN_NS);
  store<f64>(row, -Infinity, NODE_MAX_NS);
  store<f64>(row, 0, NODE_INFERRED_NS);
  store<u32>(nodeRow(parent), node, NODE_LAST_CHILD);
  return node;
}

// Opens and closes frames: the same rows as in stack/frame.ts, and the same index of open frames as in
// stack/frame.ts.

/** Opens a frame of a function that the event in `row` calls. */
export function openCalled(
  frame: usize,
  fn: i32,
  node: u32,
  entryNs: f64,
  index: u32,
  row: u32,
  isPlainCall: bool,
): void {
  const flags = FLAG_LEVEL | FLAG_CALLED | (isPlainCall ? FLAG_PLAIN_CALL : 0);
  openFrame(frame, fn, node, entryNs, index, row, flags);
  store<f64>(frame, entryNs, FRAME_KNOWN_FROM_NS);
  store<i32>(frame, NONE, FRAME_INFERENCE);
  store<u32>(frame, row, FRAME_ORDER);
}

/** Opens a frame of a function that the frame on top jumped to. `inference`: NONE if the trace shows the jump. */
export function openJumpedTo(frame: usize, top: usize, fn: i32, node: u32, entryNs: f64, inference: i32): void {
  openFrame(frame, fn, node, entryNs, load<u32>(top, FRAME_LEVEL), load<i32>(top, FRAME_CALL_ROW), 0);
  store<f64>(frame, inference === NONE ? entryNs : Infinity, FRAME_KNOWN_FROM_NS);
  store<i32>(frame, inference, FRAME_INFERENCE);
  store<i32>(frame, load<i32>(top, FRAME_RETURN_ROW), FRAME_RETURN_ROW);
  store<i32>(frame, load<i32>(top, FRAME_ORDER), FRAME_ORDER);
}

function openFrame(frame: usize, fn: i32, node: u32, entryNs: f64, level: u32, callRow: i32, flags: u32): void {
  store<f64>(frame, entryNs, FRAME_ENTRY_NS);
  store<f64>(frame, Infinity, FRAME_KNOWN_UNTIL_NS);
  store<f64>(frame, NaN, FRAME_RETURNS_TO);
  store<f64>(frame, 0, FRAME_HELD_NS);
  store<i32>(frame, fn, FRAME_FUNCTION);
  store<u32>(frame, node, FRAME_NODE);
  store<i32>(frame, callRow, FRAME_CALL_ROW);
  store<u32>(frame, level, FRAME_LEVEL);
  store<u32>(frame, flags, FRAME_FLAGS);
  store<i32>(frame, NONE, FRAME_RETURN_ROW);
}

/** Removes the frame at this index, which is on top, from the index of open frames. */
export function forgetInIndex(frame: usize, index: u32): void {
  if (load<u32>(HEAD_INDEX_LENGTH) <= index) return;
  const highest: usize = load<u32>(HEAD_HIGHEST) + ((<usize>load<u32>(frame, FRAME_FUNCTION)) << 2);
  store<i32>(highest, load<i32>(frame, FRAME_NEXT_LOWER));
  store<u32>(HEAD_INDEX_LENGTH, index);
}

// Returns that end one level: the called function, and those that it jumped to.

/** True if a return ends the level on top, which the event in `callRow` called. */
export function endsLevel(top: usize, depth: u32, callRow: i32, target: i32): bool {
  const level = load<u32>(top, FRAME_LEVEL);
  const first = frameAt(level);
  if (level === 0 || depth - level >= MAX_ENDED) return false;
  if (load<i32>(first, FRAME_CALL_ROW) !== callRow) return false;
  if (load<i32>(first - FRAME_BYTES, FRAME_FUNCTION) !== target) return false;
  for (let frame = first; frame <= top; frame += FRAME_BYTES) if (!canClose(frame)) return false;
  return true;
}

function canClose(frame: usize): bool {
  const inference = load<i32>(frame, FRAME_INFERENCE);
  const isKnown = inference === NONE || inference === HIDDEN_JUMP;
  return isKnown && (load<u32>(frame, FRAME_FLAGS) & FLAG_DOUBTS) === 0;
}

/** Ends the level on top and returns its index. */
export function endLevel(top: usize, depth: u32, nowNs: f64): u32 {
  const level = load<u32>(top, FRAME_LEVEL);
  for (let index = depth - 1; index >= level; index--) {
    const frame = frameAt(index);
    if (load<i32>(frame, FRAME_INFERENCE) === NONE) countCall(frame, nowNs);
    else countJumpedTo(frame, nowNs);
    forgetInIndex(frame, index);
  }
  return level;
}

/** Lists the end of a call that a hidden jump began. */
function countJumpedTo(frame: usize, endNs: f64): void {
  const ns = knownNs(frame, endNs);
  logClose(HIDDEN_JUMP + 1, endNs);
  if (ns !== endNs - load<f64>(frame, FRAME_ENTRY_NS)) logKnownTime(ns);
  listInferred(load<i32>(frame, FRAME_NODE), ns);
}

function knownNs(frame: usize, endNs: f64): f64 {
  return max(0, min(endNs, load<f64>(frame, FRAME_KNOWN_UNTIL_NS)) - load<f64>(frame, FRAME_KNOWN_FROM_NS));
}

/** Counts a complete call, and lists its end for the log. */
function countCall(frame: usize, endNs: f64): void {
  logClose(0, endNs);
  countNode(load<u32>(frame, FRAME_NODE), endNs - load<f64>(frame, FRAME_ENTRY_NS));
}

/** Counts a complete call or stop; lists its duration if durations are wanted. */
export function countNode(node: u32, durationNs: f64): void {
  countComplete(node, durationNs);
  if ((rules & RULE_DURATIONS) !== 0) listDuration(load<i32>(nodeRow(node), NODE_SYMBOL), durationNs);
}
