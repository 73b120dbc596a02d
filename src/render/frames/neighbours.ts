/**
 * Finds the box that an arrow key leads to.
 */
import type { Boxes } from '../layout/layout.js';

/** Returns the widest callee; the box itself if it has none. */
export function calleeOf(boxes: Boxes, box: number): number {
  const end = boxes.xPx[box] + boxes.widthPx[box];
  let widest = box;
  for (let other = box + 1; other < boxes.length && boxes.row[other] <= boxes.row[box] + 1; other++) {
    if (boxes.row[other] === boxes.row[box] || boxes.xPx[other] < boxes.xPx[box] || boxes.xPx[other] >= end) continue;
    if (boxes.widthPx[other] > (widest === box ? 0 : boxes.widthPx[widest])) widest = other;
  }
  return widest;
}

/** Returns the caller; the box itself if it has none. */
export function callerOf(boxes: Boxes, box: number): number {
  for (let other = box - 1; other >= 0; other--)
    if (boxes.row[other] < boxes.row[box] && boxes.xPx[other] <= boxes.xPx[box]) return other;
  return box;
}

/** Returns the next box in the row, to the left (-1) or right (1); the box itself if it is the last. */
export function nextInRow(boxes: Boxes, box: number, step: -1 | 1): number {
  for (let other = box + step; boxes.row[other] === boxes.row[box]; other += step)
    if (boxes.widthPx[other] > 0) return other;
  return box;
}
