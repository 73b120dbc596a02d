/**
 * The stack chart of a thread: its calls in the order of time, callees below their callers.
 */
import type { Bounds } from '../../../../analysis/questions.js';
import type { SymbolId, Tid } from '../../../../model/units.js';
import { ROW_PX } from '../../../frames/drawing.js';
import { detailsText } from '../../../frames/frame-details.js';
import { htmlElement as html } from '../../../viewer/dom.js';
import { boundsOf, chartCaption, chartDetails, chartLabel } from '../../captions/chart.js';
import { ticksOf } from '../../captions/time.js';
import { type BoxBounds, boxAtMoment, boxOfCall, neighbourOf } from '../../view/chart/call-at.js';
import { type ChartBoxes, ChartBoxKind, commonRows } from '../../view/chart/chart-boxes.js';
import { type ChartThread, chartThread } from '../../view/chart/chart-thread.js';
import {
  addressedWindow,
  clampedWindow,
  movedWindow,
  windowAround,
  zoomedWindow,
} from '../../view/chart/chart-window.js';
import { type DrawnCalls, drawnCalls } from '../../view/chart/drawn-calls.js';
import { layOutChart } from '../../view/chart/lay-out-chart.js';
import { memoizeLast } from '../../view/memoize-last.js';
import type { ChosenCall, State } from '../../view/state.js';
import { titleOf } from '../../view/threads.js';
import type { Views } from '../../view/views.js';
import type { Menu } from '../controls/menu.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Tooltip } from '../graph/tooltip.js';
import { CanvasColours, emptied } from '../platform/canvas.js';
import type { Navigation } from '../platform/navigation.js';
import { chartActions, chartKey } from './chart-actions.js';
import { ChartHead } from './chart-head.js';
import { ChartPainter } from './chart-painter.js';
import { listenToChart } from './chart-pointer.js';

export interface ChartContext {
  readonly views: Views;
  readonly navigation: Navigation;
  readonly actions: FrameActions;
  readonly tooltip: Tooltip;
  readonly menu: Menu;
  readonly characterPx: number;
}

/** What is drawn. */
export interface DrawnChart {
  readonly thread: ChartThread;
  readonly boxes: ChartBoxes;
  readonly calls: DrawnCalls;
}

const TICKS_PX = 18;
const TICK_DISTANCE_PX = 90;
const MIN_WIDTH_PX = 100;
/** After a gesture, the address and the tables follow. */
const SETTLED_MS = 200;
/** Part of the view that a key moves it by. */
const KEY_PART = 0.25;

export class StackChart {
  readonly element: HTMLElement;
  private readonly context: ChartContext;
  private readonly head: ChartHead;
  private readonly ticks = html('canvas', { class: 'ticks', title: 'drag to zoom to a range', 'aria-hidden': 'true' });
  private readonly canvas = html('canvas', { 'aria-hidden': 'true' });
  private readonly stack = html('div', { class: 'stack' }, this.canvas);
  private readonly selection = html('div', { class: 'chart-selection', hidden: '' });
  private readonly spoken = html('output', { class: 'spoken' });
  private readonly scroller: HTMLElement;
  private readonly painter: ChartPainter;
  private readonly colours: CanvasColours;
  private readonly threadOf = memoizeLast((tid: Tid) => this.readThread(tid));
  private thread: ChartThread | null = null;
  private window: Bounds = { startNs: 0, endNs: 1 };
  private boxes!: ChartBoxes; // with `thread`
  private hidesCallers = false;
  /** The box below the pointer, or the one that keys reached last. */
  private pointed: number | null = null;
  private focused: BoxBounds | null = null;
  private isOver = false;
  private pendingFrame = 0;
  private settling = 0;
  /** Address of the window that is shown, with its thread. */
  private shown = '';
  /** The state after the last gesture: the next one is the same step of the history. */
  private gestured: State | null = null;

  constructor(context: ChartContext) {
    this.context = context;
    this.head = new ChartHead({
      zoom: (factor) => this.zoom(factor),
      showAll: () => this.goTo(this.all),
      useAsRange: () => context.navigation.change({ range: addressedWindow(this.window, this.durationNs) }),
      hideCallers: (isHidden) => {
        this.hidesCallers = isHidden;
        this.paintSoon();
        this.describe();
      },
      close: () => this.close(),
    });
    this.scroller = html('div', { class: 'chart-scroll', tabindex: 0, role: 'application' }, this.stack);
    const area = html('div', { class: 'chart-area' }, this.ticks, this.scroller, this.selection);
    this.element = html('section', { class: 'stack-chart', 'aria-label': 'Stack chart', hidden: '' });
    this.element.append(this.head.element, area, this.spoken);
    this.colours = new CanvasColours(this.element);
    this.painter = new ChartPainter(this.canvas, this.colours, context.views, context.characterPx);
    this.listen();
  }

