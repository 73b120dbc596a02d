/**
 * What is asked about the timeline, and how finely it is kept.
 */

import type { Bounds, Nanoseconds } from '../../model/units.js';

export interface TimelineQuestion {
  /** In the trace's time; times in the answer are relative to its start. */
  readonly window: Bounds;
  /** Number of slices of the strips. */
  readonly stripSlices: number;
  /** What other threads have reached already: nothing finer is needed. */
  readonly reached: ReachedLevels;
  /**
   * All threads together need at most about this many bytes: sums are as fine as half of it permits, and calls as what they
   * leave.
   */
  readonly maxBytes: number;
}

/**
 * How coarse sums and calls of all threads have become so far, in memory that workers share: it only rises. So threads that
 * are replayed later need not be finer.
 */
export type ReachedLevels = Int32Array;

const [SUMS, SPANS] = [0, 1];

/** `sums`: the finest level to try (`resolutionOf`). Of spans, a level is a step (`spanStep`). */
export function reachedLevels(sums: number): ReachedLevels {
  const reached = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  reached[SUMS] = sums;
  return reached;
}

export function levelsOf(reached: ReachedLevels): { readonly sums: number; readonly spans: number } {
  return { sums: Atomics.load(reached, SUMS), spans: Atomics.load(reached, SPANS) };
}

/** Levels that are reached already stay. */
export function raise(reached: ReachedLevels, sums: number, spans: number): void {
  Atomics.store(reached, SUMS, Math.max(sums, reached[SUMS]));
  Atomics.store(reached, SPANS, Math.max(spans, reached[SPANS]));
}

/** Returns the duration of a slice of the strips. */
export function stripSliceNs({ window, stripSlices }: TimelineQuestion): Nanoseconds {
  return Math.max(1, Math.ceil((window.endNs - window.startNs) / stripSlices));
}

/** Returns how many bytes sums may take at most. */
export function sumsShare({ maxBytes }: TimelineQuestion): number {
  return maxBytes / 2;
}
