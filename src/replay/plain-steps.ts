/**
 * Replays events as long as they are plain, which nearly all are: they come from the function on top, and stay in it,
 * call, or return to the caller below. It does what `steps.ts` would do, without its questions.
 */
import { Certainty } from '../model/call-log.js';
import { Step } from './functions/site-facts.js';
import { Outcome } from './pairing/pairing.js';
import { Frame } from './stack/frame.js';
import { chargeTo } from './stack/open-frames.js';
import type { ReplayState } from './state.js';

/** Takes rows until one is not plain, and returns that one; up to `nowNs` of the state all time is charged, and that stays as it is. */
export function takePlain(state: ReplayState, firstRow: number, endRow: number): number {
  if (state.depth === 0) return firstRow;
  const { tree, log, stack, index } = state;
  const { site, timeNs } = state.events;
  const { plainStep, fromFunction, toFunction, functions } = state.facts;
  const { symbol } = functions;
  const { outcome, link } = state.pairing;
  const isSure = state.doubts.certainty === Certainty.Sure; // plain events do not change it
  const hasAttached = state.attached.size > 0;
  let { depth, nowNs } = state;
  let top = stack[depth - 1] as Frame;
  let row = firstRow;
  for (; row < endRow; row++) {
    const id = site[row];
    const step = plainStep[id];
    if (top.fn !== fromFunction[id] || step > Step.Return) break;
    if (step === Step.Return) {
      if (outcome[row] !== Outcome.Pop || !top.isPlainCallOf(link[row], depth - 1)) break;
      if (stack[depth - 2]?.fn !== toFunction[id] || hasAttached) break;
    }
    const ns = timeNs[row] - nowNs;
    nowNs = timeNs[row];
    if (isSure) tree.charge(top.node, ns, false);
    else chargeTo(state, top.node, ns);
    if (step === Step.Call) {
      const fn = toFunction[id];
      const node = tree.child(top.node, symbol[fn]);
      if (depth === stack.length) stack.push(new Frame());
      top = stack[depth] as Frame;
      top.open(fn, node, nowNs, depth++, row);
      if (log) top.logRow = log.openAt(nowNs, node);
    } else if (step === Step.Return) {
      tree.countComplete(top.node, nowNs - top.entryNs);
      if (log) log.closeAt(nowNs);
      index.forget(top, --depth);
      top = stack[depth - 1] as Frame;
    }
  }
  state.depth = depth;
  return row;
}
