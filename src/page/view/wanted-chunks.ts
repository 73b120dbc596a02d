/**
 * Finds the chunks of calls that a window of a stack chart needs from the server: those that a pixel can show and the page
 * does not have.
 */

import { type ChunkIndex, type ChunkLists, chunksWithin, spanLevel } from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';

/** Consecutive chunks of a level, from `first` to `last`. */
export interface ChunkRange {
  readonly level: number;
  readonly first: number;
  readonly last: number;
}

export interface WantedChunks {
  /** The highest level first. */
  readonly ranges: readonly ChunkRange[];
  /** With them, all calls that last at least so long are there. */
  readonly belowNs: Nanoseconds;
}

/** A million calls; a window has more of a pixel or longer only where stacks are very deep. */
const MAX_CHUNKS = 256;
/** Levels of calls that are shorter than a pixel are wanted, too, so that they are counted, if they are so few. */
const FEW_CHUNKS = 32;

/** `pixelNs`: what a pixel shows, shorter than `belowNs`: calls that are shorter than that are not in the page. */
export function wantedChunks(
  { levels }: ChunkLists,
  { startNs, endNs }: Bounds,
  pixelNs: Nanoseconds,
  belowNs: Nanoseconds,
): WantedChunks {
  const ranges: ChunkRange[] = [];
  let [count, wholeNs] = [0, belowNs];
  const highest = Math.min(levels.length - 1, spanLevel(Math.ceil(belowNs) - 1));
  for (let level = highest; level >= 0; level--) {
    const range = rangeWithin(levels[level], startNs, endNs);
    if (range !== null) count += range.last - range.first + 1;
    if (count > (level < spanLevel(pixelNs) ? FEW_CHUNKS : MAX_CHUNKS)) break;
    if (range !== null) ranges.push({ level, ...range });
    wholeNs = level === 0 ? 0 : 4 ** level;
  }
  return { ranges, belowNs: wholeNs };
}

function rangeWithin(index: ChunkIndex | undefined, startNs: Nanoseconds, endNs: Nanoseconds) {
  const found = index === undefined ? [] : chunksWithin(index, startNs, endNs);
  return found.length === 0 ? null : { first: found[0], last: found[found.length - 1] };
}
