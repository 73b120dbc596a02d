/**
 * Draws calls by time and duration on a canvas: a dot for each, or a heat map if there are too many.
 */
import { formatDuration } from '../../../format.js';
import { callDuration, cellText, titleOfCalls } from '../../../plot/call-texts.js';
import { DurationAxis, shadeOf, shadesOf, timeTicks } from '../../../plot/calls-plot.js';
import { htmlElement as html } from '../../../viewer/dom.js';
import { visibleText } from '../../../visible-text.js';
import type { CallsView } from '../../view/calls/calls-of-function.js';
import type { ListedCall } from '../../view/calls/find-listed-calls.js';
import { callNear, cellAt, type PlotBox } from '../../view/calls/plot-hits.js';
import type { Tooltip } from '../graph/tooltip.js';
import { CanvasColours, emptied } from '../platform/canvas.js';
import { onThemeChange } from '../platform/theme.js';

/** Of a heat map; the palest of the theme's eight would hardly differ from the page. */
export const SHADES = 6;

const HEIGHT_PX = 168;
const MARGIN = { leftPx: 54, rightPx: 8, topPx: 8, bottomPx: 18 };
const LABEL_PX = 12;
const TEXT = '11px system-ui, sans-serif';

export class CallsCanvas {
  readonly element = html('div', { class: 'calls-plot' });
  private readonly canvas = html('canvas', { role: 'img' });
  private readonly colours: CanvasColours;
  private readonly tooltip: Tooltip;
  private view: CallsView | null = null;
  private chosen = -1;

  constructor(tooltip: Tooltip, open: (call: ListedCall) => void) {
    this.tooltip = tooltip;
    this.element.append(this.canvas);
    this.colours = new CanvasColours(this.element);
    this.canvas.addEventListener('pointermove', (event) => this.hover(event));
    this.canvas.addEventListener('pointerleave', () => this.tooltip.hide());
    this.canvas.addEventListener('click', ({ offsetX, offsetY }) => {
      const near = this.view && callNear(this.box(), offsetX, offsetY);
      if (this.view && near != null) open(this.view.calls[near] as ListedCall);
    });
    this.listen();
  }

  /** `chosen`: the selected call; -1: none of them. */
  show(view: CallsView, chosen: number): void {
    this.view = view;
    this.chosen = chosen;
    const { title, shown } = titleOfCalls(view.plot, 'Plot', null, view.isHeatMap);
    this.canvas.setAttribute('aria-label', `${title}: ${shown}. The table has the slowest.`);
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
    const box = this.box();
    const pen = emptied(this.canvas, this.element.clientWidth, HEIGHT_PX);
    pen.translate(box.leftPx, box.topPx);
    this.drawAxes(pen, box);
    if (this.view.isHeatMap) this.drawCells(pen, box);
    else this.drawDots(pen, box);
    this.drawPercentiles(pen, box);
    this.drawChosen(pen, box);
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
    for (const { yPx, text } of labels) pen.fillText(text, widthPx, yPx < LABEL_PX ? yPx + LABEL_PX : yPx);
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

  private drawChosen(pen: CanvasRenderingContext2D, { plot, axis, widthPx, heightPx }: PlotBox): void {
    const call = plot.calls[this.chosen];
    if (call === undefined) return;
    pen.strokeStyle = this.colours.of('focus');
    pen.lineWidth = 2;
    pen.beginPath();
    const xPx = (call.startNs / Math.max(1, plot.durationNs)) * widthPx;
    pen.arc(xPx, (1 - axis.at(call.durationNs)) * heightPx, 6, 0, 2 * Math.PI);
    pen.stroke();
  }

  private hover({ offsetX, offsetY, clientX, clientY }: PointerEvent): void {
    if (this.view === null) return;
    const { plot, isHeatMap } = this.view;
    const box = this.box();
    const near = callNear(box, offsetX, offsetY);
    const cell = isHeatMap ? cellAt(box, offsetX, offsetY) : null;
    this.canvas.style.cursor = near === null ? '' : 'pointer';
    const call = near === null ? undefined : plot.calls[near];
    const rows = call && [
      { label: 'thread', value: `${call.tid}`, note: call.comm === null ? '' : visibleText(call.comm) },
      { label: 'from', value: call.start, note: '' },
    ];
    if (cell !== null) {
      const counts = { label: '', value: cellText(cell, plot), note: '' };
      this.tooltip.show({ title: 'Calls', rows: [counts] }, null, clientX, clientY);
    } else if (call && rows) this.tooltip.show({ title: callDuration(call), rows }, null, clientX, clientY);
    else this.tooltip.hide();
  }
}
