/**
 * The rows of the time axis: the threads that are selected, most active first, below all of them together.
 */

import type { Shape } from '../../model/calls/overlay.js';
import type { TimedThread, Timeline } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { formatCount } from '../../render/format.js';
import type { PageData, PageThread } from '../data/page-data.js';
import type { ThreadRow } from './threads.js';

export interface StripRow {
  readonly name: string;
  /** null: all threads together. */
  readonly tid: Tid | null;
  readonly threads: readonly StripThread[];
}

/** `chosen`: the selected threads. */
export function stripRows({ threads }: Timeline, data: PageData, chosen: readonly ThreadRow[]): StripRow[] {
  const timed = new Map(threads.map((thread) => [thread.tid, thread]));
  const rows = chosen.flatMap(({ threads: [index], name, which }): StripRow[] => {
    const { tid, node } = data.threads[index as number] as PageThread;
    const thread = timed.get(tid);
    const title = name.endsWith(which) ? name : `${name} ${which}`;
    return thread === undefined ? [] : [{ name: title, tid, threads: [{ ...thread, node }] }];
  });
  if (data.compared !== undefined) return rows.reverse(); // as it is after comes first
  const running = new Map(rows.map((row) => [row, runningNs(row.threads[0] as TimedThread)]));
  rows.sort((a, b) => (running.get(b) ?? 0) - (running.get(a) ?? 0) || (a.tid ?? 0) - (b.tid ?? 0));
  if (rows.length < 2) return rows;
  const all = rows.flatMap((row) => row.threads);
  return [{ name: `All threads ${formatCount(rows.length)}`, tid: null, threads: all }, ...rows];
}

function runningNs({ strip }: TimedThread): number {
  let ns = 0;
  for (let at: number = Activity.Running; at < strip.length; at += ACTIVITIES) ns += strip[at];
  return ns;
}

/** What threads did in a part of the timeline, by column of pixels. */
export interface ColumnWindow extends Bounds {
  readonly columns: number;
}

/** Time by column, and by kind within it. */
export class TimeColumns {
  readonly ns: Float64Array;
  private readonly columnNs: Nanoseconds;

  constructor(
    private readonly window: ColumnWindow,
    readonly kinds: number,
  ) {
    this.columnNs = (window.endNs - window.startNs) / window.columns;
    this.ns = new Float64Array(window.columns * kinds);
  }

  /** Adds time that is spread evenly over an interval. */
  add(kind: number, fromNs: Nanoseconds, toNs: Nanoseconds, ns: Nanoseconds): void {
    if (toNs <= fromNs) return;
    const { window, columnNs, kinds } = this;
    const [from, to] = [(fromNs - window.startNs) / columnNs, (toNs - window.startNs) / columnNs];
    const last = Math.min(window.columns, Math.ceil(to));
    for (let column = Math.max(0, Math.floor(from)); column < last; column++) {
      const part = Math.min(column + 1, to) - Math.max(column, from);
      this.ns[column * kinds + kind] += (ns * part) / (to - from);
    }
  }
}

/** A thread, with its nodes in the shape. */
export interface StripThread extends TimedThread {
  readonly node: Int32Array;
}

type Sampling = Pick<Timeline, 'durationNs' | 'stripSliceNs' | 'sumsSliceNs'>;

/**
 * Returns the time of each `Activity` by column: from the strip, or where columns are narrower than its slices, from sums if
 * they are finer. `activity`: by node of the shape.
 */
export function activityColumns(
  timeline: Sampling,
  threads: readonly StripThread[],
  activity: Uint8Array,
  window: ColumnWindow,
): Float64Array {
  const columns = new TimeColumns(window, ACTIVITIES);
  const { sumsSliceNs, stripSliceNs } = timeline;
  const isNarrow = (window.endNs - window.startNs) / window.columns < stripSliceNs;
  for (const thread of threads)
    if (isNarrow && thread.sums !== null && sumsSliceNs !== null && sumsSliceNs < stripSliceNs)
      addSums(columns, thread, timeline, activity);
    else addStrip(columns, thread, timeline, window);
  return columns.ns;
}

/**
 * Returns the time in a column that is as high as its strip: that of a thread, or of as many as were there at one time. Of
 * many threads that ran one after another, nothing would be seen otherwise.
 */
export function fullNs(ns: Float64Array, columnNs: Nanoseconds): Nanoseconds {
  let most = columnNs;
  for (let at = 0; at < ns.length; at += ACTIVITIES) {
    let sum = 0;
    for (const own of ns.subarray(at, at + ACTIVITIES)) sum += own;
    most = Math.max(most, sum);
  }
  return most;
}

