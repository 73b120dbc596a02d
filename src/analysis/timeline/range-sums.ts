/**
 * The numbers of a thread in a time range, from its sums by slice. Slices are summed up in blocks, and blocks in larger
 * ones, so that a long range takes a few blocks.
 */

import { type NodeColumns, nodeColumns } from '../../model/calls/call-tree.js';
import { countBelow } from '../../model/columns.js';
import type { ListedCalls, ListedTimes, SliceRows, ThreadSums } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import { endingWithin, nsWithin, overlaps } from '../log/filter-thread.js';
import { addNumbers, countCall, inOrder, SumRows } from './sum-rows.js';

/** Slices in a block, and blocks in a larger one. */
const BLOCK = 4;
/** Larger blocks are kept if they have at most this share of the rows: otherwise they would save little. */
const MAX_SHARE = 0.5;

/** Its nodes are numbered from 0. */
export interface RangeSums {
  readonly nodes: number;
  /** The slices, and blocks of them, each larger than those before. */
  readonly levels: readonly BlockLevel[];
  readonly calls: ListedCalls;
  readonly times: ListedTimes;
}

interface BlockLevel {
  /** In a block. */
  readonly slices: number;
  /** The slice of a row is the number of its block. */
  readonly rows: SliceRows;
}

/** `numberOf`: by node of the thread's tree, its number below `nodes`. */
export function rangeSums({ rows, calls, times }: ThreadSums, numberOf: Int32Array, nodes: number): RangeSums {
  const numbered = <Rows extends { readonly node: Int32Array }>(own: Rows): Rows => {
    return { ...own, node: own.node.map((node) => numberOf[node]) };
  };
  return { nodes, levels: blockLevels(numbered(rows), nodes), calls: numbered(calls), times: numbered(times) };
}

function blockLevels(finest: SliceRows, nodes: number): BlockLevel[] {
  const levels = [{ slices: 1, rows: finest }];
  const slices = finest.slice.length === 0 ? 0 : finest.slice[finest.slice.length - 1] + 1;
  const memory = new SumRows();
  let last = levels[0];
  for (let size = BLOCK; size < slices; size *= BLOCK) {
    const rows = inBlocks(last.rows, size / last.slices, nodes, memory);
    if (rows === null) continue;
    last = { slices: size, rows };
    levels.push(last);
  }
  return levels;
}

/** Returns null if the blocks have too many rows. */
function inBlocks(rows: SliceRows, size: number, nodes: number, memory: SumRows): SliceRows | null {
  const { length } = rows.node;
  memory.clear(nodes);
  for (let row = 0; row < length; row++) {
    addNumbers(memory, memory.row(Math.floor(rows.slice[row] / size), rows.node[row]), rows, row);
    if (memory.length > MAX_SHARE * length) return null;
  }
  return inOrder(memory.view());
}

/** Numbers of nodes, all zero. */
export function noNumbers(nodes: number): NodeColumns {
  const numbers = nodeColumns(() => new Float64Array(nodes));
  numbers.minNs.fill(Number.POSITIVE_INFINITY);
  numbers.maxNs.fill(Number.NEGATIVE_INFINITY);
  return numbers;
}

/**
 * Returns the numbers of each node in a range, as a window of a report has them. `sliceNs`: the duration of a slice, and
 * the range begins and ends at the border of one, or beyond the timeline; 0: everything is listed.
 */
export function numbersWithin({ nodes, levels, calls, times }: RangeSums, sliceNs: number, range: Bounds): NodeColumns {
  const numbers = noNumbers(nodes);
  if (sliceNs > 0)
    addSlices(numbers, levels, levels.length - 1, Math.ceil(range.startNs / sliceNs), Math.ceil(range.endNs / sliceNs));
  addTimes(numbers, times, range);
  addCalls(numbers, calls, range);
  return numbers;
}

/** Adds as many whole blocks of a level as there are, and the slices before and after from lower levels. */
function addSlices(numbers: NodeColumns, levels: readonly BlockLevel[], level: number, from: number, to: number): void {
  if (level < 0 || from >= to) return;
  const { slices, rows } = levels[level];
  const [first, end] = [Math.ceil(from / slices), Math.floor(to / slices)];
  if (first >= end) return addSlices(numbers, levels, level - 1, from, to);
  addSlices(numbers, levels, level - 1, from, first * slices);
  const last = countBelow(rows.slice, end);
  for (let row = countBelow(rows.slice, first); row < last; row++) addNumbers(numbers, rows.node[row], rows, row);
  addSlices(numbers, levels, level - 1, end * slices, to);
}

function addTimes({ selfNs, inferredNs }: NodeColumns, times: ListedTimes, range: Bounds): void {
  const { startNs, endNs, node, isInferred } = times;
  for (let row = 0; row < node.length; row++) {
    const ns = nsWithin(range, startNs[row], endNs[row]);
    selfNs[node[row]] += ns;
    if (isInferred[row]) inferredNs[node[row]] += ns;
  }
}

function addCalls(numbers: NodeColumns, { startNs, endNs, node, ending, knownNs }: ListedCalls, range: Bounds): void {
  for (let row = 0; row < node.length; row++) {
    const [fromNs, toNs] = [startNs[row], endNs[row]];
    if (!overlaps(range, fromNs, toNs)) continue;
    const within = endingWithin(range, fromNs, toNs, ending[row]);
    countCall(numbers, node[row], within, nsWithin(range, fromNs, toNs), knownNs[row]);
  }
}
