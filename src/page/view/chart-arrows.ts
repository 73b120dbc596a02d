/**
 * Chooses the wakings of a thread that its stack chart shows as labelled arrows: so few that each can be read.
 */

import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';
import type { Role, Waking, WakingIndex } from './waking-index.js';

export interface ChartArrow {
  readonly waking: Waking;
  /** Where the waking is. */
  readonly xPx: number;
  /** Its label has the space from here. */
  readonly labelPx: number;
  readonly roomPx: number;
  /** Wakings of shorter waits, in whose place it is. */
  readonly others: number;
}

/** Of each part this wide, the longest wait. Parts begin at fixed times, so that arrows stay when the view moves. */
const PART_PX = 120;
/** Labels that are narrower cannot be hit. */
const MIN_ROOM_PX = 28;
/** What most labels need. */
export const WHOLE_PX = 160;

export interface ArrowWindow extends Bounds {
  readonly widthPx: number;
}

/** Returns the arrows by place. */
export function chartArrows(index: WakingIndex, tid: Tid, role: Role, window: ArrowWindow): ChartArrow[] {
  const pixelNs = (window.endNs - window.startNs) / window.widthPx;
  const { wakeNs } = index.wakings.rows;
  const isInWindow = (row: number) => wakeNs[row] >= window.startNs && wakeNs[row] <= window.endNs;
  const rows = index.within(tid, role, window).filter(isInWindow);
  return placed(spaced(longestByPart(index, rows, pixelNs * PART_PX), pixelNs), window, index);
}

interface Part {
  readonly row: number;
  readonly ns: Nanoseconds;
  readonly wakeNs: Nanoseconds;
  readonly others: number;
}

function longestByPart(index: WakingIndex, rows: Int32Array, partNs: Nanoseconds): Part[] {
  const parts = new Map<number, Part>();
  for (const row of rows) {
    const part = { row, ns: index.nsOf(row), wakeNs: index.wakings.rows.wakeNs[row], others: 0 };
    const key = Math.floor(part.wakeNs / partNs);
    const other = parts.get(key);
    parts.set(key, other === undefined ? part : longerOf(part, other));
  }
  return [...parts.values()].sort((a, b) => a.wakeNs - b.wakeNs || a.row - b.row);
}

function longerOf(a: Part, b: Part): Part {
  const longer = a.ns > b.ns || (a.ns === b.ns && a.row < b.row) ? a : b;
  return { ...longer, others: a.others + b.others + 1 };
}

/** Leaves out those too close to a longer one. */
function spaced(parts: readonly Part[], pixelNs: Nanoseconds): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    const before = kept.at(-1);
    if (before === undefined || part.wakeNs - before.wakeNs >= MIN_ROOM_PX * pixelNs) kept.push(part);
    else kept[kept.length - 1] = longerOf(before, part);
  }
  return kept;
}

function placed(parts: readonly Part[], { startNs, endNs, widthPx }: ArrowWindow, index: WakingIndex): ChartArrow[] {
  const xs = parts.map(({ wakeNs }) => ((wakeNs - startNs) * widthPx) / (endNs - startNs));
  // at the right edge, a label begins before its arrow
  const labels = xs.map((xPx, at) => {
    const leastPx = (xs[at - 1] ?? -MIN_ROOM_PX) + MIN_ROOM_PX;
    return Math.min(widthPx - MIN_ROOM_PX, Math.max(leastPx, Math.min(xPx, widthPx - WHOLE_PX)));
  });
  return parts.map(({ row, others }, at) => {
    const labelPx = labels[at] as number;
    const roomPx = (labels[at + 1] ?? widthPx) - labelPx;
    return { waking: index.at(row), xPx: xs[at] as number, labelPx, roomPx, others };
  });
}
