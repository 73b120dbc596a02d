/**
 * The numbers of a thread in a range of time, from its sums by slice.
 */

import { type NodeColumns, nodeColumns } from '../../model/calls/node-columns.js';
import { isComplete, UNWOUND } from '../../model/profile/quality.js';
import type { SliceRows, ThreadSums } from '../../model/timeline/timeline.js';
import { endingWithin, nsWithin, overlaps } from '../log/filter-thread.js';
import type { Bounds } from '../questions.js';

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
export function numbersWithin(
  { rows, calls, times }: ThreadSums,
  sliceNs: number,
  range: Bounds,
  nodes: number,
): NodeColumns {
  const numbers = noNumbers(nodes);
  if (sliceNs > 0) addRows(numbers, rows, Math.ceil(range.startNs / sliceNs), range.endNs / sliceNs);
  for (let row = 0; row < times.node.length; row++) {
    const ns = nsWithin(range, times.startNs[row], times.endNs[row]);
    numbers.selfNs[times.node[row]] += ns;
    if (times.isInferred[row]) numbers.inferredNs[times.node[row]] += ns;
  }
  for (let row = 0; row < calls.node.length; row++)
    if (overlaps(range, calls.startNs[row], calls.endNs[row])) {
      const ending = endingWithin(range, calls.startNs[row], calls.endNs[row], calls.ending[row]);
      const ns = nsWithin(range, calls.startNs[row], calls.endNs[row]);
      countCall(numbers, calls.node[row], ending, ns, calls.knownNs[row]);
    }
  return numbers;
}

/** Counts a call. `ns`: its part in the range; `knownNs`: how long it certainly lasted. */
export function countCall(to: NodeColumns, row: number, ending: number, ns: number, knownNs: number): void {
  to.calls[row]++;
  if (ending === UNWOUND) to.unwoundCalls[row]++;
  if (!isComplete(ending)) {
    to.inferredCalls[row]++;
    to.longestCutNs[row] = Math.max(to.longestCutNs[row], Math.min(knownNs, ns));
    return;
  }
  to.completeNs[row] += ns;
  if (ns < to.minNs[row]) to.minNs[row] = ns;
  if (ns > to.maxNs[row]) to.maxNs[row] = ns;
}

function addRows(numbers: NodeColumns, rows: SliceRows, fromSlice: number, toSlice: number): void {
  for (let row = firstRowOf(rows.slice, fromSlice); row < rows.slice.length && rows.slice[row] < toSlice; row++)
    addNumbers(numbers, rows.node[row], rows, row);
}

/** Adds row `from` of one table to row `to` of another. */
export function addNumbers(to: NodeColumns, row: number, rows: NodeColumns, from: number): void {
  to.calls[row] += rows.calls[from];
  to.inferredCalls[row] += rows.inferredCalls[from];
  to.selfNs[row] += rows.selfNs[from];
  to.inferredNs[row] += rows.inferredNs[from];
  to.unwoundCalls[row] += rows.unwoundCalls[from];
  to.completeNs[row] += rows.completeNs[from];
  if (rows.longestCutNs[from] > to.longestCutNs[row]) to.longestCutNs[row] = rows.longestCutNs[from];
  if (rows.minNs[from] < to.minNs[row]) to.minNs[row] = rows.minNs[from];
  if (rows.maxNs[from] > to.maxNs[row]) to.maxNs[row] = rows.maxNs[from];
}

/** Adds only the time of a path itself. */
export function addOwnTime(to: NodeColumns, row: number, rows: NodeColumns, from: number): void {
  to.selfNs[row] += rows.selfNs[from];
  to.inferredNs[row] += rows.inferredNs[from];
}

/** Returns the first row at or after a slice. */
function firstRowOf(slice: Int32Array, from: number): number {
  let low = 0;
  let high = slice.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slice[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
