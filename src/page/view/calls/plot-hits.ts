/**
 * Finds what is at a position of a plot of calls.
 */
import type { CallsPlot, DurationAxis, PlottedCell } from '../../../render/plot/calls-plot.js';

/** A plot, and where it is drawn. */
export interface PlotBox {
  readonly plot: CallsPlot;
  readonly axis: DurationAxis;
  readonly leftPx: number;
  readonly topPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const REACH_PX = 10;

/** Returns the row of the nearest call, of equally near ones the longest; null: none is near. */
export function callNear({ plot, axis, ...box }: PlotBox, xPx: number, yPx: number): number | null {
  let found: number | null = null;
  let nearest = REACH_PX;
  for (let row = 0; row < plot.calls.length; row++) {
    const { startNs, durationNs } = plot.calls[row];
    const callXPx = box.leftPx + (startNs / Math.max(1, plot.durationNs)) * box.widthPx;
    if (Math.abs(callXPx - xPx) >= nearest) continue;
    const distancePx = Math.hypot(callXPx - xPx, box.topPx + (1 - axis.at(durationNs)) * box.heightPx - yPx);
    if (distancePx < nearest) [found, nearest] = [row, distancePx];
  }
  return found;
}

/** Returns the cell of a heat map; null: there are no calls. */
export function cellAt({ plot, axis, ...box }: PlotBox, xPx: number, yPx: number): PlottedCell | null {
  const column = Math.floor(((xPx - box.leftPx) / box.widthPx) * plot.columns);
  const at = 1 - (yPx - box.topPx) / box.heightPx;
  return (
    plot.cells.find((cell) => cell.column === column && axis.at(cell.fromNs) <= at && at < axis.at(cell.toNs)) ?? null
  );
}
