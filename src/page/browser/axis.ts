/**
 * The time axis above the graph: a strip of what each selected thread did, and the time range that is shown.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import { formatCount } from '../../render/format.js';
import type { FrameDetails } from '../../render/frames/frame-details.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';
import type { Tooltip } from '../../render/viewer/tooltip.js';
import { hoveredDetails, rangeNotes, rangeText } from '../view/captions/time.js';
import { arrowsText, wakingDetails } from '../view/captions/wakings.js';
import { stripRows } from '../view/columns.js';
import { memoizeLast } from '../view/memoize-last.js';
import type { State } from '../view/state.js';
import { chosenRow, type ThreadRow } from '../view/threads.js';
import type { Views } from '../view/views.js';
import { type StripArrows, stripArrows } from '../view/waking-index.js';
import type { StackChart } from './chart/stack-chart.js';
import { CanvasColours, paintTicks } from './platform/canvas.js';
import { onResize } from './platform/lifetime.js';
import type { Navigation } from './platform/navigation.js';
import { RangeMarks } from './range-marks.js';
import { MAX_ROWS, Strips } from './strips.js';

const TICKS_PX = 22;
const NARROW_PX = 600;

export class Axis {
  readonly element = html('section', { class: 'axis', 'aria-label': 'Time', hidden: '' });
  private readonly colours = new CanvasColours(this.element, () => this.redraw());
  private readonly ticks = html('canvas', { class: 'ticks', 'aria-hidden': 'true' });
  private readonly shown = html('output', {});
  private readonly zoomIn = button('Zoom time', 'show only the range on the time axis', () => this.zoom(true));
  private readonly zoomOut = button('All time', 'show the entire recording on the time axis', () => this.zoom(false));
  private readonly more: HTMLButtonElement;
  private readonly head = html('div', { class: 'axis-head' });
  private readonly clear = button('Clear range', 'numbers of the entire recording (Esc)', () => this.setRange(null));
  private strips: Strips | null = null;
  private marks!: RangeMarks; // with `strips`
  private timeline!: Timeline; // with `strips`
  private window: Bounds = { startNs: 0, endNs: 1 };
  private state!: State; // with `strips`
  private arrows: StripArrows | null = null;
  /** What the strips were drawn for; empty: they have to be drawn again. */
  private drawn = '';
  /** With what is chosen. */
  private drawnChosen = '';
  private readonly rows = memoizeLast((threads: readonly number[]) =>
    stripRows(
      this.timeline,
      this.views.data,
      threads.map((index) => this.views.threads[index] as ThreadRow),
    ),
  );

  constructor(
    private readonly views: Views,
    private readonly tooltip: Tooltip,
    private readonly navigation: Navigation,
    private readonly chart: StackChart,
    openThreads: () => void,
  ) {
    this.more = button('', 'list all threads', openThreads);
    onResize(this.element, () => requestAnimationFrame(() => this.redraw()));
  }

  show(state: State): void {
    this.state = state;
    const { strips } = this.views;
    if (strips === null || strips.durationNs === 0) return;
    this.strips ??= this.begin(strips);
    this.element.hidden = false;
    this.draw(this.strips);
  }

  private begin(timeline: Timeline): Strips {
    const strips = new Strips(this.views.data, timeline, this.colours);
    this.timeline = timeline;
    this.window = { startNs: 0, endNs: timeline.durationNs };
    this.marks = new RangeMarks(timeline, {
      change: (range, isSameStep) => this.navigation.change({ range }, isSameStep),
      preview: (range) => this.describe(range),
    });
    const area = html('div', { class: 'axis-area' }, this.ticks, strips.element, this.marks.element);
    const buttons = html('div', { class: 'group' }, this.zoomIn, this.zoomOut, this.clear);
    this.more.className = 'link';
    this.head.append(this.shown, buttons);
    this.element.append(area, this.more, this.head);
    area.addEventListener('pointerdown', (event) => this.press(event));
    area.addEventListener('pointermove', (event) => this.hover(event));
    area.addEventListener('pointerleave', () => this.tooltip.hide());
    area.addEventListener('dblclick', () => this.setRange(null));
    return strips;
  }

  /** Draws everything again, as for another width or theme. */
  private redraw(): void {
    this.drawn = this.drawnChosen = '';
    if (this.strips !== null) this.draw(this.strips);
  }

  private draw(strips: Strips): void {
    if (this.element.clientWidth === 0) return;
    const { views, state, window } = this;
    const { threads, hidesIdle, chosen, call } = state;
    const range = views.rangeAt(state);
    const key = JSON.stringify([threads, hidesIdle, window]);
    if (key !== this.drawn) this.drawStrips(strips);
    const chosenKey = JSON.stringify([key, chosen, call]);
    if (chosenKey !== this.drawnChosen) strips.showChosen({ symbol: chosen, call });
    this.drawWakings(strips, range);
    this.drawn = key;
    this.drawnChosen = chosenKey;
    this.marks.show(window, range);
    this.zoomIn.disabled = range === null || isSame(range, window);
    this.zoomOut.disabled = window.startNs === 0 && window.endNs === this.timeline.durationNs;
    this.clear.disabled = range === null;
    this.head.classList.toggle('idle', range === null && this.zoomOut.disabled);
    this.describe(range);
  }

  private drawStrips(strips: Strips): void {
    const { views, state, window, element } = this;
    const { threads, key } = chosenRow(views.threads, views.timeline === null ? 'all' : state.threads, state.hidesIdle);
    const rows = this.rows(`${key} ${state.hidesIdle}`, threads);
    const namePx = element.clientWidth < NARROW_PX ? 92 : 150;
    element.style.setProperty('--names', `${namePx}px`);
    strips.show({ ...window, rows, namePx });
    element.style.setProperty('--bar', `${strips.element.offsetWidth - strips.element.clientWidth}px`);
    const area = { leftPx: namePx, widthPx: strips.widthPx, heightPx: TICKS_PX };
    paintTicks(this.ticks, this.colours, window, area);
    const hidden = rows.length - MAX_ROWS;
    this.more.hidden = hidden <= 0;
    this.more.textContent = `${formatCount(hidden)} more…`;
  }

  private drawWakings(strips: Strips, range: Bounds | null): void {
    this.arrows = this.arrowsOf(strips, range ?? this.window);
    if (this.arrows !== null) strips.showWakings(this.arrows.arrows);
  }

  /** Arrows of a range, as far as the axis shows it; null: nothing is known of wakings. */
  private arrowsOf({ rows, widthPx }: Strips, range: Bounds): StripArrows | null {
    const { wakings } = this.views;
    if (wakings === null) return null;
    const { startNs, endNs } = this.window;
    const shown = { startNs: Math.max(startNs, range.startNs), endNs: Math.min(endNs, range.endNs) };
    const tids = new Set(rows.flatMap(({ tid }) => (tid === null ? [] : [tid])));
    return stripArrows(wakings, tids, shown, (widthPx * (shown.endNs - shown.startNs)) / (endNs - startNs));
  }

  private describe(range: Bounds | null): void {
    if (this.views.timeline === null) {
      this.shown.textContent = 'from the start of each recording: what all its threads did';
      return;
    }
    const text = range === null ? 'drag to choose a time range' : rangeText(range);
    const isKnown = this.timeline.sumsSliceNs !== null;
    const hasOtherWaits = range !== null && this.views.data.waits !== null;
    const waits = hasOtherWaits ? ['waits are shown only without a range'] : [];
    const leftOut = this.views.wakings?.leftOutWithin(range ?? this.window) ?? 0;
    const arrows = this.arrows === null ? [] : [arrowsText(this.arrows, leftOut)];
    this.shown.textContent = [...(isKnown ? [text] : []), ...rangeNotes(this.timeline), ...waits, ...arrows].join(
      ' · ',
    );
  }

  private press(event: PointerEvent): void {
    const isOnAxis = event.clientX >= this.marks.element.getBoundingClientRect().left;
    if (event.button !== 0) return;
    this.tooltip.hide();
    if (!isOnAxis) return this.openChart(event);
    if (this.timeline.sumsSliceNs === null) return this.openArrow(event);
    this.marks.drag(event, (isClick) => {
      if (isClick) this.openArrow(event);
    });
  }

  /** A name opens the stack chart of its thread. */
  private openChart({ clientX, clientY }: PointerEvent): void {
    const tid = this.strips?.at(clientX, clientY)?.row.tid ?? null;
    if (tid !== null && this.views.timeline !== null) this.chart.open(tid);
  }

  private openArrow({ clientX, clientY }: PointerEvent): void {
    const waking = this.strips?.arrowAt(clientX, clientY) ?? null;
    if (waking !== null) this.chart.links.openWait(waking);
  }

  private hover(event: PointerEvent): void {
    const { views, marks, strips } = this;
    const tip = event.buttons === 0 && strips !== null ? axisTip(event, strips, marks, views) : null;
    this.element.classList.toggle('on-name', tip?.isOnName === true);
    if (tip === null) this.tooltip.hide();
    else this.tooltip.show(tip.details, event.clientX, event.clientY);
  }

  private zoom(isIn: boolean): void {
    const range = this.views.rangeAt(this.state);
    this.window = isIn && range !== null ? range : { startNs: 0, endNs: this.timeline.durationNs };
    this.redraw();
  }

  private setRange(range: Bounds | null): void {
    this.navigation.change({ range });
  }
}