  get isOpen(): boolean {
    return this.thread !== null;
  }

  /** What is drawn; null: no chart is open. */
  get drawn(): DrawnChart | null {
    const { thread, boxes } = this;
    return thread && { thread, boxes, calls: drawnCalls(boxes, thread.unlisted, this.window) };
  }

  /** Opens the chart of a thread, where the range of time is. */
  open(chart: Tid): void {
    const { navigation, views } = this.context;
    navigation.change({ chart, chartRange: views.rangeAt(navigation.state), call: null });
  }

  /** Draws the chart of a state. */
  show(state: State): void {
    const { views } = this.context;
    this.thread = state.chart === null || views.timeline === null ? null : this.threadOf(`${state.chart}`, state.chart);
    this.element.hidden = this.thread === null;
    this.element.classList.toggle('sized', state.graphShare !== null);
    this.element.style.setProperty('--share', `${state.graphShare ?? 0}%`);
    if (this.thread === null) return;
    const shown = addressOf(state.chart, state.chartRange);
    if (shown !== this.shown) this.window = clampedWindow(state.chartRange ?? this.all, this.durationNs);
    this.shown = shown;
    this.paint();
    this.describe();
    if (state.call !== null && this.selectedBox !== null) this.reveal(this.selectedBox);
  }

  /** Selects a call of the table; one that is selected fills the view. */
  choose(box: number): void {
    const isSelected = box === this.selectedBox;
    if (isSelected) this.zoomTo(box);
    else this.select(box);
  }

  isSelected(box: number): boolean {
    return box === this.selectedBox;
  }

  /** Opens the menu of a box at a point of the window. `back`: returns the focus. */
  openMenuOf(box: number, xPx: number, yPx: number, back: () => void): void {
    this.context.tooltip.hide();
    this.context.menu.open(this.detailsOf(box).title, this.actionsOf(box), xPx, yPx, back);
  }

  /** Handles a key if it is meant for the chart; returns false for others. */
  press(event: KeyboardEvent): boolean {
    if (this.thread === null || !(this.hasFocus || this.isOver)) return false;
    const act = chartKey(event, this.hasFocus, {
      step: (key) => this.step(key),
      move: (x, y) => this.moveBy(x * KEY_PART * this.widthPx, y * ROW_PX * 3),
      zoom: (factor) => this.zoom(factor),
      showAll: () => this.goTo(this.all),
      jump: (isEnd) => this.jump(isEnd),
      back: () => this.goBack(),
      menu: () => this.openMenu(),
      actions: () => (this.aimedBox === null ? [] : this.actionsOf(this.aimedBox)),
    });
    act?.();
    return act !== null;
  }

  private get hasFocus(): boolean {
    return this.scroller.contains(document.activeElement);
  }

  private get all(): Bounds {
    return { startNs: 0, endNs: this.durationNs };
  }

  private get durationNs(): number {
    return this.thread?.durationNs ?? 1;
  }

  private get widthPx(): number {
    return Math.max(MIN_WIDTH_PX, this.scroller.clientWidth);
  }

  private get pixelNs(): number {
    return (this.window.endNs - this.window.startNs) / this.widthPx;
  }

  private get selectedBox(): number | null {
    const { call } = this.context.navigation.state;
    return call === null || call.tid !== this.thread?.tid ? null : boxOfCall(this.boxes, call);
  }

  private get focusedBox(): number | null {
    return this.focused && boxOfCall(this.boxes, this.focused);
  }

  /** The box that keys act on. */
  private get aimedBox(): number | null {
    return this.pointed ?? this.focusedBox ?? this.selectedBox;
  }

  private get commonRows(): number {
    return Math.max(0, commonRows(this.boxes, this.window) - 1);
  }

  private get firstRow(): number {
    return this.hidesCallers ? this.commonRows : 0;
  }

  private readThread(tid: Tid): ChartThread | null {
    const { data, timeline } = this.context.views;
    this.focused = null;
    return timeline && chartThread(data, timeline, tid);
  }

