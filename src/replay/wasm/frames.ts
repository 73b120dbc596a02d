/**
 * Opens and closes frames: the same rows as in stack/frame.ts, and the same index of open frames as in
 * stack/frame-index.ts.
 */
import {
  FLAG_CALLED,
  FLAG_LEVEL,
  FLAG_PLAIN_CALL,
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
  HEAD_HIGHEST,
  HEAD_INDEX_LENGTH,
  NONE,
} from './layout';

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
