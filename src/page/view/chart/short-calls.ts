/**
 * Counts the calls that are too short to be drawn, by pixel. Each level of them is read once per pixel at most, whatever the
 * number of its calls.
 */
import type { Spans } from '../../../model/timeline/timeline.js';
import type { Nanoseconds } from '../../../model/units.js';

export interface ShortRun {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly calls: number;
}

const NO_RUNS: readonly ShortRun[] = [];

export class ShortCalls {
  /** How many rows were read. */
  examined = 0;
  private readonly levels: readonly Spans[];
  private readonly nsPerPx: number;
  private readonly firstPixel: number;
  private readonly counts: Int32Array;
  /** By level: the first row that was not counted yet. */
  private readonly next: Int32Array;
  private low = Number.POSITIVE_INFINITY;
  private high = -1;

  /** `levels`: those whose calls are all too short. */
  constructor(levels: readonly Spans[], startNs: Nanoseconds, endNs: Nanoseconds, nsPerPx: number) {
    this.levels = levels;
    this.nsPerPx = nsPerPx;
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
