/**
 * All calls of a thread in chunks, each of which can be read by itself.
 */

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

/** All calls of a thread. Plain data. */
export interface ThreadChunks extends ChunkLists {
  /** The chunks: level by level, then those of `split`. */
  readonly bytes: Uint8Array;
}

/** Returns the numbers of the chunks that may have calls in a window. */
export function chunksWithin({ firstNs, lastNs }: ChunkIndex, startNs: number, endNs: number): number[] {
  const found: number[] = [];
  for (let chunk = 0; chunk < firstNs.length; chunk++)
    if (firstNs[chunk] < endNs && lastNs[chunk] >= startNs) found.push(chunk);
  return found;
}
