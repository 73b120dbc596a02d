/**
 * Lays out a window of a stack chart: the calls that are at least a pixel wide, and blocks for the others. Calls that are much
 * shorter than a pixel are counted without reading them.
 */

import { type LevelRows, rowsInWindow } from '../../../analysis/timeline/spans-builder.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import { type Spans, spanLevel } from '../../../model/profile/timeline.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { type ChartBoxes, ChartBoxesBuilder, ChartBoxKind } from './chart-boxes.js';
import type { ChartThread } from './chart-thread.js';
import { unlistedWithin } from './chart-thread.js';

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
  private readonly nsPerPx: number;
  private readonly boxes = new ChartBoxesBuilder();
  private readonly short: ShortCalls;
  private readonly lowest: number;
  private readonly open: OpenBox[] = [];
  /** Everything before it is laid out. */
  private nowNs: Nanoseconds;
  private examined = 0;

  constructor(
    private readonly thread: ChartThread,
    private readonly window: Bounds,
    widthPx: number,
  ) {
    const { levels } = thread.spans;
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

/**
 * Goes through the calls of several levels in order: by start; of two that start together, the outer one first.
 *
 * Calls `visit` with the rows.
 */
function visitByStart(
  levels: readonly Spans[],
  found: readonly LevelRows[],
  visit: (calls: Spans, row: number, level: number) => void,
): void {
  const starts = found.map(({ level }) => levels[level].startNs);
  const next = Float64Array.from(found, ({ from }, at) => starts[at][from]);
  const rows = Int32Array.from(found, ({ from }) => from);
  let left = found.length;
  while (left > 0) {
    // of equal starts the last: it is of the highest level, so it is the longest
    let first = 0;
    for (let at = 1; at < next.length; at++) if (next[at] <= next[first]) first = at;
    const { level, to } = found[first];
    const row = rows[first]++;
    visit(levels[level], row, level);
    if (row + 1 < to) next[first] = starts[first][row + 1];
    else {
      next[first] = Number.POSITIVE_INFINITY;
      left--;
    }
  }
}

/**
 * Counts the calls that are too short to be drawn, by pixel. Each level of them is read once per pixel at most, whatever the
 * number of its calls.
 */
interface ShortRun {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly calls: number;
}

const NO_RUNS: readonly ShortRun[] = [];

class ShortCalls {
  /** How many rows were read. */
  examined = 0;
  private readonly firstPixel: number;
  private readonly counts: Int32Array;
  /** By level: the first row that was not counted yet. */
  private readonly next: Int32Array;
  private low = Number.POSITIVE_INFINITY;
  private high = -1;

  /** `levels`: those whose calls are all too short. */
  constructor(
    private readonly levels: readonly Spans[],
    startNs: Nanoseconds,
    endNs: Nanoseconds,
    private readonly nsPerPx: number,
  ) {
    this.firstPixel = Math.floor(startNs / nsPerPx) - 1;
    this.counts = new Int32Array(Math.ceil(endNs / nsPerPx) - this.firstPixel + 2);
    this.next = Int32Array.from(levels, (calls) => this.firstAtOrAfter(calls.startNs, 0, startNs));
  }

  /** Counts a call of another level. */
  add(startNs: Nanoseconds): void {
    this.count(this.pixelAt(startNs), 1);
  }

  /** Counts the calls that begin before a moment and were not counted yet. */
  addUntil(endNs: Nanoseconds): void {
    for (let level = 0; level < this.levels.length; level++) {
      const { startNs: starts } = this.levels[level];
      let row = this.next[level];
      while (row < starts.length && starts[row] < endNs) {
        const pixel = this.pixelAt(starts[row]);
        const borderNs = Math.min(endNs, this.startOf(pixel + 1));
        const after = Math.max(row + 1, this.firstAtOrAfter(starts, row, borderNs));
        this.count(pixel, after - row);
        row = after;
      }
      this.next[level] = row;
    }
  }

  /** Returns what was counted since the last time; neighbours are one run. */
  take(): readonly ShortRun[] {
    if (this.high < this.low) return NO_RUNS;
    const runs: ShortRun[] = [];
    for (let pixel = this.low; pixel <= this.high; pixel++) {
      if (this.counts[pixel] === 0) continue;
      const first = pixel;
      let calls = 0;
      for (; pixel <= this.high && this.counts[pixel] > 0; pixel++) {
        calls += this.counts[pixel];
        this.counts[pixel] = 0;
      }
      runs.push({ startNs: this.startOf(first), endNs: this.startOf(pixel), calls });
    }
    this.low = Number.POSITIVE_INFINITY;
    this.high = -1;
    return runs;
  }

  private count(pixel: number, calls: number): void {
    this.counts[pixel] += calls;
    if (pixel < this.low) this.low = pixel;
    if (pixel > this.high) this.high = pixel;
  }

  /** Pixels begin at multiples of their duration, so that the picture does not change while it moves. */
  private pixelAt(ns: Nanoseconds): number {
    const near = Math.floor(ns / this.nsPerPx) - this.firstPixel;
    if (this.startOf(near) > ns) return near - 1; // rounded
    return this.startOf(near + 1) <= ns ? near + 1 : near;
  }

  private startOf(pixel: number): Nanoseconds {
    return (pixel + this.firstPixel) * this.nsPerPx;
  }

  /** Searches in steps that double: what is searched is mostly near. */
  private firstAtOrAfter(starts: Float64Array, from: number, ns: Nanoseconds): number {
    let low = from;
    let step = 1;
    for (; low + step < starts.length && starts[low + step] < ns; step *= 2) {
      low += step;
      this.examined++;
    }
    let high = Math.min(starts.length, low + step);
    while (low < high) {
      const middle = (low + high) >>> 1;
      this.examined++;
      if (starts[middle] < ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
