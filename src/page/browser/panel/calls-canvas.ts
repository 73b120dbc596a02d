/**
 * Shows calls by time and duration on a canvas, and what is below the pointer or where arrow keys are.
 */

import { timeColumn } from '../../../analysis/calls/over-time.js';
import { formatDuration } from '../../../render/format.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import {
  type CallsPlot,
  callDuration,
  cellText,
  DurationAxis,
  type PlottedCall,
  type PlottedCell,
  shadeOf,
  shadesOf,
  timeTicks,
  titleOfCalls,
} from '../../../render/plot/calls-plot.js';
import { consume, htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { visibleText } from '../../../render/visible-text.js';
import { type CallsView, callNear, cellAt, type PlotBox } from '../../view/calls/calls-of-function.js';
import type { ListedCall } from '../../view/calls/find-listed-calls.js';
import { CanvasColours, emptied } from '../platform/canvas.js';
import { onResize } from '../platform/lifetime.js';

const HEIGHT_PX = 168;
const MARGIN = { leftPx: 54, rightPx: 8, topPx: 8, bottomPx: 18 };

export class CallsCanvas {
  readonly element = html('div', { class: 'calls-plot' });
  private readonly canvas = html('canvas', { role: 'application', tabindex: 0 });
  private readonly spoken = html('div', { class: 'spoken', role: 'status' });
  private readonly painter: PlotPainter;
  private view: CallsView | null = null;
  private chosen = -1;
  /** The row of the call or cell that arrow keys reached. */
  private spot: number | undefined;

  constructor(
    private readonly tooltip: Tooltip,
    private readonly open: (call: ListedCall) => void,
  ) {
    this.element.append(this.canvas, this.spoken);
    this.painter = new PlotPainter(new CanvasColours(this.element, () => this.draw()));
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => this.tooltip.hide());
    this.canvas.addEventListener('click', ({ offsetX, offsetY }) => {
      const near = this.view && callNear(this.box(), offsetX, offsetY);
      if (near != null) this.openCall(near);
    });
    this.canvas.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('blur', () => this.leave());
    onResize(this.element, () => requestAnimationFrame(() => this.draw()));
  }

  /** `chosen`: the selected call; -1: none of them. */
  show(view: CallsView, chosen: number): void {
    if (view !== this.view) this.spot = undefined;
    this.view = view;
    this.chosen = chosen;
    const { title, shown } = titleOfCalls(view.plot, 'Plot', null, view.isHeatMap);
    const keys = `Arrow keys move between ${view.isHeatMap ? 'its cells' : 'calls'}; the table has the slowest.`;
    setAttributes(this.canvas, { 'aria-label': `${title}: ${shown}. ${keys}` });
    this.draw();
  }

  private box(): PlotBox {
    const { plot } = this.view as CallsView;
    const widthPx = Math.max(1, this.element.clientWidth - MARGIN.leftPx - MARGIN.rightPx);
    const heightPx = HEIGHT_PX - MARGIN.topPx - MARGIN.bottomPx;
    return { plot, axis: new DurationAxis(plot), leftPx: MARGIN.leftPx, topPx: MARGIN.topPx, widthPx, heightPx };
  }

  private draw(): void {
    if (this.view === null || this.element.clientWidth === 0) return;
    const { painter, view } = this;
    const box = this.box();
    const pen = emptied(this.canvas, this.element.clientWidth, HEIGHT_PX);
    pen.translate(box.leftPx, box.topPx);
    painter.paint(pen, box, view.isHeatMap);
    painter.outlineCall(pen, box, this.chosen);
    if (this.spot === undefined) return;
    if (view.isHeatMap) painter.outlineCell(pen, box, this.spot);
    else painter.outlineCall(pen, box, this.spot);
  }

  private openCall(row: number): void {
    const call = this.view?.calls[row];
    if (call !== undefined) this.open(call);
  }

  /** Other keys act on the page. */
  private press(event: KeyboardEvent): void {
    const { view, spot } = this;
    const key = SPOT_KEYS.find((known) => known === event.key);
    if (view === null || (key === undefined && (event.key !== 'Enter' || spot === undefined))) return;
    consume(event);
    if (key !== undefined) return this.moveSpot(view, key);
    const cell = view.isHeatMap ? view.plot.cells[spot as number] : undefined;
    this.openCall(cell === undefined ? (spot as number) : longestInCell(view.plot, cell));
  }

  private moveSpot({ plot, isHeatMap }: CallsView, key: SpotKey): void {
    const spot = isHeatMap ? cellAway(plot, this.spot, key) : callAway(plot, this.spot, key);
    if (spot === undefined) return;
    this.spot = spot;
    this.draw();
    const { left, top } = this.canvas.getBoundingClientRect();
    const { axis, leftPx, topPx, widthPx, heightPx } = this.box();
    const at = isHeatMap
      ? { x: (plot.cells[spot].column + 1) / plot.columns, y: axis.at(plot.cells[spot].fromNs) }
      : { x: plot.calls[spot].startNs / Math.max(1, plot.durationNs), y: axis.at(plot.calls[spot].durationNs) };
    const details = isHeatMap ? this.cellDetails(spot) : this.callDetails(spot);
    this.tooltip.show(details, left + leftPx + at.x * widthPx, top + topPx + (1 - at.y) * heightPx);
    showText(this.spoken, [details.title, ...details.rows.map(({ label, value }) => `${label} ${value}`)].join(', '));
  }

  private leave(): void {
    this.spot = undefined;
    this.tooltip.hide();
    this.draw();
  }

  private hover({ offsetX, offsetY, clientX, clientY }: PointerEvent): void {
    if (this.view === null) return;
    const { plot, isHeatMap } = this.view;
    const box = this.box();
    const near = callNear(box, offsetX, offsetY);
    const cell = isHeatMap ? cellAt(box, offsetX, offsetY) : null;
    this.canvas.style.cursor = near === null ? '' : 'pointer';
    if (cell !== null) this.tooltip.show(this.cellDetails(plot.cells.indexOf(cell)), clientX, clientY);
    else if (near !== null) this.tooltip.show(this.callDetails(near), clientX, clientY);
    else this.tooltip.hide();
  }

  private cellDetails(row: number): FrameDetails {
    const { plot } = this.view as CallsView;
    return { title: 'Calls', rows: [{ label: '', value: cellText(plot.cells[row], plot), note: '' }] };
  }

  private callDetails(row: number): FrameDetails {
    const call = (this.view as CallsView).plot.calls[row];
    const { tid, comm, start } = call;
    const rows = [
      { label: 'thread', value: `${tid}`, note: comm === null ? '' : visibleText(comm) },
      { label: 'from', value: start, note: '' },
    ];
    return { title: callDuration(call), rows };
  }
}

