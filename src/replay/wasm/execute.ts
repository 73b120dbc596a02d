/**
 * Executes simple actions, with the same effect as `executeRow` in execute.ts. It stops before an event that the general
 * rules decide.
 */
import { forgetInIndex, openCalled } from './frames';
import {
  FRAME_BYTES,
  FRAME_FUNCTION,
  FRAME_NODE,
  HEAD_CERTAINTY,
  HEAD_DEPTH,
  HEAD_NOW_NS,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  HEAD_WINDOW_TIMES,
  NONE,
  SITE_BITS,
  SITE_FROM_FUNCTION,
  SITE_STEP,
  SITE_TO_FUNCTION,
  SITE_TO_SYMBOL,
  STOP_DONE,
  STOP_FULL,
  STOP_GENERAL,
} from './layout';
import { beginLog, endLog, logCertainty, logOpen } from './log';
import {
  follow,
  hiddenMoveTo,
  hold,
  leavesStub,
  MOVE_GENERAL,
  MOVE_JUMP,
  MOVE_NONE,
  MOVE_RENAME,
  noteSeen,
  shownMoveTo,
} from './moves';
import { countCall, endLevel, endsLevel, isSimpleReturn } from './returns';
import { ACTION_CALL, ACTION_JUMP, ACTION_RETURN, AFTER_HIDDEN_JUMP, CERTAIN, HIDDEN_JUMP, STEP_CALL } from './rules';
import { beginStop, endStop, isBriefStop } from './stops';
import { actionAt, areListsFull, beginThread, endThread, frameAt, linkAt, sites } from './thread';
import { beginTree, charge, childOf, endTree, isTreeFull } from './tree';

/** Executes the rows from `first` to `end`, which are in the window; returns the row before which it stopped. */
export function execute(first: u32, end: u32): u32 {
  beginThread();
  beginTree();
  beginLog();
  const certainty = load<u32>(HEAD_CERTAINTY);
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
    let isSimple = true;
    let isStop = false;
    let jump = MOVE_NONE;
    if (action === ACTION_JUMP) {
      if (move === MOVE_NONE) jump = shownMoveTo(top, depth, target);
      if (jump < MOVE_RENAME) break;
    } else if (action > ACTION_RETURN) {
      isStop = row + 1 < end && isBriefStop(top, row, siteAt);
      if (!isStop) break;
    } else if (action === ACTION_RETURN) {
      isSimple = move < MOVE_JUMP && isSimpleReturn(top, depth, linkAt(row), target);
      if (!isSimple && !endsLevel(top, depth, linkAt(row), target)) break;
    }
    if (isTreeFull() || depth + 1 >= stackLimit || areListsFull()) {
      stop = STOP_FULL;
      break;
    }
    stop = STOP_DONE;
    const timeNs = load<f64>(timeAt);
    if (move !== MOVE_NONE) {
      top = follow(top, depth - 1, from, move, nowNs, HIDDEN_JUMP, certainty);
      if (move >= MOVE_JUMP) depth++;
      noteSeen(top, timeNs);
    }
    if (move === MOVE_JUMP && certainty === CERTAIN) {
      logCertainty(AFTER_HIDDEN_JUMP, nowNs);
      charge(load<u32>(top, FRAME_NODE), timeNs - nowNs, AFTER_HIDDEN_JUMP);
      logCertainty(CERTAIN, timeNs);
    } else if (leavesStub(jump)) hold(top, timeNs - nowNs);
    else charge(load<u32>(top, FRAME_NODE), timeNs - nowNs, certainty);
    nowNs = timeNs;
    if (isStop) {
      const node = beginStop(top, row, nowNs);
      row++;
      siteAt += 4;
      timeAt += 8;
      const resumedNs = load<f64>(timeAt);
      charge(node, resumedNs - nowNs, certainty);
      endStop(node, nowNs, resumedNs);
      nowNs = resumedNs;
    } else if (action === ACTION_CALL) {
      const node = childOf(load<u32>(top, FRAME_NODE), load<i32>(site, SITE_TO_SYMBOL));
      top += FRAME_BYTES;
      const isPlain = load<u8>(site, SITE_STEP) === STEP_CALL;
      openCalled(top, target, node, nowNs, depth++, row, isPlain);
      logOpen(top, node, nowNs);
    } else if (action === ACTION_RETURN) {
      if (isSimple) {
        countCall(top, nowNs);
        forgetInIndex(top, --depth);
        top -= FRAME_BYTES;
      } else {
        depth = endLevel(top, depth, nowNs);
        top = frameAt(depth - 1);
      }
    } else if (jump !== MOVE_NONE) {
      top = follow(top, depth - 1, target, jump, nowNs, NONE, certainty);
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