/** Adds what a thread did in a window of its timeline. */
export function addStrip(columns: TimeColumns, { strip }: TimedThread, timeline: Sampling, window: ColumnWindow): void {
  const { stripSliceNs, durationNs } = timeline;
  const first = Math.max(0, Math.floor(window.startNs / stripSliceNs));
  const end = Math.min(strip.length / ACTIVITIES, Math.ceil(window.endNs / stripSliceNs));
  for (let slice = first; slice < end; slice++)
    for (let activity = 0; activity < ACTIVITIES; activity++) {
      const ns = strip[slice * ACTIVITIES + activity];
      const toNs = Math.min(durationNs, (slice + 1) * stripSliceNs);
      if (ns > 0) columns.add(activity, slice * stripSliceNs, toNs, ns);
    }
}

/** Adds the times of nodes themselves. `kinds`: by node of the shape; NO_KIND: left out. */
function addSums(columns: TimeColumns, { sums, node }: StripThread, timeline: Sampling, kinds: Uint8Array): void {
  if (sums === null) return;
  const { rows, times } = sums;
  const { durationNs } = timeline;
  const sliceNs = timeline.sumsSliceNs ?? 0;
  for (let row = 0; row < rows.node.length; row++) {
    const kind = kinds[node[rows.node[row]]];
    const fromNs = rows.slice[row] * sliceNs;
    if (kind !== NO_KIND && rows.selfNs[row] > 0)
      columns.add(kind, fromNs, Math.min(durationNs, fromNs + sliceNs), rows.selfNs[row]);
  }
  for (let row = 0; row < times.node.length; row++) {
    const kind = kinds[node[times.node[row]]];
    const [fromNs, toNs] = [times.startNs[row], times.endNs[row]];
    if (kind !== NO_KIND) columns.add(kind, fromNs, toNs, toNs - fromNs);
  }
}

const NO_KIND = 255;
const INSIDE = 0;
const OUTERMOST = 1;

/** By node of the shape: inside a function, or its outermost call, or NO_KIND. */
type InsideFunction = Uint8Array;

export function insideFunction({ length, parent, symbol }: Shape, of: SymbolId): InsideFunction {
  const inside = new Uint8Array(length).fill(NO_KIND);
  for (let node = 0; node < length; node++) {
    const isBelow = parent[node] !== NONE && inside[parent[node]] !== NO_KIND;
    if (isBelow) inside[node] = INSIDE;
    else if (symbol[node] === of) inside[node] = OUTERMOST;
  }
  return inside;
}

/**
 * Returns the time inside a function by column: its listed calls where they were; what they lack of a slice is spread over
 * it.
 */
export function lightColumns(
  timeline: Sampling,
  thread: StripThread,
  inside: InsideFunction,
  window: ColumnWindow,
): Float64Array {
  const kinds = inside.map((kind) => (kind === NO_KIND ? NO_KIND : 0));
  const columns = new TimeColumns(window, 1);
  const { sumsSliceNs, durationNs } = timeline;
  if (sumsSliceNs === 0) {
    addSums(columns, thread, timeline, kinds);
    return columns.ns;
  }
  if (sumsSliceNs === null || thread.sums === null) {
    addCalls([columns], thread, inside);
    return columns.ns;
  }
  const slices = Math.ceil(durationNs / sumsSliceNs);
  const bySlice = { startNs: 0, endNs: slices * sumsSliceNs, columns: slices };
  const [all, listed] = [new TimeColumns(bySlice, 1), new TimeColumns(bySlice, 1)];
  addCalls([columns, listed], thread, inside);
  addSums(all, thread, timeline, kinds);
  for (let slice = 0; slice < slices; slice++) {
    const lackNs = all.ns[slice] - listed.ns[slice];
    if (lackNs > 0) columns.add(0, slice * sumsSliceNs, (slice + 1) * sumsSliceNs, lackNs);
  }
  return columns.ns;
}

function addCalls(to: readonly TimeColumns[], { spans, node: nodes }: StripThread, inside: InsideFunction): void {
  const isOutermost = Uint8Array.from(nodes, (node) => (inside[node] === OUTERMOST ? 1 : 0));
  if (!isOutermost.includes(1)) return;
  for (const { startNs, endNs, node } of spans.levels)
    for (let row = 0; row < node.length; row++)
      if (isOutermost[node[row]] === 1)
        for (const columns of to) columns.add(0, startNs[row], endNs[row], endNs[row] - startNs[row]);
}
