/**
 * The data of a page in a range of its time, as `ptflame report --window` has it.
 */
import type { Bounds } from '../../../analysis/questions.js';
import { noNumbers, numbersWithin, type RangeSums, rangeSums } from '../../../analysis/timeline/sums/range-sums.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { rowNumbers, valuesOf } from '../../../model/columns.js';
import type { ThreadSums, Timeline } from '../../../model/timeline/timeline.js';
import { NONE, type Tid } from '../../../model/units.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import { once } from '../memoize-last.js';

/** Returns the data of ranges that begin and end at borders of slices. */
export class RangeData {
  private readonly data: PageData;
  private readonly timeline: Timeline;
  private readonly sums: ReadonlyMap<Tid, ThreadSums | null>;
  /** Those that are prepared. */
  private readonly threads: RangeThread[] = [];
  /** Of all threads. */
  private readonly paths = once(() => usedPaths(this.data.shape, this.threads));

  constructor(data: PageData, timeline: Timeline) {
    this.data = data;
    this.timeline = timeline;
    this.sums = new Map(timeline.threads.map((thread) => [thread.tid, thread.sums]));
  }

  /** Prepares one more thread; returns false if all are prepared. The first range prepares those that are left. */
  prepare(): boolean {
    const { data, sums, threads } = this;
    const thread = data.threads[threads.length];
    if (thread !== undefined) threads.push(rangeThread(thread, data.shape, sums.get(thread.tid) ?? null));
    return threads.length < data.threads.length;
  }

  /**
   * Durations and waits are not known by time. The shape and threads have only paths with numbers at some time, and threads
   * that were not observed in the range have no calls and times.
   */
  within(range: Bounds): PageData {
    while (this.prepare());
    const { data, timeline, threads } = this;
    const bounds = { startNs: timeline.startNs + range.startNs, endNs: timeline.startNs + range.endNs };
    const { shape, nodes } = this.paths();
    const within = data.threads.map((thread, at) => ({
      ...cut(thread, bounds),
      node: nodes[at],
      ...numbersOf(threads[at], timeline, range),
    }));
    return { ...data, meta: { ...data.meta, ...bounds }, shape, threads: within, waits: null };
  }
}

interface RangeThread {
  /** As in `PageThread`, of the shape of the whole recording. */
  readonly node: Int32Array;
  /** Of these nodes; null: not known. */
  readonly sums: RangeSums | null;
}

function rangeThread({ node }: PageThread, shape: Shape, sums: ThreadSums | null): RangeThread {
  if (sums === null) return { node: Int32Array.of(ROOT), sums };
  const numberOf = numbersOfUsed(node, shape, sums);
  const used = node.filter((_, row) => numberOf[row] !== UNUSED);
  return { node: used, sums: rangeSums(sums, numberOf, used.length) };
}

/** Returns the part of a shape that threads have, and their nodes there. */
function usedPaths({ length, parent, symbol }: Shape, threads: readonly RangeThread[]) {
  const newId = new Int32Array(length).fill(UNUSED);
  for (const { node } of threads) for (const own of node) newId[own] = 0;
  const used = rowNumbers(length).filter((node) => newId[node] !== UNUSED);
  for (let row = 0; row < used.length; row++) newId[used[row]] = row;
  const above = used.map((node) => (node === ROOT ? NONE : newId[parent[node]]));
  const shape = { length: used.length, parent: above, symbol: valuesOf(symbol, used) };
  return { shape, nodes: threads.map(({ node }) => valuesOf(newId, node)) };
}

const UNUSED = -1;

/** Numbers the rows that sums have, and their callers, from 0. Returns the number of each row, or UNUSED. */
function numbersOfUsed(node: Int32Array, { length, parent }: Shape, { rows, calls, times }: ThreadSums): Int32Array {
  const isUsed = new Uint8Array(length); // by node of the shape
  isUsed[ROOT] = 1;
  for (const { node: own } of [rows, calls, times]) for (const row of own) isUsed[node[row]] = 1;
  for (let row = node.length - 1; row > 0; row--) if (isUsed[node[row]]) isUsed[parent[node[row]]] = 1;
  let next = 0;
  return node.map((inShape) => (isUsed[inShape] ? next++ : UNUSED));
}

function cut({ tid, pid, comm, startNs, endNs, hiddenNs }: PageThread, bounds: Bounds) {
  const fromNs = Math.min(Math.max(startNs, bounds.startNs), bounds.endNs);
  return {
    ...{ tid, pid, comm, hiddenNs },
    startNs: fromNs,
    endNs: Math.max(fromNs, Math.min(endNs, bounds.endNs)),
    durations: null,
  };
}

function numbersOf({ node, sums }: RangeThread, { sumsSliceNs }: Timeline, range: Bounds) {
  return sums === null || sumsSliceNs === null ? noNumbers(node.length) : numbersWithin(sums, sumsSliceNs, range);
}
