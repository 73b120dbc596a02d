/**
 * Finds what is known of a single call of a stack chart: its box, and the time of the function itself.
 */

import { rowsInWindow } from '../../../analysis/timeline/spans-builder.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { type ChartBoxes, ChartBoxKind } from './chart-boxes.js';
import type { ChartThread } from './chart-thread.js';

/** More calls are not added up for a tooltip. */
const MAX_READ = 200_000;

/** Returns the time of a call without its callees; null if these are too many. Callees that are not listed are left in it. */
export function selfNsOf({ spans, depth }: ChartThread, node: number, { startNs, endNs }: Bounds): Nanoseconds | null {
  const found = rowsInWindow(spans, 0, startNs, endNs);
  if (found.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_READ) return null;
  let selfNs = endNs - startNs;
  for (const { level, from, to } of found) {
    const calls = spans.levels[level];
    for (let row = from; row < to; row++) {
      const isCallee = depth[calls.node[row]] === depth[node] + 1;
      if (isCallee && calls.startNs[row] >= startNs && calls.endNs[row] <= endNs)
        selfNs -= calls.endNs[row] - calls.startNs[row];
    }
  }
  return selfNs;
}

/** Returns the box of a row at a moment: a call if there is one, else a block; null: none. */
export function boxAtMoment(boxes: ChartBoxes, row: number, ns: Nanoseconds, slackNs: Nanoseconds): number | null {
  let found: number | null = null;
  for (let box = 0; box < boxes.length; box++) {
    if (boxes.row[box] !== row || boxes.startNs[box] > ns) continue;
    const endNs = Math.max(boxes.endNs[box], boxes.startNs[box] + slackNs);
    if (endNs <= ns) continue;
    if (found === null || boxes.kind[box] <= boxes.kind[found]) found = box;
  }
  return found;
}

/** Returns the innermost call at a moment; null: none is drawn. */
export function innermostAt(boxes: ChartBoxes, ns: Nanoseconds): number | null {
  let found: number | null = null;
  for (let box = 0; box < boxes.length && boxes.startNs[box] <= ns; box++)
    if (boxes.kind[box] === ChartBoxKind.Call && boxes.endNs[box] > ns)
      if (found === null || boxes.row[box] >= boxes.row[found]) found = box;
  return found;
}

/** A box, whatever its number is after the next layout. */
export interface BoxBounds extends Bounds {
  /** Absent: that of the innermost call. */
  readonly row?: number;
}

/** Returns the box with these bounds; null if it is not drawn. Calls that began before the timeline begin with it. */
export function boxOfCall(boxes: ChartBoxes, { startNs, endNs, row }: BoxBounds): number | null {
  for (let box = boxes.length - 1; box >= 0; box--) {
    if (boxes.endNs[box] !== endNs || Math.max(0, boxes.startNs[box]) !== startNs) continue;
    if (row === undefined ? boxes.kind[box] === ChartBoxKind.Call : boxes.row[box] === row) return box;
  }
  return null;
}

/** Returns the next box in the direction of an arrow key, as it is drawn; null: none. */
export function neighbourOf(boxes: ChartBoxes, box: number, key: string): number | null {
  const { row, startNs, endNs } = boxes;
  const [step, isCaller, isCallee] = [{ ArrowLeft: -1, ArrowRight: 1 }[key], key === 'ArrowUp', key === 'ArrowDown'];
  if (step !== undefined) {
    let at = box + step;
    while (at >= 0 && at < boxes.length && row[at] !== row[box]) at += step;
    return at >= 0 && at < boxes.length ? at : null;
  }
  for (let at = box + (isCallee ? 1 : -1); isCaller && at >= 0; at--)
    if (row[at] === row[box] - 1 && endNs[at] > startNs[box]) return at;
  for (let at = box + 1; isCallee && at < boxes.length && startNs[at] < endNs[box]; at++)
    if (row[at] === row[box] + 1) return at;
  return null;
}
