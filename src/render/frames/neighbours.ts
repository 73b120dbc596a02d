/**
 * From box to box, as the arrow keys go.
 */
import type { Boxes } from '../../layout/layout.js';

/** The widest of those that it called; the box itself if there is none. */
export function calleeOf(boxes: Boxes, box: number): number {
  const end = boxes.xPx[box] + boxes.widthPx[box];
  let widest = box;
  for (let other = box + 1; other < boxes.length && boxes.row[other] <= boxes.row[box] + 1; other++) {
    if (boxes.row[other] === boxes.row[box] || boxes.xPx[other] < boxes.xPx[box] || boxes.xPx[other] >= end) continue;
    if (boxes.widthPx[other] > (widest === box ? 0 : boxes.widthPx[widest])) widest = other;
  }
  return widest;
}

/** The one below which it stands; the box itself if there is none. */
export function callerOf(boxes: Boxes, box: number): number {
  for (let other = box - 1; other >= 0; other--)
    if (boxes.row[other] < boxes.row[box] && boxes.xPx[other] <= boxes.xPx[box]) return other;
  return box;
}

/** The next one in the row, to the left (-1) or the right (1); the box itself if it is the last. */
export function nextInRow(boxes: Boxes, box: number, step: -1 | 1): number {
  for (let other = box + step; boxes.row[other] === boxes.row[box]; other += step)
    if (boxes.widthPx[other] > 0) return other;
  return box;
}