  private listen(): void {
    const gestures = {
      move: (dxPx: number, dyPx: number) => this.moveBy(-dxPx, -dyPx),
      zoom: (factor: number, xPx: number) =>
        this.gesture(zoomedWindow(this.window, factor, this.nsAt(xPx), this.durationNs)),
      select: (fromPx: number, toPx: number, isDone: boolean) => this.selectRange(fromPx, toPx, isDone),
      click: (event: PointerEvent) => this.click(event),
      hover: (event: PointerEvent) => this.hover(event),
      leave: () => this.leave(),
    };
    listenToChart(this.stack, gestures);
    listenToChart(this.ticks, { ...gestures, click: () => {}, hover: () => {} }, true);
    this.stack.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      this.hover(event);
      if (this.pointed !== null) this.openMenu({ xPx: event.clientX, yPx: event.clientY });
    });
    this.scroller.addEventListener('scroll', () => this.paintSoon());
    this.scroller.addEventListener('blur', () => this.context.tooltip.hide());
    new ResizeObserver(() => this.paintSoon()).observe(this.scroller);
    const repaint = () => {
      this.colours.forget();
      this.painter.forgetColours();
      if (this.isOpen) this.paint();
    };
    for (const query of ['(prefers-color-scheme: dark)', 'print'])
      matchMedia(query).addEventListener('change', repaint);
    new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  }

  private paintSoon(): void {
    this.pendingFrame ||= requestAnimationFrame(() => {
      this.pendingFrame = 0;
      if (this.isOpen) this.paint();
    });
  }

  private paint(): void {
    const thread = this.thread as ChartThread;
    const { views, navigation } = this.context;
    const { state } = navigation;
    const { widthPx, window, scroller, stack } = this;
    this.boxes = layOutChart(thread, window, widthPx);
    const { boxes, firstRow } = this;
    stack.style.height = `${(thread.rows - firstRow) * ROW_PX}px`;
    const { isMatch } = views.namesAt(state);
    const isMarked = isMatch
      ? (symbol: SymbolId) => isMatch[symbol] === true
      : (symbol: SymbolId) => symbol === state.chosen;
    this.painter.paint({
      boxes,
      window,
      widthPx,
      heightPx: Math.min(scroller.clientHeight, (thread.rows - firstRow) * ROW_PX),
      topPx: scroller.scrollTop,
      firstRow,
      symbolOf: (node) => thread.symbol[node] as SymbolId,
      labelOf: (box) => chartLabel(boxes, box, this.nameOf),
      isMarked: isMatch || state.chosen !== null ? isMarked : null,
      dimsOthers: isMatch !== null,
      outlined: [this.selectedBox, this.pointed ?? (this.hasFocus ? this.focusedBox : null)],
      range: views.rangeAt(state),
    });
    this.paintTicks();
  }

  private paintTicks(): void {
    const pen = emptied(this.ticks, this.widthPx, TICKS_PX);
    pen.font = `11px ${getComputedStyle(this.element).fontFamily}`;
    pen.fillStyle = this.colours.of('quiet');
    for (const { ns, text } of ticksOf(this.window, TICK_DISTANCE_PX * this.pixelNs)) {
      const xPx = (ns - this.window.startNs) / this.pixelNs;
      pen.fillRect(xPx, TICKS_PX - 5, 1, 5);
      pen.fillText(text, Math.min(xPx + 3, this.widthPx - pen.measureText(text).width), TICKS_PX - 6);
    }
  }

  private readonly nameOf = (node: number): string =>
    this.context.views.names[this.thread?.symbol[node] as SymbolId] as string;

  private describe(): void {
    const { thread, boxes, window, context } = this;
    if (thread === null) return;
    const row = context.views.threads.find(({ key }) => key === `tid:${thread.tid}`);
    const title = `Stack chart: ${row === undefined ? thread.tid : titleOf(row)}`;
    const caption = chartCaption(drawnCalls(boxes, thread.unlisted, window), thread, this.pixelNs);
    const isAll = addressedWindow(window, this.durationNs) === null;
    this.head.show(title, caption, this.commonRows, isAll, context.views.timeline?.sumsSliceNs !== null);
    this.scroller.setAttribute(
      'aria-label',
      `${title}: ${caption}. Arrow keys move between calls; the tab Calls lists them.`,
    );
  }

  /** Shows another window; the address follows when the gesture has ended. */
  private gesture(window: Bounds): void {
    this.window = window;
    this.pointed = null;
    this.context.tooltip.hide();
    this.paintSoon();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLED_MS) as unknown as number;
  }

  private settle(): void {
    if (this.thread === null) return;
    const { navigation } = this.context;
    const chartRange = addressedWindow(this.window, this.durationNs);
    const isSameStep = navigation.state === this.gestured;
    this.shown = addressOf(this.thread.tid, chartRange);
    navigation.change({ chartRange }, isSameStep);
    this.gestured = navigation.state;
  }

  /** Shows another window, as a step of the history. */
  private goTo(window: Bounds, change: Partial<State> = {}): void {
    clearTimeout(this.settling);
    this.shown = '';
    this.context.navigation.change({ ...change, chartRange: addressedWindow(window, this.durationNs) });
    this.paintSoon();
  }

  private zoom(factor: number): void {
    const box = this.focusedBox;
    const { startNs, endNs } = box === null ? this.window : this.visibleBounds(box);
    this.goTo(zoomedWindow(this.window, factor, (startNs + endNs) / 2, this.durationNs));
  }

  private visibleBounds(box: number): Bounds {
    const { startNs, endNs } = boundsOf(this.boxes, box);
    return { startNs: Math.max(startNs, this.window.startNs), endNs: Math.min(endNs, this.window.endNs) };
  }

  private zoomTo(box: number): void {
    const isCall = this.boxes.kind[box] === ChartBoxKind.Call;
    this.goTo(windowAround(boundsOf(this.boxes, box), this.durationNs), isCall ? { call: this.callOf(box) } : {});
  }

  private callOf(box: number): ChosenCall {
    const { startNs, endNs } = boundsOf(this.boxes, box);
    return { tid: (this.thread as ChartThread).tid, startNs: Math.max(0, startNs), endNs };
  }

  private focus(box: number): void {
    this.focused = { ...this.callOf(box), row: this.boxes.row[box] };
  }

  private select(box: number): void {
    this.focus(box);
    this.context.navigation.change({ call: this.callOf(box) });
  }

  private moveBy(dxPx: number, dyPx: number): void {
    this.scroller.scrollTop += dyPx;
    if (dxPx !== 0) this.gesture(movedWindow(this.window, dxPx * this.pixelNs, this.durationNs));
    else this.paintSoon();
  }

  private jump(isEnd: boolean): void {
    this.gesture(movedWindow(this.window, isEnd ? this.durationNs : -this.durationNs, this.durationNs));
  }

  private selectRange(fromPx: number, toPx: number, isDone: boolean): void {
    const [left, right] = [Math.max(0, Math.min(fromPx, toPx)), Math.min(this.widthPx, Math.max(fromPx, toPx))];
    this.selection.hidden = isDone;
    this.selection.style.left = `${left}px`;
    this.selection.style.width = `${right - left}px`;
    if (isDone && right > left)
      this.goTo(clampedWindow({ startNs: this.nsAt(left), endNs: this.nsAt(right) }, this.durationNs));
  }

  private nsAt(xPx: number): number {
    return this.window.startNs + xPx * this.pixelNs;
  }

  private boxBelow({ clientX, clientY }: MouseEvent): number | null {
    const { left, top } = this.stack.getBoundingClientRect();
    const row = Math.floor((clientY - top) / ROW_PX) + this.firstRow;
    return boxAtMoment(this.boxes, row, this.nsAt(clientX - left), this.pixelNs);
  }

  private hover(event: MouseEvent): void {
    if (!this.isOpen) return;
    this.isOver = true;
    const box = this.boxBelow(event);
    if (box !== this.pointed) {
      this.pointed = box;
      this.paintSoon();
    }
    this.stack.classList.toggle('aimed', box !== null);
    if (box === null) this.context.tooltip.hide();
    else this.context.tooltip.show(this.detailsOf(box), null, event.clientX, event.clientY);
  }

  private leave(): void {
    this.isOver = false;
    this.pointed = null;
    this.context.tooltip.hide();
    this.paintSoon();
  }

  private click(event: PointerEvent): void {
    const box = this.boxBelow(event);
    this.scroller.focus({ preventScroll: true });
    this.leave();
    if (box !== null) this.zoomTo(box);
  }

  private readonly details = memoizeLast((box: number) =>
    chartDetails(this.thread as ChartThread, this.boxes, box, this.nameOf, this.pixelNs),
  );

  private detailsOf(box: number) {
    const { startNs, endNs, row } = this.boxes;
    return this.details(`${this.thread?.tid} ${row[box]} ${startNs[box]} ${endNs[box]} ${this.pixelNs}`, box);
  }

  /** Moves the focus to the next call; at the edge, the view moves. */
  private step(key: string): void {
    const from = this.focusedBox ?? this.selectedBox;
    const box = from === null ? this.firstVisibleBox() : neighbourOf(this.boxes, from, key);
    if (box === null) {
      const direction = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (direction !== undefined) this.moveBy(direction * KEY_PART * this.widthPx, 0);
      return;
    }
    this.pointed = null;
    this.focus(box);
    this.reveal(box);
    this.paint();
    this.showFocused(box);
  }

  private firstVisibleBox(): number | null {
    const { kind, row, length } = this.boxes;
    for (let box = 0; box < length; box++) if (kind[box] === ChartBoxKind.Call && row[box] >= this.firstRow) return box;
    return null;
  }

  private showFocused(box: number): void {
    const details = this.detailsOf(box);
    const { xPx, yPx } = this.positionOf(box);
    this.context.tooltip.show(details, null, xPx, yPx + ROW_PX - 8);
    this.spoken.textContent = detailsText(details);
  }

  /** The left top of a box in the window. */
  private positionOf(box: number): { xPx: number; yPx: number } {
    const { left, top } = this.stack.getBoundingClientRect();
    const xPx = left + Math.max(0, (this.boxes.startNs[box] - this.window.startNs) / this.pixelNs);
    return { xPx, yPx: top + (this.boxes.row[box] - this.firstRow) * ROW_PX };
  }

  private reveal(box: number): void {
    const topPx = (this.boxes.row[box] - this.firstRow) * ROW_PX;
    const { scroller } = this;
    if (topPx < scroller.scrollTop) scroller.scrollTop = topPx;
    else if (topPx + ROW_PX > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = topPx + ROW_PX - scroller.clientHeight;
  }

  private actionsOf(box: number) {
    const { navigation, actions, views } = this.context;
    const thread = this.thread as ChartThread;
    const isCall = this.boxes.kind[box] === ChartBoxKind.Call;
    return chartActions({
      zoom: () => this.zoomTo(box),
      select: isCall ? () => this.select(box) : null,
      range: views.timeline?.sumsSliceNs == null ? null : () => navigation.change({ range: this.wholeBounds(box) }),
      ofFunction: isCall ? actions.ofFunction(thread.symbol[this.boxes.node[box]] as SymbolId) : [],
      stack: isCall ? () => this.stackOf(this.boxes.node[box]) : null,
    });
  }

  private wholeBounds(box: number): Bounds | null {
    return addressedWindow(clampedWindow(boundsOf(this.boxes, box), this.durationNs), this.durationNs);
  }

  /** The names on the stack, the outermost first. */
  private stackOf(node: number): string {
    const { shape } = this.context.views.data;
    const names: string[] = [];
    for (let at = (this.thread as ChartThread).node[node]; at > 0; at = shape.parent[at])
      names.push(this.context.views.names[shape.symbol[at]] as string);
    return names.reverse().join('\n');
  }

  private openMenu(at?: { readonly xPx: number; readonly yPx: number }): void {
    const box = this.aimedBox;
    if (box === null) return;
    const { xPx, yPx } = at ?? this.positionOf(box);
    this.openMenuOf(box, xPx, yPx + (at ? 0 : ROW_PX), () => this.scroller.focus({ preventScroll: true }));
  }

  /** One step per key press: first the selected call, then the zoom, then the chart. */
  private goBack(): void {
    const { state } = this.context.navigation;
    this.context.tooltip.hide();
    if (state.call !== null || this.focused !== null) {
      this.focused = null;
      this.paintSoon();
      this.context.navigation.change({ call: null });
    } else if (state.chartRange !== null) this.goTo(this.all);
    else this.close();
  }

  private close(): void {
    clearTimeout(this.settling);
    this.focused = null;
    this.context.tooltip.hide();
    this.context.navigation.change({ chart: null, chartRange: null, call: null });
  }
}

function addressOf(tid: Tid | null, window: Bounds | null): string {
  return `${tid} ${window?.startNs} ${window?.endNs}`;
}
