/**
 * Executes simple actions, which are nearly all: the event comes from the function on top, and stays in it, calls
 * another function, or returns to the caller right below. Has the same effect as `execute.ts`, without its checks.
 *
 * Reads columns of numbers (`action` and `link` from pairing, `site` and `timeNs` from the trace, what is known of each
 * site and function) and updates the call tree.
 */
import { Certainty } from '../model/calls/call-log.js';
import { Action } from './pairing/actions.js';
import { Frame } from './stack/frame.js';
import { chargeTo } from './stack/open-frames.js';
import type { ReplayState } from './state.js';

/** Executes rows until one is not simple, and returns that row. All time up to the row before it has been charged. */
export function executeSimple(state: ReplayState, firstRow: number, endRow: number): number {
  if (state.depth === 0) return firstRow;
  const { tree, log, stack, frameIndex } = state;
  const { site, timeNs } = state.events;
  const { action, link } = state.pairing;
  const { simpleFrom, toFunction, functions } = state.facts;
  const { symbol } = functions;
  const { Call, Return } = Action; // local names make the loop faster
  const isCertain = state.certainty.current === Certainty.Certain; // simple events do not change it
  const hasAttached = state.putBackLevels.size > 0;
  let { depth, nowNs } = state;
  let top = stack[depth - 1] as Frame;
  let row = firstRow;
  for (; row < endRow; row++) {
    const id = site[row];
    const code = action[row];
    if (code > Return || top.fn !== simpleFrom[id]) break;
    if (code === Return) {
      if (!top.isSimpleCallOf(link[row], depth - 1)) break;
      if (stack[depth - 2]?.fn !== toFunction[id] || hasAttached) break;
    }
    const ns = timeNs[row] - nowNs;
    nowNs = timeNs[row];
    if (isCertain) tree.charge(top.node, ns, false);
    else chargeTo(state, top.node, ns);
    if (code === Call) {
      const fn = toFunction[id];
      const node = tree.child(top.node, symbol[fn]);
      if (depth === stack.length) stack.push(new Frame());
      top = stack[depth] as Frame;
      top.open(fn, node, nowNs, depth++, row);
      if (log) top.logRow = log.openAt(nowNs, node);
    } else if (code === Return) {
      tree.countComplete(top.node, nowNs - top.entryNs);
      if (log) log.closeAt(nowNs);
      frameIndex.forget(top, --depth);
      top = stack[depth - 1] as Frame;
    }
  }
  state.depth = depth;
  return row;
}
