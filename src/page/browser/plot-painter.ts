/**
 * Paints calls by time and duration: a dot for each, or a heat map if there are too many.
 */
import { formatDuration } from '../../render/format.js';
import { shadeOf, shadesOf, timeTicks } from '../../render/plot/calls-plot.js';
import type { PlotBox } from '../view/calls/plot-hits.js';
import type { CanvasColours } from './platform/canvas.js';

/** Of a heat map; the palest of the theme's eight would hardly differ from the page. */
export const SHADES = 6;

const LABEL_PX = 12;
const TEXT = '11px system-ui, sans-serif';

export class PlotPainter {
  private readonly colours: CanvasColours;

  constructor(colours: CanvasColours) {
    this.colours = colours;
  }

  /** Paints the plot; the pen is at its upper left corner. */
  paint(pen: CanvasRenderingContext2D, box: PlotBox, isHeatMap: boolean): void {
    this.drawAxes(pen, box);
    if (isHeatMap) this.drawCells(pen, box);
    else this.drawDots(pen, box);
    this.drawPercentiles(pen, box);
  }

  /** `row`: of a call; without one, nothing is drawn. */
  outlineCall(pen: CanvasRenderingContext2D, { plot, axis, widthPx, heightPx }: PlotBox, row: number): void {
    const call = plot.calls[row];
    if (call === undefined) return;
    this.outline(pen);
    const xPx = (call.startNs / Math.max(1, plot.durationNs)) * widthPx;
    pen.arc(xPx, (1 - axis.at(call.durationNs)) * heightPx, 6, 0, 2 * Math.PI);
    pen.stroke();
  }

  outlineCell(pen: CanvasRenderingContext2D, { plot, axis, widthPx, heightPx }: PlotBox, row: number): void {
    const cell = plot.cells[row];
    if (cell === undefined) return;
    this.outline(pen);
    const cellPx = widthPx / plot.columns;
    const [topPx, belowPx] = [(1 - axis.at(cell.toNs)) * heightPx, (1 - axis.at(cell.fromNs)) * heightPx];
    pen.rect(cell.column * cellPx - 2, topPx - 2, cellPx + 4, belowPx - topPx + 4);
    pen.stroke();
  }

  private outline(pen: CanvasRenderingContext2D): void {
    pen.strokeStyle = this.colours.of('focus');
    pen.lineWidth = 2;
    pen.beginPath();
  }

  private drawAxes(pen: CanvasRenderingContext2D, box: PlotBox): void {
    const { axis, plot, widthPx, heightPx } = box;
    pen.font = TEXT;
    pen.fillStyle = this.colours.of('quiet');
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    for (const { at, ns } of axis.ticks(5)) {
      this.line(pen, 0, (1 - at) * heightPx, widthPx, 'line');
      pen.fillText(formatDuration(ns), -6, (1 - at) * heightPx);
    }
    this.line(pen, 0, heightPx, widthPx, 'quiet');
    pen.textBaseline = 'top';
    pen.textAlign = 'center';
    for (const { at, ns } of timeTicks(plot.durationNs, Math.max(1, Math.floor(widthPx / 90))))
      pen.fillText(ns === 0 ? '0' : `+${formatDuration(ns)}`, at * widthPx, heightPx + 5);
  }

  /** Names of percentiles that are close together share a line. */
  private drawPercentiles(pen: CanvasRenderingContext2D, { axis, plot, widthPx, heightPx }: PlotBox): void {
    pen.textBaseline = 'bottom';
    pen.textAlign = 'right';
    pen.fillStyle = this.colours.of('ink');
    pen.setLineDash([3, 3]);
    const labels: { yPx: number; text: string }[] = [];
    for (const { name, ns } of plot.percentiles) {
      if (ns === null || !axis.includes(ns)) continue;
      const yPx = (1 - axis.at(ns)) * heightPx;
      this.line(pen, 0, yPx, widthPx, 'ink');
      const near = labels.find((label) => Math.abs(label.yPx - yPx) < LABEL_PX);
      if (near === undefined) labels.push({ yPx, text: name });
      else near.text = `${name} ${near.text}`;
    }
    pen.setLineDash([]);
    pen.strokeStyle = this.colours.of('page'); // keeps lines away from the names
    pen.lineWidth = 3;
    pen.lineJoin = 'round';
    for (const { yPx, text } of labels) {
      const basePx = yPx < LABEL_PX ? yPx + LABEL_PX : yPx;
      pen.strokeText(text, widthPx, basePx);
      pen.fillText(text, widthPx, basePx);
    }
  }

  private line(pen: CanvasRenderingContext2D, xPx: number, yPx: number, endPx: number, colour: string): void {
    pen.strokeStyle = this.colours.of(colour);
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(xPx, Math.round(yPx) + 0.5);
    pen.lineTo(endPx, Math.round(yPx) + 0.5);
    pen.stroke();
  }

  /** The longest are drawn last, on top. */
  private drawDots(pen: CanvasRenderingContext2D, { plot, axis, widthPx, heightPx }: PlotBox): void {
    pen.fillStyle = this.colours.of('off-cpu');
    pen.strokeStyle = this.colours.of('ink');
    for (const { startNs, durationNs, isInferred } of plot.calls.toReversed()) {
      const xPx = (startNs / Math.max(1, plot.durationNs)) * widthPx;
      const yPx = (1 - axis.at(durationNs)) * heightPx;
      pen.beginPath();
      if (isInferred) {
        pen.moveTo(xPx - 4, yPx + 3);
        pen.lineTo(xPx, yPx - 4);
        pen.lineTo(xPx + 4, yPx + 3);
        pen.closePath();
        pen.stroke();
      } else {
        pen.arc(xPx, yPx, 2.5, 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }

  /** Cells with inferred calls have a line in the middle. */
  private drawCells(pen: CanvasRenderingContext2D, { plot, axis, widthPx, heightPx }: PlotBox): void {
    const shades = shadesOf(plot.cells, SHADES);
    const cellPx = widthPx / plot.columns;
    for (const { column, fromNs, toNs, calls, inferred } of plot.cells) {
      const [topPx, belowPx] = [(1 - axis.at(toNs)) * heightPx, (1 - axis.at(fromNs)) * heightPx];
      pen.fillStyle = this.colours.of(`s${8 - shades.length + shadeOf(shades, calls)}`);
      pen.fillRect(column * cellPx, topPx, cellPx + 0.3, belowPx - topPx);
      if (inferred > 0) this.line(pen, column * cellPx, (topPx + belowPx) / 2, (column + 1) * cellPx, 'ink');
    }
  }
}
