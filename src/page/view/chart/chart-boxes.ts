/**
 * Lists the calls that a stack chart draws: the same as a table.
 */

import { rowsInWindow } from '../../../analysis/timeline/spans-builder.js';
import { float64Column, int32Column } from '../../../model/columns.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { type ChartThread, type UnlistedCalls, type UnlistedPart, unlistedWithin } from './chart-thread.js';

export interface DrawnCalls {
  /** Boxes of calls, the longest first. */
  readonly boxes: readonly number[];
  /** All drawn calls, also those that are not in the list. */
  readonly count: number;
  /** Calls in blocks, because they are narrower than a pixel. */
  readonly short: number;
  /** Calls that are not in the file. */
  readonly unlisted: { readonly atLeast: number; readonly atMost: number };
}

const MAX_LISTED = 1000;

export function drawnCalls(boxes: ChartBoxes, unlisted: UnlistedCalls, window: Bounds): DrawnCalls {
  const calls: number[] = [];
  let short = 0;
  for (let box = 0; box < boxes.length; box++)
    if (boxes.kind[box] === ChartBoxKind.Call) calls.push(box);
    else if (boxes.kind[box] === ChartBoxKind.Short) short += boxes.atLeast[box];
  const durationNs = (box: number) => boxes.endNs[box] - boxes.startNs[box];
  const longest = calls.sort((a, b) => durationNs(b) - durationNs(a) || a - b).slice(0, MAX_LISTED);
  const parts = [...unlistedWithin(unlisted, window.startNs, window.endNs)];
  const sum = (of: (part: UnlistedPart) => number) => parts.reduce((total, part) => total + of(part), 0);
  const missing = { atLeast: sum(({ atLeast }) => atLeast), atMost: sum(({ atMost }) => atMost) };
  return { boxes: longest, count: calls.length, short, unlisted: missing };
}

/** More calls are not added up for a tooltip. */
const MAX_READ = 200_000;

/**
 * Finds what is known of a single call of a stack chart: its box, and the time of the function itself.
 *
 * Returns the time of a call without its callees; null if these are too many. Callees that are not listed are left in it.
 */
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

/** What a stack chart draws: calls, and blocks of calls that are too short to be drawn. */
export const ChartBoxKind = {
  /** A call, or a part of one. */
  Call: 0,
  /** Calls that are shorter than a pixel, and all that they called. */
  Short: 1,
  /** Calls that are not listed, because they are too short. */
  Unlisted: 2,
} as const;
export type ChartBoxKind = (typeof ChartBoxKind)[keyof typeof ChartBoxKind];

/** By start; outer ones first. */
export interface ChartBoxes {
  readonly length: number;
  readonly kind: Int32Array;
  /** May be outside of the window. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** 0: the outermost functions. */
  readonly row: Int32Array;
  /** Of a call: its node. Of a block: that of the function that called its calls. */
  readonly node: Int32Array;
  /** Of a call: as in `Spans`. */
  readonly ending: Int32Array;
  /** How many calls it has, at least and at most. */
  readonly atLeast: Float64Array;
  readonly atMost: Float64Array;
  /** How many rows there are. */
  readonly rows: number;
  /** How many calls were read, and steps of searches made. */
  readonly examined: number;
}

export class ChartBoxesBuilder {
  private readonly kind = int32Column();
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly row = int32Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();
  private readonly atLeast = float64Column();
  private readonly atMost = float64Column();
  private rows = 0;

  addCall(startNs: Nanoseconds, endNs: Nanoseconds, row: number, node: number, ending: number): void {
    this.add(ChartBoxKind.Call, startNs, endNs, row, node);
    this.count(ending, 1, 1);
  }

  addBlock(
    kind: ChartBoxKind,
    { startNs, endNs }: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds },
    row: number,
    node: number,
    { atLeast, atMost }: { readonly atLeast: number; readonly atMost: number },
  ): void {
    this.add(kind, startNs, endNs, row, node);
    this.count(0, atLeast, atMost);
  }

  build(examined: number): ChartBoxes {
    const { kind, startNs, endNs, row, node, ending, atLeast, atMost, rows } = this;
    return {
      length: kind.length,
      kind: kind.view(),
      startNs: startNs.view(),
      endNs: endNs.view(),
      row: row.view(),
      node: node.view(),
      ending: ending.view(),
      atLeast: atLeast.view(),
      atMost: atMost.view(),
      rows,
      examined,
    };
  }

  private add(kind: ChartBoxKind, startNs: Nanoseconds, endNs: Nanoseconds, row: number, node: number): void {
    this.kind.push(kind);
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.row.push(row);
    this.node.push(node);
    if (row >= this.rows) this.rows = row + 1;
  }

  private count(ending: number, atLeast: number, atMost: number): void {
    this.ending.push(ending);
    this.atLeast.push(atLeast);
    this.atMost.push(atMost);
  }
}

/** Returns how many of the outermost rows have one call each that fills the window. */
export function commonRows({ length, kind, row, startNs, endNs }: ChartBoxes, window: Bounds): number {
  let rows = 0;
  for (let box = 0; box < length && startNs[box] <= window.startNs; box++)
    if (kind[box] === ChartBoxKind.Call && row[box] === rows && endNs[box] >= window.endNs) rows++;
  return rows;
}
