/**
 * Executes simple actions, which are nearly all, where no kernel does: the event stays in the function on top, calls
 * another function, or returns to the caller right below. Has the same effect as `execute.ts`, without its checks. Where
 * control moved without an event, or a return ends more than one frame, the general rules apply to that event alone.
 *
 * Reads columns of numbers (`action` and `link` from pairing, `site` and `timeNs` from the trace, what is known of each
 * site and function) and updates the call tree.
 */
import { Certainty } from '../model/calls/call-log.js';
import { type FunctionId, type Nanoseconds, NONE } from '../model/units.js';
import { Action } from './pairing/actions.js';
import { landIn, returnFromCall } from './stack/apply-return.js';
import { parkStacks } from './stack/fibers.js';
import type { Frame } from './stack/frame.js';
import { syncTo } from './stack/hidden-jumps.js';
import { addFrame, chargeTo } from './stack/open-frames.js';
import type { ReplayState } from './state.js';
import { chargeHiddenMove, chargeUntil, setNow } from './time/charge.js';

/** Executes rows until one is not simple, and returns that row. All time up to the row before it has been charged. */
export function executeSimple(state: ReplayState, firstRow: number, endRow: number): number {
  const { tree, log, stack, frameIndex } = state;
  const { site, timeNs } = state.events;
  const { action, link } = state.pairing;
  const { simpleFrom, toFunction, functions } = state.facts;
  const { symbol } = functions;
  const { Call, Return } = Action; // local names make the loop faster
  let isCertain = isStackCertain(state);
  let { depth, nowNs } = state;
  let top = stack[depth - 1] as Frame;
  let row = firstRow;
  for (; row < endRow && depth > 0; row++) {
    const id = site[row];
    const code = action[row];
    const from = simpleFrom[id];
    if (code > Return || from === NONE) break;
    if (top.fn === from) {
      const ns = timeNs[row] - nowNs;
      nowNs = timeNs[row];
      if (isCertain) tree.charge(top.node, ns, false);
      else chargeTo(state, top.node, ns);
    } else {
      leaveOff(state, depth, nowNs);
      nowNs = timeNs[row];
      moveTo(state, from, row);
      isCertain = isStackCertain(state);
      depth = state.depth;
      top = stack[depth - 1] as Frame;
    }
    if (code === Call) {
      const fn = toFunction[id];
      const node = tree.child(top.node, symbol[fn]);
      if (depth === stack.length) addFrame(state);
      top = stack[depth] as Frame;
      top.open(fn, node, nowNs, depth++, row);
      if (log) top.logRow = log.openAt(nowNs, node);
    } else if (code === Return) {
      const isSimple = top.isSimpleCallOf(link[row], depth - 1) && stack[depth - 2]?.fn === toFunction[id];
      if (isSimple && state.putBackLevels.size === 0) {
        tree.countComplete(top.node, nowNs - top.entryNs);
        if (log) log.closeAt(nowNs);
        frameIndex.forget(top, --depth);
      } else {
        leaveOff(state, depth, nowNs);
        returnTo(state, row, toFunction[id]);
        isCertain = isStackCertain(state);
        depth = state.depth;
      }
      top = stack[depth - 1] as Frame;
    }
  }
  leaveOff(state, depth, nowNs);
  return row;
}

function isStackCertain({ certainty }: ReplayState): boolean {
  return certainty.current === Certainty.Certain;
}

/** Notes how far the simple actions have come, for the general rules. */
function leaveOff(state: ReplayState, depth: number, nowNs: Nanoseconds): void {
  state.depth = depth;
  setNow(state, nowNs);
}

/** Follows a move of control without an event, to the function that the event in `row` comes from; charges its time. */
function moveTo(state: ReplayState, from: FunctionId, row: number): void {
  if (syncTo(state, from, row)) chargeHiddenMove(state, state.events.timeNs[row]);
  else chargeUntil(state, state.events.timeNs[row]);
}

/** Applies a return of any number of frames. */
function returnTo(state: ReplayState, row: number, target: FunctionId): void {
  parkStacks(state, row);
  returnFromCall(state, state.pairing.link[row], Action.Return);
  landIn(state, target);
}