/**
 * Finds what arrow keys lead to in a plot of calls: from call to call, or from cell to cell of a heat map.
 *
 * Left and right follow the time, up and down the duration.
 */
export const SPOT_KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const;
type SpotKey = (typeof SPOT_KEYS)[number];

type Drawn = Pick<CallsPlot, 'durationNs' | 'cells' | 'calls'>;

/** Returns the row of the call that a key leads to. `at`: where the keys are; undefined: nowhere yet. */
export function callAway({ calls }: Drawn, at: number | undefined, key: SpotKey): number | undefined {
  if (calls.length === 0) return undefined;
  const byStart = calls.map((_, row) => row).sort((a, b) => calls[a].startNs - calls[b].startNs || a - b);
  if (key === 'Home') return byStart[0];
  if (key === 'End') return byStart.at(-1);
  if (at === undefined) return 0; // the longest
  const inTime = byStart.indexOf(at);
  const next = {
    ArrowLeft: byStart[inTime - 1],
    ArrowRight: byStart[inTime + 1],
    ArrowUp: at - 1,
    ArrowDown: at + 1,
  }[key];
  return next === undefined || calls[next] === undefined ? at : next;
}

/** Likewise, the row of a cell: the next column with calls, or the next longer or shorter cell of a column. */
export function cellAway({ cells }: Drawn, at: number | undefined, key: SpotKey): number | undefined {
  const rows = cells.map((_, row) => row);
  const from = at === undefined ? undefined : cells[at];
  const height = (row: number) => Math.log2(1 + cells[row].fromNs);
  if (from === undefined || key === 'Home' || key === 'End') {
    const last = key === 'End' ? -1 : 1;
    return rows.sort((a, b) => last * (cells[a].column - cells[b].column) || height(b) - height(a))[0];
  }
  const { column } = from;
  const level = height(at as number);
  const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
  const sign = key === 'ArrowRight' || key === 'ArrowUp' ? 1 : -1;
  const steps = (row: number) => sign * (isUpright ? height(row) - level : cells[row].column - column);
  const ahead = rows.filter((row) => steps(row) > 0 && (!isUpright || cells[row].column === column));
  const aside = (row: number) => Math.abs(height(row) - level);
  return ahead.sort((a, b) => steps(a) - steps(b) || aside(a) - aside(b) || a - b)[0] ?? at;
}

/** Returns the row of the longest call in a cell; -1: it is not listed. */
export function longestInCell({ calls, durationNs }: Drawn, { column, fromNs, toNs }: PlottedCell): number {
  const bounds = { startNs: 0, endNs: durationNs };
  const isIn = (call: PlottedCall) =>
    call.durationNs >= fromNs && call.durationNs < toNs && timeColumn(bounds, call.startNs) === column;
  return calls.findIndex(isIn);
}

/**
 * Paints calls by time and duration: a dot for each, or a heat map if there are too many.
 *
 * Of a heat map; the palest of the theme's eight would hardly differ from the page.
 */
export const SHADES = 6;

const LABEL_PX = 12;
const TEXT = '11px system-ui, sans-serif';

class PlotPainter {
  constructor(private readonly colours: CanvasColours) {}

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
    pen.strokeStyle = this.colours.of('sel');
    pen.lineWidth = 2;
    pen.beginPath();
  }

  private drawAxes(pen: CanvasRenderingContext2D, box: PlotBox): void {
    const { axis, plot, widthPx, heightPx } = box;
    pen.font = TEXT;
    pen.fillStyle = this.colours.of('ink3');
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
    pen.strokeStyle = this.colours.of('bg'); // keeps lines away from the names
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
    pen.fillStyle = this.colours.of('sel');
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
