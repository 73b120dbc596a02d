/**
 * A stack chart as it is painted: what is marked, and where each box is on the canvas.
 */

import type { Bounds, SymbolId } from '../../../model/units.js';
import { ROW_PX } from '../../../render/frames/drawing.js';
import type { DrawnChart } from './drawn-chart.js';

/** How calls are marked. */
export interface ChartMarks {
  /** null: nothing is marked. */
  readonly isMarked: ((symbol: SymbolId) => boolean) | null;
  /** What is not marked is paler. */
  readonly dimsOthers: boolean;
  /** The selected call, and the one with the focus or below the pointer. */
  readonly outlined: readonly (number | null)[];
  readonly range: Bounds | null;
}

export interface ChartPicture extends ChartMarks {
  readonly chart: DrawnChart;
  readonly widthPx: number;
  readonly heightPx: number;
  /** How far it is scrolled. */
  readonly topPx: number;
  /** The outermost rows are left out. */
  readonly firstRow: number;
}

const MIN_BOX_PX = 1;

/** Returns the top of a box. */
export function topOf({ chart, topPx, firstRow }: ChartPicture, box: number): number {
  return (chart.boxes.row[box] - firstRow) * ROW_PX - topPx;
}

/** Returns the part of a box that is in the window. */
export function extentOf({ chart, widthPx }: ChartPicture, box: number) {
  const { boxes, window } = chart;
  const pxPerNs = widthPx / (window.endNs - window.startNs);
  const xPx = Math.max(0, (boxes.startNs[box] - window.startNs) * pxPerNs);
  const endPx = Math.min(widthPx, (boxes.endNs[box] - window.startNs) * pxPerNs);
  return { xPx, wholePx: Math.max(MIN_BOX_PX, endPx - xPx) };
}