function isSame(a: Bounds, b: Bounds): boolean {
  return a.startNs === b.startNs && a.endNs === b.endNs;
}

/**
 * What the tooltip of the time axis says: of an arrow, of the name of a thread, or of what threads did at a moment.
 */
interface AxisTip {
  readonly details: FrameDetails;
  /** A click opens the stack chart of the thread. */
  readonly isOnName: boolean;
}

/** null: the pointer is on nothing. */
function axisTip(
  pointer: PointerEvent,
  strips: Strips,
  marks: RangeMarks,
  { data, strips: shown, timeline }: Views,
): AxisTip | null {
  const { clientX, clientY } = pointer;
  const found = strips.at(clientX, clientY);
  if (found === null || shown === null) return null;
  const waking = strips.arrowAt(clientX, clientY);
  if (waking !== null) return { details: wakingDetails(waking, shown.durationNs), isOnName: false };
  const { row, ns } = found;
  if (row.tid !== null && timeline !== null && clientX < marks.element.getBoundingClientRect().left)
    return { details: { title: row.name, rows: [NAME_HINT] }, isOnName: true };
  const startNs = marks.nsAt(clientX);
  const clockNs = timeline && data.meta.originNs + BigInt(Math.round(timeline.startNs + startNs));
  const column = { startNs, endNs: startNs + strips.columnNs, clockNs };
  const allNs = strips.columnNs * row.threads.length;
  return { details: hoveredDetails({ ...column, name: row.name, ns, allNs }), isOnName: false };
}

const NAME_HINT = { label: '', value: '', note: 'click: its stack chart, calls in the order of time' };
