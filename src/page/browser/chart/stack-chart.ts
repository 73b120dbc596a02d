/**
 * The stack chart of a thread: its calls in the order of time, callees below their callers.
 */
import type { Tid } from '../../../model/units.js';
import { ROW_PX } from '../../../render/frames/drawing.js';
import { detailsText, type FrameDetails } from '../../../render/frames/frame-details.js';
import { htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';
import type { Tooltip } from '../../../render/viewer/tooltip.js';
import { neighbourOf } from '../../view/chart/chart-boxes.js';
import { type ChartThread, chartThread, clampedWindow, windowAround } from '../../view/chart/chart-thread.js';
import { memoizeLast } from '../../view/memoize-last.js';
import type { State } from '../../view/state.js';
import { titleOf } from '../../view/threads.js';
import type { Views } from '../../view/views.js';
import type { Role, Waking } from '../../view/waking-index.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Action, Menu } from '../menu.js';
import type { Navigation } from '../platform/navigation.js';
import { announce, copyText } from '../platform/save.js';
import type { ServedCalls } from '../served-calls.js';
import { AddressedWindow } from './addressed-window.js';
import { ChartArea } from './chart-area.js';
import { ChartHead, chartKey, WakingLinks } from './chart-head.js';
import type { ChartMarks } from './chart-painter.js';
import { AimedBoxes, DrawnChart } from './drawn-chart.js';

export interface ChartContext {
  readonly views: Views;
  readonly navigation: Navigation;
  readonly actions: FrameActions;
  readonly tooltip: Tooltip;
  readonly menu: Menu;
  readonly characterPx: number;
  /** null: the page is a file. */
  readonly served: ServedCalls | null;
}

/** Part of the view that a key moves it by. */
const KEY_PART = 0.25;
const KEY_ROWS = 3;

export class StackChart {
  readonly element: HTMLElement;
  readonly links: WakingLinks;
  private readonly head = new ChartHead(this);
  private readonly area: ChartArea;
  private readonly window: AddressedWindow;
  private readonly aim = new AimedBoxes();
  private readonly spoken = html('output', { class: 'spoken' });
  private readonly threadOf = memoizeLast((tid: Tid) => this.readThread(tid));
  private thread: ChartThread | null = null;
  private chart!: DrawnChart; // with `thread`
  hidesCallers = false;
  private isOver = false;
  /** The box below the pointer, as it is outlined. */
  private outlined: number | null = null;
  private pendingFrame = 0;

  constructor(private readonly context: ChartContext) {
    this.window = new AddressedWindow(context.navigation, () => this.moved());
    this.links = new WakingLinks(context.views, context.navigation, () => this.drawn);
    this.area = new ChartArea(context, this.window, this);
    this.element = html('section', { class: 'stack-chart', 'aria-label': 'Stack chart', hidden: '' });
    this.element.append(this.head.element, this.area.element, this.spoken);
  }

  get isOpen(): boolean {
    return this.thread !== null;
  }

  /** What is drawn; null: no chart is open. */
  get drawn(): DrawnChart | null {
    return this.thread && this.chart;
  }

  /** Opens the chart of a thread, where the time range is. */
  open(chart: Tid): void {
    const { navigation, views } = this.context;
    navigation.change({ chart, chartRange: views.rangeAt(navigation.state), call: null });
  }

  /** Draws the chart of a state. */
  show(state: State): void {
    const { views } = this.context;
    this.thread = state.chart === null || views.timeline === null ? null : this.threadOf(`${state.chart}`, state.chart);
    this.window.show(this.thread, state.chartRange);
    this.element.hidden = this.thread === null;
    this.element.classList.toggle('sized', state.graphShare !== null);
    this.element.style.setProperty('--share', `${state.graphShare ?? 0}%`);
    if (this.thread === null) return this.context.served?.stop();
    const { tid } = this.thread;
    this.area.showLanes((role) => views.wakings?.has(tid, role) === true);
    this.draw();
    this.describe();
    if (this.aim.selected !== null) this.area.reveal(this.aim.selected);
  }

  /** Draws it again, for other colours; or calls arrived from the server, or will not arrive. */
  redraw(): void {
    if (this.thread === null) return;
    this.draw();
    this.describe();
  }

  /** Selects a call of the table; one that is selected fills the view. */
  choose(box: number): void {
    if (this.isSelected(box)) this.zoomTo(box);
    else this.select(box);
  }

  isSelected(box: number): boolean {
    return box === this.aim.selected;
  }

  /** Opens the menu of a box at a point of the window. `back`: returns the focus. */
  openMenuOf(box: number, xPx: number, yPx: number, back: () => void): void {
    this.context.tooltip.hide();
    this.context.menu.open(this.detailsOf(box).title, this.actionsOf(box), xPx, yPx, back);
  }

  /** Handles a key if it is meant for the chart; returns false for others. */
  press(event: KeyboardEvent): boolean {
    const { window, area } = this;
    if (this.thread === null || !(area.hasFocus || this.isOver)) return false;
    window.settle(); // draws what the wheel has just zoomed to: boxes have other numbers then
    const act = chartKey(event, area.hasFocus, this);
    act?.();
    return act !== null;
  }

  showAll(): void {
    this.window.goTo(this.window.all);
  }

  useAsRange(): void {
    this.context.navigation.change({ range: this.window.address });
  }

  toggleCallers(): void {
    this.hidesCallers = !this.hidesCallers;
    this.drawSoon();
    this.describe();
  }

  jump(isEnd: boolean): void {
    this.window.jump(isEnd);
  }

  private get firstRow(): number {
    return this.hidesCallers ? this.chart.commonRows : 0;
  }

  private readThread(tid: Tid): ChartThread | null {
    const { data, timeline } = this.context.views;
    this.aim.blur();
    return timeline && chartThread(data, timeline, tid);
  }

  /** The box that keys act on: the one below the pointer, unless keys were used since it moved. */
  private get aimed(): number | null {
    return this.area.pointedBox ?? this.aim.focused ?? this.aim.selected;
  }

  private moved(): void {
    this.context.tooltip.hide();
    this.drawSoon();
  }

  drawSoon(): void {
    this.pendingFrame ||= requestAnimationFrame(() => {
      this.pendingFrame = 0;
      if (this.isOpen) this.draw();
    });
  }

  private draw(): void {
    const thread = this.thread as ChartThread;
    const { views, navigation } = this.context;
    const { aim, area } = this;
    const { state } = navigation;
    const { bounds } = this.window;
    const pixelNs = (bounds.endNs - bounds.startNs) / area.widthPx;
    const known = this.context.served?.threadIn(thread, bounds, pixelNs) ?? thread;
    const chart = new DrawnChart(views, known, bounds, area.widthPx);
    this.chart = chart;
    aim.show(chart.boxes, state.call?.tid === thread.tid ? state.call : null);
    area.place(chart, this.firstRow);
    this.outlined = area.pointedBox;
    area.paint({
      ...this.marksOf(state),
      outlined: [aim.selected, this.outlined ?? (area.hasFocus ? aim.focused : null)],
      range: views.rangeAt(state),
    });
  }

  /** What the search finds is marked, else the selected function. */
  private marksOf(state: State): Pick<ChartMarks, 'isMarked' | 'dimsOthers'> {
    const { isMatch } = this.context.views.namesAt(state);
    if (isMatch) return { isMarked: (symbol) => isMatch[symbol] === true, dimsOthers: true };
    return { isMarked: state.chosen === null ? null : (symbol) => symbol === state.chosen, dimsOthers: false };
  }

  private describe(): void {
    const { chart, window, context } = this;
    if (this.thread === null) return;
    const { caption, commonRows } = chart;
    const { tid } = chart.thread;
    const row = context.views.threads.find(({ key }) => key === `tid:${tid}`);
    const title = `Stack chart: ${row === undefined ? tid : titleOf(row)}`;
    this.head.show(title, caption, commonRows, window.address === null, context.views.timeline?.sumsSliceNs !== null);
    this.head.showProblem(context.served?.fault ?? null);
    setAttributes(this.area.scroller, {
      'aria-label': `${title}: ${caption}. Arrow keys move between calls; the tab Calls lists them.`,
    });
  }

  zoom(factor: number): void {
    const { window, aim } = this;
    const { startNs, endNs } = aim.focused === null ? window.bounds : this.chart.visibleBounds(aim.focused);
    window.goToZoomed(factor, (startNs + endNs) / 2);
  }

  private zoomTo(box: number): void {
    const { window, chart } = this;
    const around = windowAround(chart.boundsOf(box), window.all.endNs);
    window.goTo(around, chart.isCall(box) ? { call: chart.callOf(box) } : {});
  }

  private focus(box: number): void {
    this.aim.focus({ ...this.chart.callOf(box), row: this.chart.boxes.row[box] });
  }

  private select(box: number): void {
    this.focus(box);
    this.context.navigation.change({ call: this.chart.callOf(box) });
  }

  /** By steps of keys. */
  moveBy(x: number, y: number): void {
    const { startNs, endNs } = this.window.bounds;
    this.area.scrollBy(y * KEY_ROWS);
    if (x !== 0) this.window.move(x * KEY_PART * (endNs - startNs));
    else this.drawSoon();
  }

  hover(event: MouseEvent): void {
    if (!this.isOpen) return;
    this.isOver = true;
    const box = this.area.pointedBox;
    if (box !== this.outlined) this.drawSoon();
    this.area.aim(box);
    if (box === null) this.context.tooltip.hide();
    else this.context.tooltip.show(this.detailsOf(box), event.clientX, event.clientY);
  }

  leave(): void {
    this.isOver = false;
    this.context.tooltip.hide();
    this.drawSoon();
  }

  click(event: PointerEvent): void {
    const box = this.area.boxBelow(event);
    this.area.focus();
    this.context.tooltip.hide();
    if (box !== null) this.zoomTo(box);
  }

  private readonly details = memoizeLast((box: number) => this.chart.detailsOf(box));

  private detailsOf(box: number): FrameDetails {
    const { tid, startNs, endNs } = this.chart.callOf(box);
    const { boxes, pixelNs, thread } = this.chart;
    const { why, belowNs } = thread.unlisted;
    return this.details([tid, boxes.row[box], startNs, endNs, pixelNs, why, belowNs].join(' '), box);
  }

  /** Moves the focus to the next call; at the edge, the view moves. */
  step(key: string): void {
    const { aim, area, chart } = this;
    const from = aim.focused ?? aim.selected;
    const box = from === null ? chart.firstCall(this.firstRow) : neighbourOf(chart.boxes, from, key);
    if (box === null) {
      const direction = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (direction !== undefined) this.moveBy(direction, 0);
      return;
    }
    area.forgetPointer();
    this.focus(box);
    area.reveal(box);
    this.draw();
    this.showFocused(box);
  }

  private showFocused(box: number): void {
    const details = this.detailsOf(box);
    const { xPx, yPx } = this.area.positionOf(box);
    this.context.tooltip.show(details, xPx, yPx + ROW_PX - 8);
    showText(this.spoken, detailsText(details));
  }

  /** Of the box that keys act on. */
  get actions(): readonly Action[] {
    return this.aimed === null ? [] : this.actionsOf(this.aimed);
  }

  private actionsOf(box: number): Action[] {
    const { navigation, actions, views } = this.context;
    const { chart, window } = this;
    const isCall = chart.isCall(box);
    const setRange = () =>
      navigation.change({ range: window.addressOf(clampedWindow(chart.boundsOf(box), window.all.endNs)) });
    return [
      { text: 'Zoom', key: 'Enter', act: () => this.zoomTo(box) },
      ...(views.timeline?.sumsSliceNs == null ? [] : [{ text: 'Use as range', key: 't', act: setRange }]),
      ...(isCall ? [{ text: 'Mark call', key: 'k', act: () => this.select(box) }] : []),
      ...this.links.actionsOf(chart, box, (waking, role) => this.follow(waking, role)),
      ...(isCall ? actions.ofFunction(chart.symbolOf(box)) : []),
      ...(isCall ? [{ text: 'Copy stack', key: 'c', act: () => copyStack(chart.stackOf(box)) }] : []),
    ];
  }

  /** The next key acts on what the other thread did, not on what happens to be below the pointer there. */
  follow(waking: Waking, role: Role): void {
    this.area.forgetPointer();
    this.links.follow(waking, role);
    this.area.focus();
  }

  openMenu(): void {
    const box = this.aimed;
    if (box === null) return;
    const { xPx, yPx } = this.area.positionOf(box);
    this.openMenuOf(box, xPx, yPx + ROW_PX, () => this.area.focus());
  }

  openMenuAt(event: MouseEvent): void {
    this.hover(event);
    const { pointedBox } = this.area;
    if (pointedBox !== null) this.openMenuOf(pointedBox, event.clientX, event.clientY, () => this.area.focus());
  }

  /** One step per key press: first the selected call, then the zoom, then the chart. */
  goBack(): void {
    const { navigation, tooltip } = this.context;
    const { state } = navigation;
    tooltip.hide();
    if (state.call !== null || this.aim.hasFocused) {
      this.aim.blur();
      this.drawSoon();
      navigation.change({ call: null });
    } else if (state.chartRange !== null) this.window.goTo(this.window.all);
    else this.close();
  }

  close(): void {
    this.aim.blur();
    this.context.tooltip.hide();
    this.window.close();
  }
}

function copyStack(text: string): void {
  void copyText(text).then(() => announce('stack copied'));
}
