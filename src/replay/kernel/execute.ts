/**
 * Executes simple actions: as simple-actions.ts. Where control moved without an event, or a return ends more than one
 * frame, it stops before that event; only a stub is renamed here.
 */
import { forgetInIndex, openFrame } from './frames';
import {
  DURATION_BYTES,
  DURATION_NS,
  DURATION_SYMBOL,
  FLAG_AFTER_HIDDEN_JUMP,
  FRAME_BYTES,
  FRAME_CALL_ROW,
  FRAME_ENTRY_NS,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_INFERENCE,
  FRAME_LEVEL,
  FRAME_NODE,
  HEAD_ACTIONS,
  HEAD_CERTAINTY,
  HEAD_DEPTH,
  HEAD_DURATION_COUNT,
  HEAD_DURATIONS,
  HEAD_FUNCTIONS,
  HEAD_HIDDEN_NS,
  HEAD_LINKS,
  HEAD_NOW_NS,
  HEAD_RULES,
  HEAD_SITES,
  HEAD_STACK,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  HEAD_WINDOW_TIMES,
  NODE_INFERRED_NS,
  NODE_SELF_NS,
  NODE_SYMBOL,
  NONE,
  RULE_DURATIONS,
  RULE_NO_RETURNS,
  SITE_BITS,
  SITE_FROM_FUNCTION,
  SITE_STEP,
  SITE_TO_FUNCTION,
  SITE_TO_SYMBOL,
  STOP_DONE,
  STOP_FULL,
  STOP_GENERAL,
} from './layout';
import { ACTION_CALL, ACTION_RETURN, AFTER_HIDDEN_JUMP, CERTAIN, STEP_CALL } from './rules';
import { leadsTo, renameTop } from './stubs';
import { beginTree, childOf, countComplete, endTree, isTreeFull, nodeRow } from './tree';

/** Executes the rows from `first` to `end`, which are in the window; returns the row before which it stopped. */
export function execute(first: u32, end: u32): u32 {
  const sites: usize = load<u32>(HEAD_SITES);
  const functions: usize = load<u32>(HEAD_FUNCTIONS);
  const actions: usize = load<u32>(HEAD_ACTIONS);
  const links: usize = load<u32>(HEAD_LINKS);
  const stack: usize = load<u32>(HEAD_STACK);
  const stackLimit = load<u32>(HEAD_STACK_LIMIT);
  const rules = load<u32>(HEAD_RULES);
  const offset: usize = first - load<u32>(HEAD_WINDOW_ROW);
  beginTree();
  let siteAt = <usize>load<u32>(HEAD_WINDOW_SITES) + (offset << 2);
  let timeAt = <usize>load<u32>(HEAD_WINDOW_TIMES) + (offset << 3);
  let depth = load<u32>(HEAD_DEPTH);
  let top = stack + <usize>(depth - 1) * FRAME_BYTES;
  let nowNs = load<f64>(HEAD_NOW_NS);
  let stop = STOP_DONE;
  let row = first;
  for (; row < end; row++, siteAt += 4, timeAt += 8) {
    const site = sites + ((<usize>load<u32>(siteAt)) << SITE_BITS);
    const action = load<u8>(actions + row);
    const from = load<i32>(site, SITE_FROM_FUNCTION);
    stop = STOP_GENERAL;
    if (action > ACTION_RETURN || from === NONE || depth === 0) break;
    if (action === ACTION_RETURN && !isSimpleReturn(top, depth, load<u32>(links + ((<usize>row) << 2)), site, rules))
      break;
    if (isTreeFull() || depth >= stackLimit) {
      stop = STOP_FULL;
      break;
    }
    const timeNs = load<f64>(timeAt);
    if (load<i32>(top, FRAME_FUNCTION) !== from) {
      if (!leadsTo(top, depth - 1, from, functions, rules)) break;
      const heldNs = renameTop(top, depth - 1, parentOf(top, depth), from, functions, timeNs);
      if (heldNs !== 0) charge(top, heldNs);
    }
    charge(top, timeNs - nowNs);
    nowNs = timeNs;
    stop = STOP_DONE;
    if (action === ACTION_CALL) {
      const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(site, SITE_TO_SYMBOL));
      top += FRAME_BYTES;
      const isPlainCall = load<u8>(site, SITE_STEP) === STEP_CALL;
      openFrame(top, load<i32>(site, SITE_TO_FUNCTION), node, nowNs, depth++, row, isPlainCall);
    } else if (action === ACTION_RETURN) {
      count(load<u32>(top, FRAME_NODE), nowNs - load<f64>(top, FRAME_ENTRY_NS), rules);
      forgetInIndex(top, --depth);
      top -= FRAME_BYTES;
    }
  }
  endTree();
  store<u32>(HEAD_DEPTH, depth);
  store<f64>(HEAD_NOW_NS, nowNs);
  store<u32>(HEAD_STOP, stop);
  return row;
}

/** True if a return ends the frame on top, which the event in `callRow` called, and lands in the one right below. */
function isSimpleReturn(top: usize, depth: u32, callRow: u32, site: usize, rules: u32): bool {
  return (
    load<u32>(top, FRAME_CALL_ROW) === callRow &&
    load<u32>(top, FRAME_LEVEL) === depth - 1 &&
    load<i32>(top, FRAME_INFERENCE) === NONE &&
    (load<u32>(top, FRAME_FLAGS) & FLAG_AFTER_HIDDEN_JUMP) === 0 &&
    depth >= 2 &&
    load<i32>(top - FRAME_BYTES, FRAME_FUNCTION) === load<i32>(site, SITE_TO_FUNCTION) &&
    (rules & RULE_NO_RETURNS) === 0
  );
}

/** Returns the node below the frame on top. */
function parentOf(top: usize, depth: u32): u32 {
  return depth === 1 ? 0 : load<u32>(top - FRAME_BYTES, FRAME_NODE);
}

/** Charges time to a frame, as certain as the open stack is. */
function charge(frame: usize, ns: f64): void {
  const row = nodeRow(load<u32>(frame, FRAME_NODE));
  store<f64>(row, load<f64>(row, NODE_SELF_NS) + ns, NODE_SELF_NS);
  const certainty = load<u32>(HEAD_CERTAINTY);
  if (certainty === CERTAIN) return;
  store<f64>(row, load<f64>(row, NODE_INFERRED_NS) + ns, NODE_INFERRED_NS);
  if (certainty === AFTER_HIDDEN_JUMP) store<f64>(HEAD_HIDDEN_NS, load<f64>(HEAD_HIDDEN_NS) + ns);
}

/** Counts a complete call, and lists its duration if durations are wanted. */
function count(node: u32, durationNs: f64, rules: u32): void {
  countComplete(node, durationNs);
  if ((rules & RULE_DURATIONS) === 0) return;
  const length = load<u32>(HEAD_DURATION_COUNT);
  const entry = <usize>load<u32>(HEAD_DURATIONS) + <usize>length * DURATION_BYTES;
  store<f64>(entry, durationNs, DURATION_NS);
  store<i32>(entry, load<i32>(nodeRow(node), NODE_SYMBOL), DURATION_SYMBOL);
  store<u32>(HEAD_DURATION_COUNT, length + 1);
}
