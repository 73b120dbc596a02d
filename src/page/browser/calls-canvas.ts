/**
 * Shows calls by time and duration on a canvas, and what is below the pointer or where arrow keys are.
 */

import { timeColumn } from '../../analysis/calls/over-time.js';
import type { FrameDetails } from '../../render/frames/frame-details.js';
import { callDuration, cellText, titleOfCalls } from '../../render/plot/call-texts.js';
import { type CallsPlot, DurationAxis, type PlottedCall, type PlottedCell } from '../../render/plot/calls-plot.js';
import { htmlElement as html, setAttributes, showText } from '../../render/viewer/dom.js';
import { visibleText } from '../../render/visible-text.js';
import type { CallsView } from '../view/calls/calls-of-function.js';
import type { ListedCall } from '../view/calls/find-listed-calls.js';
import { callNear, cellAt, type PlotBox } from '../view/calls/plot-hits.js';
import type { Tooltip } from './graph/tooltip.js';
import { CanvasColours, emptied } from './platform/canvas.js';
import { onThemeChange } from './platform/theme.js';
import { PlotPainter } from './plot-painter.js';

const HEIGHT_PX = 168;
const MARGIN = { leftPx: 54, rightPx: 8, topPx: 8, bottomPx: 18 };

export class CallsCanvas {
  readonly element = html('div', { class: 'calls-plot' });
  private readonly canvas = html('canvas', { role: 'application', tabindex: 0 });
  private readonly spoken = html('div', { class: 'spoken', role: 'status' });
  private readonly colours: CanvasColours;
  private readonly painter: PlotPainter;
  private readonly tooltip: Tooltip;
  private readonly open: (call: ListedCall) => void;
  private view: CallsView | null = null;
  private chosen = -1;
  /** The row of the call or cell that arrow keys reached. */
  private spot: number | undefined;

  constructor(tooltip: Tooltip, open: (call: ListedCall) => void) {
    this.tooltip = tooltip;
    this.open = open;
    this.element.append(this.canvas, this.spoken);
    this.colours = new CanvasColours(this.element);
    this.painter = new PlotPainter(this.colours);
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => this.tooltip.hide());
    this.canvas.addEventListener('click', ({ offsetX, offsetY }) => {
      const near = this.view && callNear(this.box(), offsetX, offsetY);
      if (near != null) this.openCall(near);
    });
    this.canvas.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('blur', () => this.leave());
    this.listen();
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

  private listen(): void {
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.element);
    onThemeChange(() => {
      this.colours.forget();
      this.draw();
    });
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
    event.preventDefault();
    event.stopPropagation();
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
    this.tooltip.show(details, null, left + leftPx + at.x * widthPx, top + topPx + (1 - at.y) * heightPx);
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
    if (cell !== null) this.tooltip.show(this.cellDetails(plot.cells.indexOf(cell)), null, clientX, clientY);
    else if (near !== null) this.tooltip.show(this.callDetails(near), null, clientX, clientY);
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
