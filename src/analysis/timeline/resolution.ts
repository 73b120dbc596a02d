/**
 * The levels of sums, each coarser than the one before: first slices become longer, then call paths with little time are
 * left out. Slices become so long that a range says little only if threads alone are too many.
 */

import type { CallTree } from '../../model/calls/call-tree.js';
import { sharableBytes } from '../../model/shared-memory.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId } from '../../model/units.js';

/** How sums are kept. */
export interface Resolution {
  /** Of the timeline. */
  readonly durationNs: Nanoseconds;
  /** The duration of a slice; 0: every call and time is listed by itself, so that sums are exact between any two moments. */
  readonly sliceNs: Nanoseconds;
  /** Call paths with less time in their thread are left out: their time is counted as that of the path above itself. */
  readonly minPathNs: Nanoseconds;
}

interface Level {
  readonly slices: number;
  /** The part of the timeline that the time of a path must have. */
  readonly minPart: number;
}

const FINEST_SLICES = 4096;
const LEVELS: readonly Level[] = [
  ...[1, 2, 4, 8, 16].map((part) => ({ slices: FINEST_SLICES / part, minPart: 0 })),
  ...[16, 15, 14, 13, 12, 11, 10].map((bits) => ({ slices: 256, minPart: 2 ** -bits })),
  ...[10, 9].map((bits) => ({ slices: 128, minPart: 2 ** -bits })),
  ...[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((bits) => ({ slices: 64, minPart: 2 ** -bits })),
  ...[32, 16].map((slices) => ({ slices, minPart: 1 })),
];

/** The coarsest level at which no call path is left out, of those that the others follow. */
export const COARSEST_OF_ALL_PATHS = LEVELS.filter(({ minPart }) => minPart === 0).length;
/** Every call and time is listed by itself. */
export const LISTED = 0;
/** Even the coarsest sums would take too many bytes. */
export const NO_SUMS = 1 + LEVELS.length;

/** `durationNs`: of the timeline. `level`: below `NO_SUMS`. */
export function resolutionOf(level: number, durationNs: Nanoseconds): Resolution {
  if (level === LISTED) return { durationNs, sliceNs: 0, minPathNs: 0 };
  const { slices, minPart } = LEVELS[level - 1];
  const finestNs = Math.max(1, Math.ceil(durationNs / FINEST_SLICES));
  return { durationNs, sliceNs: finestNs * (FINEST_SLICES / slices), minPathNs: Math.ceil(durationNs * minPart) };
}

/** Returns the slice that all of an interval is in; NONE: it crosses a border, or that of the timeline. */
export function sliceAround({ durationNs, sliceNs }: Resolution, startNs: Nanoseconds, endNs: Nanoseconds): number {
  if (sliceNs === 0 || startNs < 0 || endNs > durationNs) return NONE;
  const slice = Math.floor(startNs / sliceNs);
  return endNs <= (slice + 1) * sliceNs ? slice : NONE;
}

/** Returns the finest level with at most this many slices. */
export function levelWithSlices(most: number): number {
  const level = LEVELS.findIndex(({ slices }) => slices <= most);
  return level < 0 ? NO_SUMS - 1 : level + 1;
}

/** The call paths of a thread, and the time of each. */
export interface TimedPaths extends Pick<CallTree, 'length' | 'parent'> {
  /** With the time of callees. */
  readonly totalNs: Float64Array;
}

/** Returns by node the one that stands for it: itself, or if its path is left out, the next one above that is not. */
export function keptNodes({ length, parent, totalNs }: TimedPaths, minPathNs: Nanoseconds): Int32Array {
  const kept = new Int32Array(length);
  for (let node: NodeId = 0; node < length; node++)
    kept[node] = parent[node] === NONE || totalNs[node] >= minPathNs ? node : kept[parent[node]];
  return kept;
}

/** What is asked about the timeline, and how finely it is kept. */
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
 * How coarse sums and calls of all threads have become so far, in memory that workers share, or as it was when their task
 * was sent: it only rises. So threads that are replayed later need not be finer.
 */
type ReachedLevels = Int32Array;

const [SUMS, SPANS] = [0, 1];

/** `sums`: the finest level to try (`resolutionOf`). Of spans, a level is a step (`spanStep`). */
export function reachedLevels(sums: number): ReachedLevels {
  const reached = new Int32Array(sharableBytes(2 * Int32Array.BYTES_PER_ELEMENT));
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

/** Takes over what has been reached since, from the same question that was asked later: nothing to do in shared memory. */
export function followLevels({ reached }: TimelineQuestion, later: TimelineQuestion): void {
  if (reached.buffer instanceof ArrayBuffer) reached.set(later.reached);
}

/** Returns the duration of a slice of the strips. */
export function stripSliceNs({ window, stripSlices }: TimelineQuestion): Nanoseconds {
  return Math.max(1, Math.ceil((window.endNs - window.startNs) / stripSlices));
}

/** Returns how many bytes sums may take at most. */
export function sumsShare({ maxBytes }: TimelineQuestion): number {
  return maxBytes / 2;
}
