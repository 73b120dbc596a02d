/**
 * Replays events as long as they are plain, which nearly all are: they come from the function on top, and stay in it,
 * call, or return to the caller below. It does what `Steps` would do, without its questions.
 */
import type { CallLogBuilder } from '../model/call-log.js';
import type { CallTreeBuilder } from '../model/call-tree.js';
import type { ThreadEvents } from '../model/thread-events.js';
import type { Nanoseconds } from '../model/units.js';
import { type SiteFacts, Step } from './functions/site-facts.js';
import { Outcome, type Pairing } from './pairing/pairing.js';
import { Frame } from './stack/frame.js';
import type { OpenFrames } from './stack/open-frames.js';

export class PlainSteps {
  private readonly tree: CallTreeBuilder;
  private readonly log: CallLogBuilder | null;
  private readonly frames: OpenFrames;
  private readonly pairing: Pairing;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;

  constructor(
    tree: CallTreeBuilder,
    log: CallLogBuilder | null,
    frames: OpenFrames,
    pairing: Pairing,
    events: ThreadEvents,
    facts: SiteFacts,
  ) {
    this.tree = tree;
    this.log = log;
    this.frames = frames;
    this.pairing = pairing;
    this.events = events;
    this.facts = facts;
  }

  /** Takes rows until one is not plain, and returns that one; up to `fromNs` all time is charged. */
  take(firstRow: number, endRow: number, fromNs: Nanoseconds): number {
    const { frames, tree, log } = this;
    if (frames.depth === 0) return firstRow;
    const { site, timeNs } = this.events;
    const { plainStep, fromFunction, toFunction, functions } = this.facts;
    const { symbol } = functions;
    const { outcome, link } = this.pairing;
    const { stack, index, isSure, hasAttached } = frames; // plain events change none of it
    let { depth, top } = frames;
    let nowNs = fromNs;
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
      else frames.chargeTo(top.node, ns);
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
    frames.depth = depth;
    return row;
  }
}
