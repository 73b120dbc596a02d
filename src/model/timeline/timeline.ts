/**
 * The timeline of all threads, as finely as a number of bytes permits. All times are relative to its start; nodes
 * are those of each thread's tree.
 */
import type { NodeColumns } from '../calls/node-columns.js';
import type { Nanoseconds, Tid } from '../units.js';
import type { Strip } from './activity.js';
import type { Wakings } from './wakings.js';

export interface Timeline {
  /** In the profile's time. */
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  readonly stripSliceNs: Nanoseconds;
  /**
   * Numbers are known of ranges that begin and end at the borders of slices this long; 0: of any range; null: of none,
   * there are too many.
   */
  readonly sumsSliceNs: Nanoseconds | null;
  /** In numbers of ranges, call paths with less time in their thread are left out: their callers have their time. */
  readonly minPathNs: Nanoseconds;
  /** Calls that lasted shorter are left out. */
  readonly minSpanNs: Nanoseconds;
  readonly threads: readonly TimedThread[]; // by tid
  /** null: wakings were not recorded, or no thread woke another one. */
  readonly wakings: Wakings | null;
}

export interface TimedThread {
  readonly tid: Tid;
  readonly strip: Strip;
  readonly sums: ThreadSums | null;
  readonly spans: ThreadSpans;
}

/**
 * The numbers of a thread by slice of time: what lies within one slice is summed up by node; calls and times that cross
 * the border of a slice are listed.
 */
export interface ThreadSums {
  readonly rows: SliceRows;
  readonly calls: ListedCalls;
  readonly times: ListedTimes;
}

/** By slice; each node once in a slice. */
export interface SliceRows extends NodeColumns {
  readonly slice: Int32Array;
  readonly node: Int32Array;
}

/** In the order in which they ended. */
export interface ListedCalls extends Spans {
  /** How long it certainly lasted. */
  readonly knownNs: Float64Array;
}

/** Times of a node itself, in order. */
export interface ListedTimes {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly node: Int32Array;
  readonly isInferred: Uint8Array;
}

/** The calls of a thread by when they were, each once. Stops are calls, too. */
export interface ThreadSpans {
  /**
   * What was on the thread's stack: level k has what lasted from 4^k up to, but not including, 4^(k+1) ns; level 0 also
   * what lasted less. A call whose stack was switched away from is in several pieces, with `PIECE` as ending. By start; of
   * two that start together, the outer one first.
   */
  readonly levels: readonly Spans[];
  /** The calls in pieces, each from its start to its end; in the order of their ends. */
  readonly split: Spans;
}

export interface Spans {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly node: Int32Array;
  /** NONE: it returned; UNWOUND; else an `Inference`. */
  readonly ending: Int32Array;
}

/** The ending of a part of a call whose stack was switched away from. */
export const PIECE = -2;

export const NO_SPANS: Spans = {
  startNs: new Float64Array(0),
  endNs: new Float64Array(0),
  node: new Int32Array(0),
  ending: new Int32Array(0),
};

/** Returns the level of a call in `ThreadSpans`. */
export function spanLevel(durationNs: Nanoseconds): number {
  return durationNs < 4 ? 0 : Math.floor(Math.log2(durationNs) / 2);
}
