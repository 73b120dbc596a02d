/**
 * The timeline of all threads, as finely as a number of bytes permits. All times are relative to its start; nodes
 * are those of each thread's tree.
 */
import type { NodeColumns } from '../calls/call-tree.js';
import { SpecialSymbol } from '../symbol-table.js';
import type { Nanoseconds, SymbolId, Tid } from '../units.js';
import type { WaitThread } from './waits-by-path.js';

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

// The strip of a thread: what it did, by slice of time.

/** What a thread does. Running: in code, named or not. */
export const Activity = { Running: 0, Syscall: 1, Untraced: 2, OffCpu: 3, Preempted: 4, Lost: 5 } as const;
export type Activity = (typeof Activity)[keyof typeof Activity];
export const ACTIVITIES = Object.keys(Activity).length;

/** By slice, `ACTIVITIES` times each, in the order of `Activity`. What is missing of a slice, the thread was not observed. */
export type Strip = Float64Array;

/** `symbol`: of the node whose own time it is. */
export function activityOf(symbol: SymbolId): Activity {
  const isStop = symbol >= SpecialSymbol.Syscall && symbol <= SpecialSymbol.Lost;
  return isStop ? (symbol as Activity) : Activity.Running;
}

// Which thread ended which wait: an arrow from waker to waiter. Times are relative to the start of the timeline.

/** Waits that no thread ended, as far as is known, are not among them. */
export interface Wakings {
  /** All threads that are named below, by tid; `isTraced`: it is in the profile. */
  readonly threads: readonly WaitThread[];
  /** By waiter, then by time. */
  readonly rows: WakingRows;
  /** By `WAKING_SLICES` parts of the timeline of equal length: how many are left out, those of the shortest waits. */
  readonly leftOut: readonly number[];
}

export const WAKING_SLICES = 256;

export interface WakingRows {
  /** Places in `threads`. */
  readonly waiter: Int32Array;
  readonly waker: Int32Array;
  /** When the waiter stopped running, was woken, and ran again. It can be woken just before it stops. */
  readonly startNs: Float64Array;
  readonly wakeNs: Float64Array;
  readonly runNs: Float64Array;
  /** 1: the waker ran at that moment, but an interrupt may have done it. */
  readonly isMaybe: Uint8Array;
}

// All calls of a thread in chunks, each of which can be read by itself.

/** Calls of a chunk; the last one of a list may have fewer. */
export const CHUNK_CALLS = 4096;

/** The chunks of a list of calls, in order. */
export interface ChunkIndex {
  readonly calls: readonly number[];
  /** The earliest start of its calls. */
  readonly firstNs: readonly number[];
  /** The latest end of its calls. */
  readonly lastNs: readonly number[];
  /** Its size. */
  readonly bytes: readonly number[];
}

/** The lists that a thread's calls are in: those of `ThreadSpans`. */
export interface ChunkLists {
  readonly levels: readonly ChunkIndex[];
  readonly split: ChunkIndex;
}

/** Calls, each from its start to its end. */
export interface FunctionCalls extends ListedCalls {
  /** 1: its stack was switched away from meanwhile. */
  readonly isSplit: Uint8Array;
}

/** Calls of a chunk by function: fewer, as a function may have few in it. */
export const FUNCTION_CHUNK_CALLS = 1024;

/**
 * Chunks of calls in the order of their functions; several times, if there are many calls. A function has the number of the
 * first node that it has in the thread's tree.
 */
export interface FunctionIndex extends ChunkIndex {
  readonly firstFunction: readonly number[];
  readonly lastFunction: readonly number[];
}

/** All calls twice: by when they were, and by function. */
export interface ThreadLists extends ChunkLists {
  readonly functions: FunctionIndex;
}

/** Consecutive chunks, `first` to `last`, of a list of a thread: of a level, or of `functions`. */
export interface ChunkPart {
  readonly tid: Tid;
  readonly list: number | 'functions';
  readonly first: number;
  readonly last: number;
  /** Of each chunk. */
  readonly bytes: readonly number[];
}

/** All calls of a thread. Plain data. */
export interface ThreadChunks extends ThreadLists {
  /** The chunks: level by level, then those of `split`, then those of `functions`. */
  readonly bytes: Uint8Array;
}

/** Returns the numbers of the chunks that may have calls of a function in a window. */
export function chunksOfFunction(index: FunctionIndex, fn: number, startNs: number, endNs: number): number[] {
  const { firstFunction, lastFunction } = index;
  return chunksWithin(index, startNs, endNs).filter((chunk) => firstFunction[chunk] <= fn && lastFunction[chunk] >= fn);
}

/** Returns the numbers of the chunks that may have calls in a window. */
export function chunksWithin({ firstNs, lastNs }: ChunkIndex, startNs: number, endNs: number): number[] {
  const found: number[] = [];
  for (let chunk = 0; chunk < firstNs.length; chunk++)
    if (firstNs[chunk] < endNs && lastNs[chunk] >= startNs) found.push(chunk);
  return found;
}
