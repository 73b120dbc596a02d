/**
 * Where a stack chart is drawn: ticks above a canvas that scrolls. Knows which time, and which box, is at a point.
 */

import type { Nanoseconds, Tid } from '../../../model/units.js';
import { formatCount } from '../../../render/format.js';
import { ROW_PX } from '../../../render/frames/drawing.js';
import { htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { nameOfThread, otherThread, wakingLabel, wakingText } from '../../view/captions/wakings.js';
import { boxAtMoment } from '../../view/chart/chart-boxes.js';
import { clampedWindow } from '../../view/chart/chart-thread.js';
import type { Views } from '../../view/views.js';
import { type ChartArrow, type Role, type Waking, WHOLE_PX } from '../../view/waking-index.js';
import { CanvasColours, paintTicks } from '../platform/canvas.js';
import { onResize } from '../platform/lifetime.js';
import type { AddressedWindow } from './addressed-window.js';
import { type ChartMarks, ChartPainter } from './chart-painter.js';
import type { DrawnChart } from './drawn-chart.js';

/** The chart that is drawn there. */
interface Chart extends LaneChart {
  click(event: PointerEvent): void;
  hover(event: MouseEvent): void;
  leave(): void;
  openMenuAt(event: MouseEvent): void;
  redraw(): void;
  drawSoon(): void;
}

interface AreaContext {
  readonly views: Views;
  readonly tooltip: Tooltip;
  readonly characterPx: number;
}

const TICKS_PX = 18;
const MIN_WIDTH_PX = 100;

export class ChartArea {
  readonly element: HTMLElement;
  /** Has the focus of the chart. */
  readonly scroller: HTMLElement;
  private readonly ticks = html('canvas', { class: 'ticks', title: 'drag to zoom to a range', 'aria-hidden': 'true' });
  private readonly canvas = html('canvas', { 'aria-hidden': 'true' });
  private readonly stack = html('div', { class: 'stack' }, this.canvas);
  private readonly selection = html('div', { class: 'chart-selection', hidden: '' });
  private readonly lanes: Readonly<Record<Role, WakingLane>>;
  private readonly painter: ChartPainter;
  private readonly colours: CanvasColours;
  private chart!: DrawnChart; // set by the first `show`
  private firstRow = 0;
  /** Where the pointer rests; null: it is elsewhere, or keys were used since it moved. */
  private pointer: Pick<MouseEvent, 'clientX' | 'clientY'> | null = null;

  constructor(
    private readonly context: AreaContext,
    private readonly window: AddressedWindow,
    private readonly events: Chart,
  ) {
    const { views, characterPx } = context;
    this.scroller = html('div', { class: 'chart-scroll', tabindex: 0, role: 'application' }, this.stack);
    this.lanes = { waiter: new WakingLane('waiter', events), waker: new WakingLane('waker', events) };
    const above = [this.ticks, this.lanes.waiter.element, this.lanes.waker.element];
    this.element = html('div', { class: 'chart-area' }, ...above, this.scroller, this.selection);
    this.colours = new CanvasColours(this.element, () => {
      this.painter.forgetColours();
      events.redraw();
    });
    this.painter = new ChartPainter(this.canvas, this.colours, views, characterPx);
    this.listen();
  }

  get widthPx(): number {
    return Math.max(MIN_WIDTH_PX, this.scroller.clientWidth);
  }

  get hasFocus(): boolean {
    return this.scroller.contains(document.activeElement);
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  /** Lanes take space only in charts of threads that have wakings. */
  showLanes(has: (role: Role) => boolean): void {
    for (const role of ['waiter', 'waker'] as const) this.lanes[role].element.hidden = !has(role);
  }

  /** Makes room for a chart. `firstRow`: the outermost rows are left out. */
  place(chart: DrawnChart, firstRow: number): void {
    this.chart = chart;
    this.firstRow = firstRow;
    this.stack.style.height = `${this.allPx}px`;
  }

  paint(marks: ChartMarks): void {
    const { chart, firstRow, scroller, widthPx } = this;
    const heightPx = Math.min(scroller.clientHeight, this.allPx);
    for (const role of ['waiter', 'waker'] as const) this.lanes[role].show(chart.arrows[role], chart.thread.durationNs);
    this.painter.paint({ ...marks, chart, firstRow, widthPx, heightPx, topPx: scroller.scrollTop });
    paintTicks(this.ticks, this.colours, chart.window, { leftPx: 0, widthPx, heightPx: TICKS_PX });
  }

  /** The box below the resting pointer, whatever was drawn since it moved; null: none. */
  get pointedBox(): number | null {
    return this.pointer && this.boxBelow(this.pointer);
  }

  /** Until it moves, keys act on what they reached. */
  forgetPointer(): void {
    this.pointer = null;
  }

  /** Returns the box at a point of the browser's window; null: none. */
  boxBelow({ clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>): number | null {
    const { boxes, pixelNs } = this.chart;
    const { left, top } = this.stack.getBoundingClientRect();
    const row = Math.floor((clientY - top) / ROW_PX) + this.firstRow;
    return boxAtMoment(boxes, row, this.nsAt(clientX - left), pixelNs);
  }

  aim(box: number | null): void {
    this.stack.classList.toggle('aimed', box !== null);
  }

  /** Returns the left top of a box in the browser's window. */
  positionOf(box: number): { xPx: number; yPx: number } {
    const { boxes, window, pixelNs } = this.chart;
    const { left, top } = this.stack.getBoundingClientRect();
    const xPx = left + Math.max(0, (boxes.startNs[box] - window.startNs) / pixelNs);
    return { xPx, yPx: top + (boxes.row[box] - this.firstRow) * ROW_PX };
  }

  scrollBy(rows: number): void {
    this.scroller.scrollTop += rows * ROW_PX;
  }

  /** Scrolls to the row of a box. */
  reveal(box: number): void {
    const topPx = (this.chart.boxes.row[box] - this.firstRow) * ROW_PX;
    const { scroller } = this;
    if (topPx < scroller.scrollTop) scroller.scrollTop = topPx;
    else if (topPx + ROW_PX > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = topPx + ROW_PX - scroller.clientHeight;
  }

  private get allPx(): number {
    return (this.chart.thread.rows - this.firstRow) * ROW_PX;
  }

  private nsAt(xPx: number): Nanoseconds {
    return this.chart.window.startNs + xPx * this.chart.pixelNs;
  }

  private listen(): void {
    const { events, scroller, stack } = this;
    const gestures: ChartGestures = {
      move: (dxPx, dyPx) => {
        scroller.scrollTop -= dyPx;
        if (dxPx !== 0) this.window.move(-dxPx * this.chart.pixelNs);
        else events.drawSoon();
      },
      zoom: (factor, xPx) => this.window.zoomAt(factor, this.nsAt(xPx)),
      click: (event) => events.click(event),
      hover: (event) => events.hover(event),
      leave: () => events.leave(),
      select: (fromPx, toPx, isDone) => this.select(fromPx, toPx, isDone),
    };
    const point = ({ clientX, clientY }: MouseEvent) => {
      this.pointer = { clientX, clientY };
    };
    for (const type of ['pointermove', 'contextmenu'] as const) stack.addEventListener(type, point);
    stack.addEventListener('pointerleave', () => this.forgetPointer());
    listenToChart(stack, gestures);
    listenToChart(this.ticks, { ...gestures, click: () => {}, hover: () => {} }, true);
    stack.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      events.openMenuAt(event);
    });
    scroller.addEventListener('scroll', () => events.drawSoon());
    scroller.addEventListener('blur', () => this.context.tooltip.hide());
    onResize(scroller, () => events.drawSoon());
  }

  private select(fromPx: number, toPx: number, isDone: boolean): void {
    const [left, right] = [Math.max(0, Math.min(fromPx, toPx)), Math.min(this.widthPx, Math.max(fromPx, toPx))];
    this.selection.hidden = isDone;
    this.selection.style.left = `${left}px`;
    this.selection.style.width = `${right - left}px`;
    if (!isDone || right <= left) return;
    this.window.goTo(clampedWindow({ startNs: this.nsAt(left), endNs: this.nsAt(right) }, this.window.all.endNs));
  }
}

/**
 * The row of buttons above a stack chart that say who woke its thread, or whom it woke. Each leads to the other thread.
 */
interface LaneChart {
  follow(waking: Waking, role: Role): void;
  readonly links: { canOpen(tid: Tid): boolean };
}

const NAMES: Readonly<Record<Role, string>> = { waiter: 'Who woke the thread', waker: 'Whom the thread woke' };

class WakingLane {
  readonly element: HTMLElement;
  /** As many as were ever needed: one that has the focus stays. */
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly lines: HTMLElement[] = [];
  private arrows: readonly ChartArrow[] = [];

  constructor(
    private readonly role: Role,
    private readonly events: LaneChart,
  ) {
    this.element = html('div', { class: 'wakings', role: 'group', 'aria-label': NAMES[role], hidden: '' });
  }

  /** `scaleNs`: the duration of the recording. */
  show(arrows: readonly ChartArrow[], scaleNs: Nanoseconds): void {
    this.arrows = arrows;
    while (this.buttons.length < arrows.length) this.addButton(this.buttons.length);
    for (const [at, button] of this.buttons.entries()) {
      const arrow = arrows[at];
      const line = this.lines[at] as HTMLElement;
      button.hidden = line.hidden = arrow === undefined;
      if (arrow === undefined) continue;
      this.describe(button, arrow, scaleNs);
      line.style.left = `${arrow.xPx}px`;
    }
  }

  private addButton(at: number): void {
    const button = html('button', { type: 'button' });
    const line = html('span', { class: 'line' });
    button.addEventListener('click', () => {
      const arrow = this.arrows[at];
      if (arrow !== undefined && this.canFollow(arrow)) this.events.follow(arrow.waking, this.role);
    });
    this.buttons.push(button);
    this.lines.push(line);
    this.element.append(line, button);
  }

  private describe(button: HTMLButtonElement, arrow: ChartArrow, scaleNs: Nanoseconds): void {
    const { waking, labelPx, roomPx, others } = arrow;
    const more = others > 0 ? ` +${formatCount(others)}` : '';
    const hint = this.canFollow(arrow) ? 'click: what it did then' : 'it was not traced';
    const label = wakingLabel(waking, this.role);
    // with less space only the name, which `label` has, too: the arrow says the rest, dashed if it is a maybe
    const text = `${roomPx < WHOLE_PX ? nameOfThread(otherThread(waking, this.role)) : label}${more}`;
    const title = `${wakingText(waking, this.role, scaleNs)}${more && ` (${more.trim()} shorter waits here)`}; ${hint}`;
    button.style.left = `${labelPx}px`;
    button.style.maxWidth = `${Math.floor(roomPx - GAP_PX)}px`;
    // while the view moves, most labels stay the same
    if (button.title === title && button.textContent === text) return;
    showText(button, text);
    setAttributes(button, { title, 'aria-label': `${label}${more}`, 'aria-disabled': String(!this.canFollow(arrow)) });
  }

  private canFollow({ waking }: ChartArrow): boolean {
    return this.events.links.canOpen(otherThread(waking, this.role).tid);
  }
}

const GAP_PX = 4;

/**
 * Turns pointer and wheel into gestures on a stack chart: drag to move, two fingers or the wheel to zoom, Shift and drag to
 * select a range.
 */
interface ChartGestures {
  readonly move: (dxPx: number, dyPx: number) => void;
  /** Shows `factor` times as much time; the moment at `xPx` stays. */
  readonly zoom: (factor: number, xPx: number) => void;
  /** `isDone`: the range is final; an empty one is none. */
  readonly select: (fromPx: number, toPx: number, isDone: boolean) => void;
  readonly click: (event: PointerEvent) => void;
  readonly hover: (event: PointerEvent) => void;
  readonly leave: () => void;
}

/** Less is a click. */
const MIN_DRAG_PX = 3;
const ZOOM_PER_PX = 1.002;
const LINE_PX = 16;

/** `selects`: each drag selects a range. */
function listenToChart(element: HTMLElement, gestures: ChartGestures, selects = false): void {
  new ChartPointers(element, gestures, selects).listen();
}

class ChartPointers {
  /** Pressed pointers, where they were last. */
  private readonly pressed = new Map<number, { xPx: number; yPx: number }>();
  private downPx = { xPx: 0, yPx: 0 };
  private isClick = false;
  private isSelection = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly gestures: ChartGestures,
    private readonly selects: boolean,
  ) {}

  listen(): void {
    const { element, gestures } = this;
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.moved(event));
    element.addEventListener('pointerup', (event) => this.up(event, true));
    element.addEventListener('pointercancel', (event) => this.up(event, false));
    element.addEventListener('pointerleave', gestures.leave);
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.positionOf(event);
    this.pressed.set(event.pointerId, at);
    this.isClick = this.pressed.size === 1;
    this.isSelection = this.selects || event.shiftKey;
    this.downPx = at;
    this.element.setPointerCapture(event.pointerId);
  }

  private moved(event: PointerEvent): void {
    const before = this.pressed.get(event.pointerId);
    if (before === undefined) return this.gestures.hover(event);
    const at = this.positionOf(event);
    if (this.isClick && Math.hypot(at.xPx - this.downPx.xPx, at.yPx - this.downPx.yPx) < MIN_DRAG_PX) return;
    this.isClick = false;
    const distancePx = this.distancePx;
    this.pressed.set(event.pointerId, at);
    if (this.pressed.size > 1) this.gestures.zoom(distancePx / Math.max(1, this.distancePx), this.middlePx);
    else if (this.isSelection) this.gestures.select(this.downPx.xPx, at.xPx, false);
    else this.gestures.move(at.xPx - before.xPx, at.yPx - before.yPx);
  }

  private up(event: PointerEvent, isDone: boolean): void {
    if (!this.pressed.delete(event.pointerId)) return;
    const { xPx } = this.positionOf(event);
    if (this.isClick) {
      if (isDone) this.gestures.click(event);
    } else if (this.isSelection) this.gestures.select(this.downPx.xPx, isDone ? xPx : this.downPx.xPx, true);
    this.isClick = false;
  }

  /** Of the two first pointers. */
  private get distancePx(): number {
    const [a, b] = [...this.pressed.values()];
    return a === undefined || b === undefined ? 0 : Math.max(1, Math.abs(a.xPx - b.xPx));
  }

  private get middlePx(): number {
    const [a, b] = [...this.pressed.values()];
    return a === undefined || b === undefined ? 0 : (a.xPx + b.xPx) / 2;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const unitPx = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const [dxPx, dyPx] = [event.deltaX * unitPx, event.deltaY * unitPx];
    if (event.shiftKey || Math.abs(dxPx) > Math.abs(dyPx)) this.gestures.move(-(dxPx || dyPx), 0);
    else this.gestures.zoom(ZOOM_PER_PX ** dyPx, this.positionOf(event).xPx);
  }

  private positionOf({ clientX, clientY }: MouseEvent): { xPx: number; yPx: number } {
    const { left, top } = this.element.getBoundingClientRect();
    return { xPx: clientX - left, yPx: clientY - top };
  }
}
