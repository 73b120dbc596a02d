/**
 * Lists rows for the call log, if there is one: the same as in model/calls/call-log.ts.
 */
import {
  FRAME_LOG_ROW,
  HEAD_LOG,
  HEAD_LOG_COUNT,
  HEAD_LOG_LENGTH,
  HEAD_RENAMES,
  HEAD_RENAMES_COUNT,
  RULE_LOG,
} from './layout';
import { LOG_CERTAINTY, LOG_CLOSE, LOG_END_STOP, LOG_KNOWN_TIME, LOG_OP_BITS, LOG_OPEN, LOG_STOP } from './rules';
import { list, rules } from './thread';

let rows: usize = 0;
let renames: usize = 0;
let length: u32 = 0;
let count: u32 = 0;
let renameCount: u32 = 0;

export function beginLog(): void {
  rows = load<u32>(HEAD_LOG);
  renames = load<u32>(HEAD_RENAMES);
  length = load<u32>(HEAD_LOG_LENGTH);
  count = 0;
  renameCount = 0;
}

export function endLog(): void {
  store<u32>(HEAD_LOG_COUNT, count);
  store<u32>(HEAD_RENAMES_COUNT, renameCount);
}

/** Notes in a frame the row that opens its call. */
export function logOpen(frame: usize, node: u32, ns: f64): void {
  if ((rules & RULE_LOG) === 0) return;
  store<u32>(frame, length + count, FRAME_LOG_ROW);
  add(LOG_OPEN, node, ns);
}

/** `why`: 0 if the call returned, else 1 + its `Inference`. */
export function logClose(why: u32, ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_CLOSE, why, ns);
}

export function logStop(node: u32, ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_STOP, node, ns);
}

export function logEndStop(ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_END_STOP, 0, ns);
}

export function logKnownTime(ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_KNOWN_TIME, 0, ns);
}

export function logCertainty(certainty: u32, ns: f64): void {
  if ((rules & RULE_LOG) !== 0) add(LOG_CERTAINTY, certainty, ns);
}

/** Lists that the call of a frame has another node: its row may have been taken over by replay already. */
export function logRename(frame: usize, node: u32): void {
  if ((rules & RULE_LOG) === 0) return;
  list(renames, renameCount++, node, load<u32>(frame, FRAME_LOG_ROW));
}

function add(op: u32, argument: u32, ns: f64): void {
  list(rows, count++, (argument << LOG_OP_BITS) | op, ns);
}
