/**
 * Finds the chunks that have the calls of a function: what to ask the server for, request by request.
 */
import type { Bounds } from '../../../analysis/questions.js';
import { type ChunkPart, chunksOfFunction, type ThreadLists } from '../../../model/timeline/call-chunks.js';
import type { Tid } from '../../../model/units.js';
import type { SearchedThread } from '../calls/find-listed-calls.js';

/** 65,536 calls: less than a frame's time to read. */
const MAX_CHUNKS = 64;

/** `range`: calls outside of it are not needed. */
export function functionRequests(
  threads: readonly SearchedThread[],
  indexes: ReadonlyMap<Tid, ThreadLists>,
  range: Bounds,
): ChunkPart[][] {
  const requests: ChunkPart[][] = [];
  let left = 0;
  for (const { timed, isWanted, fn } of threads) {
    const index = indexes.get(timed.tid)?.functions;
    if (index === undefined || !isWanted.includes(1)) continue;
    for (const chunk of chunksOfFunction(index, fn, range.startNs, range.endNs)) {
      if (left === 0) {
        requests.push([]);
        left = MAX_CHUNKS;
      }
      left--;
      addChunk(requests[requests.length - 1], timed.tid, chunk, index.bytes[chunk]);
    }
  }
  return requests;
}

function addChunk(parts: ChunkPart[], tid: Tid, chunk: number, bytes: number): void {
  const before = parts.at(-1);
  if (before?.tid === tid && before.last === chunk - 1)
    parts.splice(-1, 1, { ...before, last: chunk, bytes: [...before.bytes, bytes] });
  else parts.push({ tid, list: 'functions', first: chunk, last: chunk, bytes: [bytes] });
}
