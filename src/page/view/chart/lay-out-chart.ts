/**
 * Lays out a window of a stack chart: the calls that are at least a pixel wide, and blocks for the others. Calls that are much
 * shorter than a pixel are counted without reading them.
 */

import type { Bounds } from '../../../analysis/questions.js';
import { rowsInWindow } from '../../../analysis/timeline/spans/thread-spans.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import { type Spans, spanLevel } from '../../../model/timeline/timeline.js';
import type { Nanoseconds } from '../../../model/units.js';
import { visitByStart } from './calls-by-start.js';
import { type ChartBoxes, ChartBoxesBuilder, ChartBoxKind } from './chart-boxes.js';
import type { ChartThread } from './chart-thread.js';
import { ShortCalls } from './short-calls.js';
import { unlistedWithin } from './unlisted-calls.js';

/** The cost depends on the number of pixels, not on that of calls. */
export function layOutChart(thread: ChartThread, window: Bounds, widthPx: number): ChartBoxes {
  return new ChartLayout(thread, window, widthPx).layOut();
}

/** A call that is drawn and has not ended yet. */
interface OpenBox {
  readonly node: number;
  readonly endNs: Nanoseconds;
}

class ChartLayout {
  private readonly thread: ChartThread;
  private readonly window: Bounds;
  private readonly nsPerPx: number;
  private readonly boxes = new ChartBoxesBuilder();
  private readonly short: ShortCalls;
  private readonly lowest: number;
  private readonly open: OpenBox[] = [];
  /** Everything before it is laid out. */
  private nowNs: Nanoseconds;
  private examined = 0;

  constructor(thread: ChartThread, window: Bounds, widthPx: number) {
    const { levels } = thread.spans;
    this.thread = thread;
    this.window = window;
    this.nowNs = window.startNs;
    this.nsPerPx = (window.endNs - window.startNs) / widthPx;
    this.lowest = spanLevel(this.nsPerPx);
    this.short = new ShortCalls(levels.slice(0, this.lowest), window.startNs, window.endNs, this.nsPerPx);
  }

  layOut(): ChartBoxes {
    const { levels } = this.thread.spans;
    const { startNs, endNs } = this.window;
    const found = rowsInWindow(this.thread.spans, this.lowest, startNs, endNs);
    visitByStart(levels, found, (calls, row) => this.visit(calls, row));
    this.goTo(endNs);
    this.close(endNs);
    return this.boxes.build(this.examined + this.short.examined);
  }

  private visit({ startNs, endNs, node, ending }: Spans, row: number): void {
    this.examined++;
    const [fromNs, toNs] = [startNs[row], endNs[row]];
    if (toNs <= this.window.startNs && toNs > fromNs) return;
    const isShort = toNs - fromNs < this.nsPerPx;
    if (isShort && fromNs < this.window.startNs) return;
    this.goTo(fromNs);
    if (isShort) return this.short.add(fromNs);
    this.close(fromNs);
    this.boxes.addCall(fromNs, toNs, this.thread.depth[node[row]] - 1, node[row], ending[row]);
    this.open.push({ node: node[row], endNs: toNs });
  }

  /** Ends the calls that end until then. */
  private goTo(ns: Nanoseconds): void {
    for (let top = this.open.at(-1); top !== undefined && top.endNs <= ns; top = this.open.at(-1)) {
      this.close(top.endNs);
      this.open.pop();
    }
  }

  /** Adds blocks for the time until then, in which only the innermost call was drawn. */
  private close(ns: Nanoseconds): void {
    const node = this.open.at(-1)?.node ?? ROOT;
    const row = this.thread.depth[node];
    this.short.addUntil(Math.min(ns, this.window.endNs));
    const { unlisted } = this.thread;
    if (unlisted.bySlice !== null && this.thread.hasCallees[node] && ns > this.nowNs)
      for (const part of unlistedWithin(unlisted, this.nowNs, ns))
        this.boxes.addBlock(ChartBoxKind.Unlisted, part, row, node, part);
    for (const { calls, startNs, endNs } of this.short.take()) {
      const part = { startNs: Math.max(startNs, this.nowNs), endNs: Math.min(endNs, ns) };
      this.boxes.addBlock(ChartBoxKind.Short, part, row, node, { atLeast: calls, atMost: calls });
    }
    this.nowNs = Math.max(this.nowNs, ns);
  }
}
