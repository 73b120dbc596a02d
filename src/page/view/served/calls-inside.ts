/**
 * A call and the calls of its thread that a server sent → the calls inside it, as far as the page lacks them.
 */
import type { ChunkPart, ThreadLists } from '../../../model/timeline/call-chunks.js';
import { NO_SPANS, type Spans, type ThreadSpans } from '../../../model/timeline/timeline.js';
import type { Nanoseconds } from '../../../model/units.js';
import { MAX_ROWS } from '../calls/call-differences.js';
import type { ListedCall } from '../calls/find-listed-calls.js';
import { concatenated } from './joined-thread.js';
import { wantedChunks } from './wanted-chunks.js';

/** A part of a level. */
export interface LevelPart extends ChunkPart {
  readonly list: number;
}

/** Returns what has them; null: they are too many. `minSpanNs`: the page has the calls that last so long. */
export function partsInside(
  { tid, startNs, endNs }: ListedCall,
  index: ThreadLists,
  minSpanNs: Nanoseconds,
): readonly LevelPart[] | null {
  const { levels } = index;
  const { ranges, belowNs } = wantedChunks(index, { startNs, endNs }, 0, minSpanNs);
  const between = ranges.flatMap(({ level, first, last }) => levels[level].calls.slice(first + 1, last));
  if (belowNs > 0 || between.reduce((sum, calls) => sum + calls, 0) > MAX_ROWS) return null;
  return ranges.map(({ level, first, last }) => {
    return { tid, list: level, first, last, bytes: levels[level].bytes.slice(first, last + 1) };
  });
}

/** Adds them to the calls of the page. `chunks`: of all parts, in order. */
export function spansInside(own: ThreadSpans, parts: readonly LevelPart[], chunks: readonly Spans[]): ThreadSpans {
  const levels = own.levels.slice();
  let at = 0;
  for (const { list, bytes } of parts) {
    while (levels.length <= list) levels.push(NO_SPANS);
    levels[list] = concatenated(chunks.slice(at, at + bytes.length));
    at += bytes.length;
  }
  return { levels, split: own.split };
}
