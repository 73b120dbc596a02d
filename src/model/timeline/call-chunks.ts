/**
 * All calls of a thread in chunks, each of which can be read by itself.
 */
import type { Tid } from '../units.js';
import type { ListedCalls } from './timeline.js';

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
