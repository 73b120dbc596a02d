/**
 * Counts the calls that are missing in a timeline because they are too short: by slice of time, from the sums.
 */
import {
  PIECE,
  type Spans,
  type ThreadSums,
  type TimedThread,
  type Timeline,
} from '../../../model/profile/timeline.js';
import type { Nanoseconds } from '../../../model/units.js';

/**
 * Why calls are not listed: the file does not have them; the server has not sent them yet, or does not send them any more;
 * a pixel cannot show them.
 */
export type WhyUnlisted = 'file' | 'awaited' | 'gone' | 'pixel';

export interface UnlistedCalls {
  readonly why: WhyUnlisted;
  /** Calls that are shorter than this are not listed; 0: all are. */
  readonly belowNs: Nanoseconds;
  /** How many begin in each slice; null: unknown. */
  readonly bySlice: Float64Array | null;
  readonly sliceNs: Nanoseconds;
  /** There may be more: calls of paths with little time are not counted. */
  readonly isLowerBound: boolean;
  /** There may be fewer: calls in pieces are counted, and some of their pieces are listed. */
  readonly isUpperBound: boolean;
  /** The nodes whose calls are counted. */
  readonly isCounted: ReadonlySet<number>;
}

/** If every call is in the sums by itself, they are counted by slices of this part of the timeline. */
const MAX_SLICES = 4096;

export function unlistedCalls(timeline: Timeline, { sums, spans }: TimedThread): UnlistedCalls {
  const { durationNs, sumsSliceNs, minPathNs, minSpanNs: belowNs } = timeline;
  const sliceNs = sumsSliceNs || Math.max(1, Math.ceil(durationNs / MAX_SLICES));
  const known = { why: 'file', belowNs, sliceNs, isLowerBound: minPathNs > 0, isUpperBound: false } as const;
  if (belowNs === 0 || sums === null) return { ...known, bySlice: null, isCounted: new Set() };
  const bySlice = new Float64Array(Math.ceil(durationNs / sliceNs) + 1);
  const isCounted = addSums(bySlice, sums, sliceNs);
  for (const calls of [...spans.levels, spans.split]) subtractCalls(bySlice, calls, sliceNs, isCounted);
  return { ...known, bySlice, isCounted };
}

/** Returns what is left when calls of a thread are listed, too; those that already were are not subtracted again. */
export function withoutCalls(unlisted: UnlistedCalls, added: readonly Spans[]): UnlistedCalls {
  if (unlisted.bySlice === null) return unlisted;
  const bySlice = unlisted.bySlice.slice();
  for (const calls of added) subtractCalls(bySlice, calls, unlisted.sliceNs, unlisted.isCounted, unlisted.belowNs);
  return { ...unlisted, bySlice };
}

/** Adds all calls to the slices in which they begin. Returns by node whether its calls are counted. */
function addSums(bySlice: Float64Array, { rows, calls }: ThreadSums, sliceNs: Nanoseconds): Set<number> {
  const isCounted = new Set<number>();
  for (let row = 0; row < rows.node.length; row++) {
    if (rows.calls[row] === 0) continue;
    bySlice[rows.slice[row]] += rows.calls[row];
    isCounted.add(rows.node[row]);
  }
  for (let row = 0; row < calls.node.length; row++) {
    isCounted.add(calls.node[row]);
    bySlice[sliceAt(calls.startNs[row], sliceNs)]++;
  }
  return isCounted;
}

function subtractCalls(
  bySlice: Float64Array,
  { startNs, endNs, node, ending }: Spans,
  sliceNs: Nanoseconds,
  isCounted: ReadonlySet<number>,
  belowNs = Number.POSITIVE_INFINITY,
): void {
  for (let row = 0; row < node.length; row++)
    if (ending[row] !== PIECE && endNs[row] - startNs[row] < belowNs && isCounted.has(node[row]))
      bySlice[sliceAt(startNs[row], sliceNs)]--;
}

/** Calls that began before the timeline are those of its first slice. */
function sliceAt(ns: Nanoseconds, sliceNs: Nanoseconds): number {
  return Math.max(0, Math.floor(ns / sliceNs));
}

/** A part of an interval in which unlisted calls begin. */
export interface UnlistedPart {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** In slices that are within the interval. */
  readonly atLeast: number;
  /** In all slices that the part touches. */
  readonly atMost: number;
}

/** Yields the parts of an interval with unlisted calls: adjacent slices are one part. */
export function* unlistedWithin(
  { bySlice, sliceNs, isUpperBound }: UnlistedCalls,
  startNs: Nanoseconds,
  endNs: Nanoseconds,
): Generator<UnlistedPart> {
  if (bySlice === null) return;
  const last = Math.min(bySlice.length, Math.ceil(endNs / sliceNs));
  let part: UnlistedPart | null = null;
  for (let slice = Math.floor(startNs / sliceNs); slice < last; slice++) {
    const calls = bySlice[slice];
    const [from, to] = [Math.max(startNs, slice * sliceNs), Math.min(endNs, (slice + 1) * sliceNs)];
    if (calls === 0) {
      if (part !== null) yield part;
      part = null;
      continue;
    }
    const inside = to - from === sliceNs && !isUpperBound ? calls : 0;
    const before: UnlistedPart = part ?? { startNs: from, endNs: to, atLeast: 0, atMost: 0 };
    part = { ...before, endNs: to, atLeast: before.atLeast + inside, atMost: before.atMost + calls };
  }
  if (part !== null) yield part;
}
