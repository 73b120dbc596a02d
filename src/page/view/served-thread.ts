/**
 * Finds the chunks of calls that a window of a stack chart lacks: those that a pixel can show and the page does not have. A
 * thread of the page and chunks of its calls from the server → the thread as its stack chart shows a window.
 */

import { spansAt } from '../../analysis/timeline/spans-builder.js';
import { countBelow, rowNumbers } from '../../model/columns.js';
import {
  type ChunkIndex,
  type ChunkLists,
  chunksWithin,
  NO_SPANS,
  type Spans,
  spanLevel,
} from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';
import { type ChartThread, type WhyUnlisted, withoutCalls } from './chart/chart-thread.js';

/** Returns a chunk that is there; undefined: it is not. */
export type ChunkOf = (level: number, chunk: number) => Spans | undefined;

/** Returns a thread of a page that is served, without any calls from the server: what is missing can be had. */
export function servedThread(own: ChartThread, why: WhyUnlisted): ChartThread {
  const deepest = own.depth.reduce((most, depth) => Math.max(most, depth), 0);
  return { ...own, rows: deepest + 1, unlisted: { ...own.unlisted, why } };
}

/** Adds the chunks that are there. `why`: chunks are missing; null: none is. */
export function joinedThread(
  own: ChartThread,
  index: ChunkLists,
  { ranges, belowNs }: WantedChunks,
  chunkOf: ChunkOf,
  why: WhyUnlisted | null,
): ChartThread {
  const levels = own.spans.levels.slice();
  const added: Spans[] = [];
  for (const range of ranges) {
    while (levels.length <= range.level) levels.push(NO_SPANS);
    const sent = chunksOf(range, chunkOf);
    added.push(...sent.filter((calls) => calls !== null));
    levels[range.level] = joined(sent, index.levels[range.level], range.first, levels[range.level]);
  }
  const spans = { levels, split: own.spans.split };
  const isUpperBound = index.split.calls.length > 0;
  const left = { ...withoutCalls(own.unlisted, added), isUpperBound };
  const unlisted = why === null ? { ...left, why: 'pixel' as const, belowNs } : { ...left, why };
  const known = unlisted.belowNs > 0 ? unlisted : { ...unlisted, bySlice: null };
  return { ...own, spans, unlisted: known };
}

function chunksOf({ level, first, last }: ChunkRange, chunkOf: ChunkOf): (Spans | null)[] {
  return Array.from({ length: last - first + 1 }, (_, at) => chunkOf(level, first + at) ?? null);
}

/** Where a chunk is missing, the page's own calls are shown. */
function joined(chunks: readonly (Spans | null)[], { firstNs }: ChunkIndex, first: number, own: Spans): Spans {
  return concatenated(
    chunks.map(
      (calls, at) => calls ?? between(own, firstNs[first + at], firstNs[first + at + 1] ?? Number.POSITIVE_INFINITY),
    ),
  );
}

function between(calls: Spans, fromNs: Nanoseconds, toNs: Nanoseconds): Spans {
  const [from, to] = [countBelow(calls.startNs, fromNs), countBelow(calls.startNs, toNs)];
  return spansAt(
    calls,
    rowNumbers(to - from).map((row) => row + from),
  );
}

/** Returns chunks of a list as one. */
export function concatenated(parts: readonly Spans[]): Spans {
  const length = parts.reduce((sum, { node }) => sum + node.length, 0);
  const all: Spans = {
    startNs: new Float64Array(length),
    endNs: new Float64Array(length),
    node: new Int32Array(length),
    ending: new Int32Array(length),
  };
  let at = 0;
  for (const { startNs, endNs, node, ending } of parts) {
    all.startNs.set(startNs, at);
    all.endNs.set(endNs, at);
    all.node.set(node, at);
    all.ending.set(ending, at);
    at += node.length;
  }
  return all;
}

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
