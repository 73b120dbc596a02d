/**
 * Returns that end one level: the called function, and those that it jumped to.
 */
import { forgetInIndex } from './frames';
import {
  FLAG_AFTER_HIDDEN_JUMP,
  FLAG_PUT_BACK,
  FRAME_BYTES,
  FRAME_CALL_ROW,
  FRAME_ENTRY_NS,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_INFERENCE,
  FRAME_KNOWN_FROM_NS,
  FRAME_KNOWN_UNTIL_NS,
  FRAME_LEVEL,
  FRAME_NODE,
  NODE_SYMBOL,
  NONE,
  RULE_DURATIONS,
} from './layout';
import { logClose, logKnownTime } from './log';
import { HIDDEN_JUMP } from './rules';
import { frameAt, listDuration, listInferred, MAX_ENDED, rules } from './thread';
import { countComplete, nodeRow } from './tree';

/** Frames that the general rules close. */
const NOT_SIMPLE: u32 = FLAG_AFTER_HIDDEN_JUMP | FLAG_PUT_BACK;

/** True if a return ends the frame on top, which the event in `callRow` called, and lands in the one right below. */
export function isSimpleReturn(top: usize, depth: u32, callRow: i32, target: i32): bool {
  return (
    load<i32>(top, FRAME_CALL_ROW) === callRow &&
    load<u32>(top, FRAME_LEVEL) === depth - 1 &&
    load<i32>(top, FRAME_INFERENCE) === NONE &&
    (load<u32>(top, FRAME_FLAGS) & NOT_SIMPLE) === 0 &&
    depth >= 2 && // there is a frame below
    load<i32>(top - FRAME_BYTES, FRAME_FUNCTION) === target
  );
}

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
  return isKnown && (load<u32>(frame, FRAME_FLAGS) & NOT_SIMPLE) === 0;
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
export function countCall(frame: usize, endNs: f64): void {
  logClose(0, endNs);
  countNode(load<u32>(frame, FRAME_NODE), endNs - load<f64>(frame, FRAME_ENTRY_NS));
}

/** Counts a complete call or stop; lists its duration if durations are wanted. */
export function countNode(node: u32, durationNs: f64): void {
  countComplete(node, durationNs);
  if ((rules & RULE_DURATIONS) !== 0) listDuration(load<i32>(nodeRow(node), NODE_SYMBOL), durationNs);
}
