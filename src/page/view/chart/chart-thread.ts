/**
 * A thread as its stack chart needs it: its calls by time, and the depth and the function of each call path.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import {
  PIECE,
  type Spans,
  type ThreadSpans,
  type ThreadSums,
  type TimedThread,
  type Timeline,
} from '../../../model/profile/timeline.js';
import { SymbolKind } from '../../../model/symbol-table.js';
import type { Bounds, Nanoseconds, Tid } from '../../../model/units.js';
import type { PageData } from '../../data/page-data.js';

export interface ChartThread {
  readonly tid: Tid;
  readonly durationNs: Nanoseconds;
  readonly spans: ThreadSpans;
  /** Node of the shape for each node of the thread. */
  readonly node: Int32Array;
  /** By node of the thread: 0 for the thread itself, 1 for its outermost functions. Inlined functions have no calls, and so no row. */
  readonly depth: Int32Array;
  readonly symbol: Int32Array;
  /** By node of the thread: 1 if functions were called there. Stops call nothing. */
  readonly hasCallees: Uint8Array;
  /** Rows of its deepest call. */
  readonly rows: number;
  /** The calls that are too short to be listed. */
  readonly unlisted: UnlistedCalls;
  /** null: all of `spans` and `unlisted` is right at any time. */
  readonly within: KnownWithin | null;
}

/** Calls that a server sent are known in a window. */
export interface KnownWithin {
  readonly window: Bounds;
  /** What is known at any time. */
  readonly elsewhere: ChartThread;
}

/** Returns null if the timeline does not have the thread. */
export function chartThread({ shape, threads, symbols }: PageData, timeline: Timeline, tid: Tid): ChartThread | null {
  const timed = timeline.threads.find((thread) => thread.tid === tid);
  const thread = threads.find((one) => one.tid === tid);
  if (timed === undefined || thread === undefined) return null;
  const shapeDepth = depthsOf(shape, symbols);
  const depth = thread.node.map((node) => shapeDepth[node]);
  return {
    tid,
    durationNs: timeline.durationNs,
    spans: timed.spans,
    node: thread.node,
    depth,
    symbol: thread.node.map((node) => shape.symbol[node]),
    hasCallees: callersOf(shape, symbols, thread.node),
    rows: deepestOf(timed.spans, depth),
    unlisted: unlistedCalls(timeline, timed),
    within: null,
  };
}

/** Returns the thread as far as it is known of an interval. */
export function knownOf(thread: ChartThread, { startNs, endNs }: Bounds): ChartThread {
  const { within } = thread;
  const isKnown = within === null || (startNs >= within.window.startNs && endNs <= within.window.endNs);
  return isKnown ? thread : within.elsewhere;
}

type Shape = PageData['shape'];
type Symbols = Pick<PageData['symbols'], 'kind'>;

/** Returns the number of calls down to each node. */
function depthsOf({ length, parent, symbol }: Shape, { kind }: Symbols): Int32Array {
  const depth = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++)
    depth[node] = depth[parent[node]] + (kind[symbol[node]] === SymbolKind.Inlined ? 0 : 1);
  return depth;
}

/**
 * A node of the shape has no callees here if only other threads called something there. What inlined code calls, the function
 * around it calls.
 */
function callersOf({ length, parent, symbol }: Shape, { kind }: Symbols, nodes: Int32Array): Uint8Array {
  const isCaller = new Uint8Array(length);
  for (const node of nodes) {
    if (node === ROOT) continue;
    let caller = parent[node];
    while (kind[symbol[caller]] === SymbolKind.Inlined) caller = parent[caller];
    isCaller[caller] = 1;
  }
  return Uint8Array.from(nodes, (node) => isCaller[node]);
}

function deepestOf({ levels }: ThreadSpans, depth: Int32Array): number {
  let deepest = 0;
  for (const { node } of levels)
    for (let row = 0; row < node.length; row++) deepest = Math.max(deepest, depth[node[row]]);
  return deepest + 1; // blocks are one row below their caller
}

/**
 * Counts the calls that are missing in a timeline because they are too short: by slice of time, from the sums.
 *
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

function unlistedCalls(timeline: Timeline, { sums, spans }: TimedThread): UnlistedCalls {
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

/** What is shorter has no detail left. */
const MIN_WINDOW_NS = 20;
/** Part of the window left free on either side of a call that is zoomed in on. */
const MARGIN = 0.1;

/**
 * Moves the window of a stack chart: always within the recording, and never too short to be drawn.
 *
 * Returns the nearest window within the recording.
 */
export function clampedWindow({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds {
  const lengthNs = Math.min(durationNs, Math.max(MIN_WINDOW_NS, endNs - startNs));
  const from = Math.min(Math.max(0, startNs), durationNs - lengthNs);
  return { startNs: from, endNs: from + lengthNs };
}

/** Makes the window `factor` times as long; a moment stays where it is. */
export function zoomedWindow(window: Bounds, factor: number, atNs: Nanoseconds, durationNs: Nanoseconds): Bounds {
  const lengthNs = window.endNs - window.startNs;
  const newNs = Math.min(durationNs, Math.max(MIN_WINDOW_NS, factor * lengthNs));
  const startNs = atNs - ((atNs - window.startNs) * newNs) / lengthNs;
  return clampedWindow({ startNs, endNs: startNs + newNs }, durationNs);
}

export function movedWindow({ startNs, endNs }: Bounds, byNs: Nanoseconds, durationNs: Nanoseconds): Bounds {
  return clampedWindow({ startNs: startNs + byNs, endNs: endNs + byNs }, durationNs);
}

/** Returns a window in which a call is seen, with some of what was before and after it. */
export function windowAround({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds {
  const marginNs = Math.max(MARGIN * (endNs - startNs), (MIN_WINDOW_NS - (endNs - startNs)) / 2);
  const [from, to] = [Math.max(0, startNs - marginNs), Math.min(durationNs, endNs + marginNs)];
  return clampedWindow({ startNs: from, endNs: to }, durationNs);
}

/** Returns the window in whole nanoseconds, as addresses have it; null: it shows everything. */
export function addressedWindow({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds | null {
  const rounded = { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) };
  return rounded.startNs <= 0 && rounded.endNs >= durationNs ? null : rounded;
}
