/**
 * Draws the strips of threads on a canvas, and on another one above it arrows between them. Only rows in view are drawn.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity, activityOf } from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import { TEXTURES, textureOfSwatch } from '../../render/frames/drawing.js';
import type { Token } from '../../render/frames/palette.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { PageData } from '../data/page-data.js';
import type { StripRow } from '../view/columns.js';
import { activityColumns, type ColumnWindow, insideFunction, lightColumns } from '../view/columns.js';
import { memoizeLast } from '../view/memoize-last.js';
import type { ChosenCall } from '../view/state.js';
import type { Waking } from '../view/waking-index.js';
import { type CanvasColours, distancePx, emptied, type Point, paintArrow, tiled } from './platform/canvas.js';

export interface StripsView extends Bounds {
  readonly rows: readonly StripRow[];
  readonly chosen: SymbolId | null;
  readonly call: ChosenCall | null;
  readonly namePx: number;
}

export class Strips {
  readonly element = html('div', { class: 'strips' });
  /** By activity; set by `show`. */
  fills: CanvasPattern[] = [];
  private readonly canvas = html('canvas', { role: 'img' });
  /** Apart from the strips, so that another range does not draw them again. */
  private readonly overlay = html('canvas', { class: 'arrows', 'aria-hidden': 'true', hidden: '' });
  private readonly layers = html('div', { class: 'strips-layers' }, this.canvas);
  private readonly spacer = html('div', { class: 'strips-rows' }, this.layers);
  private wakings: readonly Waking[] = [];
  private readonly data: PageData;
  private readonly timeline: Timeline;
  private readonly colours: CanvasColours;
  /** By thread. */
  private rowOf: ReadonlyMap<Tid | null, number> = new Map();
  private readonly known = new Map<string, Float64Array>();
  private readonly activity: Uint8Array; // by node of the shape
  private readonly inside = memoizeLast((chosen: SymbolId) => insideFunction(this.data.shape, chosen));
  private view!: StripsView; // set by the first draw
  private knownKey = '';

  constructor(data: PageData, timeline: Timeline, colours: CanvasColours) {
    this.data = data;
    this.timeline = timeline;
    this.colours = colours;
    this.activity = Uint8Array.from(data.shape.symbol, activityOf);
    this.element.append(this.spacer);
    this.element.addEventListener('scroll', () => {
      this.paint();
      this.paintWakings();
    });
  }

  /** Of the columns, right of the names. */
  get widthPx(): number {
    return Math.max(1, this.element.clientWidth - this.view.namePx);
  }

  /** How much time a column of pixels shows. */
  get columnNs(): Nanoseconds {
    return (this.view.endNs - this.view.startNs) / this.widthPx;
  }

  get rows(): readonly StripRow[] {
    return this.view.rows;
  }

  show(view: StripsView): void {
    this.view = view;
    const isScrolled = view.rows.length > MAX_ROWS;
    this.element.style.height = `${Math.min(MAX_ROWS, view.rows.length) * ROW_PX}px`;
    this.spacer.style.height = `${view.rows.length * ROW_PX}px`;
    if (isScrolled) this.element.tabIndex = 0;
    else this.element.removeAttribute('tabindex');
    this.canvas.setAttribute('aria-label', `What ${view.rows[0]?.name ?? 'no thread'} did; see the threads table`);
    this.fills = textures(this.colours);
    this.rowOf = new Map(view.rows.map(({ tid }, row) => [tid, row]));
    this.paint();
  }

  /** Returns the row at a position of the window, and the time of each activity in the column there. */
  at(xPx: number, yPx: number): { readonly row: StripRow; readonly ns: Float64Array } | null {
    const { top } = this.spacer.getBoundingClientRect();
    const index = Math.floor((yPx - top) / ROW_PX);
    const row = this.view.rows[index];
    const column = Math.floor(xPx - this.element.getBoundingClientRect().left - this.view.namePx);
    if (row === undefined || column >= this.widthPx) return null;
    const from = Math.max(0, column) * ACTIVITIES;
    return { row, ns: this.columnsOf(row).slice(from, from + ACTIVITIES) };
  }

  /** Draws arrows between strips, after these. */
  showWakings(wakings: readonly Waking[]): void {
    this.wakings = wakings;
    if (this.overlay.parentNode === null) this.layers.append(this.overlay);
    this.overlay.hidden = wakings.length === 0;
    this.paintWakings();
  }

  private paintWakings(): void {
    if (this.overlay.hidden) return;
    const { element, wakings } = this;
    const pen = emptied(this.overlay, element.clientWidth, element.clientHeight);
    for (const waking of wakings) {
      const [from, to] = this.endsOf(waking).map(({ xPx, yPx }) => ({ xPx, yPx: yPx - element.scrollTop }));
      if (from && to) paintArrow(pen, from, to, this.colours, waking.isMaybe);
    }
  }

  /** Returns the arrow at a position of the window; null: none. */
  arrowAt(xPx: number, yPx: number): Waking | null {
    const { left, top } = this.spacer.getBoundingClientRect();
    const point = { xPx: xPx - left, yPx: yPx - top };
    let nearest: Waking | null = null;
    let leastPx = ARROW_PX;
    for (const waking of this.wakings) {
      const [from, to] = this.endsOf(waking);
      const farPx = distancePx(point, from, to);
      if (farPx < leastPx) [nearest, leastPx] = [waking, farPx];
    }
    return nearest;
  }

  /** From the waker's strip at the waking to the waiter's where it runs again, below the top of all rows. */
  private endsOf({ waker, waiter, wakeNs, runNs }: Waking): [Point, Point] {
    const { startNs, endNs, columns } = this.window;
    const pointOf = (tid: Tid, ns: Nanoseconds): Point => {
      const xPx = this.view.namePx + (columns * (Math.min(endNs, Math.max(startNs, ns)) - startNs)) / (endNs - startNs);
      return { xPx, yPx: (this.rowOf.get(tid) as number) * ROW_PX + (GAP_PX + STRIP_PX) / 2 };
    };
    return [pointOf(waker.tid, wakeNs), pointOf(waiter.tid, runNs)];
  }

  private get window(): ColumnWindow {
    const { startNs, endNs } = this.view;
    return { startNs, endNs, columns: Math.ceil(this.widthPx) };
  }

  private paint(): void {
    const { element, view } = this;
    const heightPx = Math.min(element.clientHeight, view.rows.length * ROW_PX);
    const pen = emptied(this.canvas, element.clientWidth, heightPx);
    pen.font = `12px ${getComputedStyle(element).fontFamily}`;
    const area = { pen, colours: this.colours, namePx: view.namePx, window: this.window };
    const first = Math.floor(element.scrollTop / ROW_PX);
    const end = Math.min(view.rows.length, Math.ceil((element.scrollTop + heightPx) / ROW_PX));
    for (let index = first; index < end; index++) {
      const row = view.rows[index] as StripRow;
      const topPx = index * ROW_PX - element.scrollTop;
      paintName(area, row.name, topPx);
      paintStrip(area, this.columnsOf(row), row.threads.length, this.fills, topPx);
      if (view.chosen !== null) paintLight(area, this.lightsOf(row), row.threads.length, topPx);
      if (view.call !== null && view.call.tid === row.tid) paintCall(area, view.call, topPx);
    }
  }

  private columnsOf(row: StripRow): Float64Array {
    return this.cached(`${row.tid}`, () => activityColumns(this.timeline, row.threads, this.activity, this.window));
  }

  private lightsOf({ tid, threads }: StripRow): Float64Array {
    const chosen = this.view.chosen as SymbolId;
    const inside = this.inside(`${chosen}`, chosen);
    return this.cached(`${tid} ${chosen}`, () => {
      const sum = new Float64Array(this.window.columns);
      for (const thread of threads)
        lightColumns(this.timeline, thread, inside, this.window).forEach((ns, at) => {
          sum[at] = (sum[at] as number) + ns;
        });
      return sum;
    });
  }

  private cached(key: string, compute: () => Float64Array): Float64Array {
    const { startNs, endNs, columns } = this.window;
    const knownKey = `${startNs} ${endNs} ${columns} ${this.view.chosen} ${this.view.rows.length}`;
    if (knownKey !== this.knownKey) this.known.clear();
    this.knownKey = knownKey;
    let known = this.known.get(key);
    if (known === undefined) this.known.set(key, (known = compute()));
    return known;
  }
}

/** Others are reached by scrolling. */
export const MAX_ROWS = 7;
/** An arrow is hit from this near. */
const ARROW_PX = 4;

/**
 * Paints the row of a thread: its name, by column of pixels the shares of what it did, stacked, and what is chosen in it.
 */
const ROW_PX = 18;
const STRIP_PX = 12;
const GAP_PX = 2;
const LIGHT_PX = 4;
/** Less is not seen. */
const MIN_PX = 0.02;

/** What all rows have in common. */
interface RowArea {
  readonly pen: CanvasRenderingContext2D;
  readonly colours: CanvasColours;
  /** Names are left of the columns. */
  readonly namePx: number;
  readonly window: ColumnWindow;
}

/** `topPx`: of the row, as below. */
function paintName({ pen, colours, namePx }: RowArea, name: string, topPx: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(0, topPx, namePx - 6, ROW_PX);
  pen.clip();
  pen.fillStyle = colours.of('ink');
  pen.fillText(name, 0, topPx + STRIP_PX);
  pen.restore();
}

/** `ns`: by column and activity, the time of so many threads. `fills`: by activity. */
function paintStrip(
  area: RowArea,
  ns: Float64Array,
  threads: number,
  fills: readonly CanvasPattern[],
  topPx: number,
): void {
  const { pen, colours, namePx, window } = area;
  const { columns } = window;
  const endPx = topPx + GAP_PX / 2 + STRIP_PX;
  const allNs = threads * columnNs(window);
  for (let column = 0; column < columns; column++) {
    let bottomPx = endPx;
    for (const activity of STACKED) {
      const heightPx = (STRIP_PX * (ns[column * ACTIVITIES + activity] as number)) / allNs;
      if (heightPx < MIN_PX) continue;
      pen.fillStyle = fills[activity] as CanvasPattern;
      pen.fillRect(namePx + column, bottomPx - heightPx, 1, heightPx);
      bottomPx -= heightPx;
    }
  }
  pen.fillStyle = colours.of('line');
  pen.fillRect(namePx, endPx, columns, 1);
}

/** Shows below a strip where its threads were in a function. `ns`: by column, how long. */
function paintLight(area: RowArea, ns: Float64Array, threads: number, topPx: number): void {
  const { pen, colours, namePx, window } = area;
  const allNs = threads * columnNs(window);
  pen.fillStyle = colours.of('sel');
  for (let column = 0; column < window.columns; column++) {
    const share = Math.min(1, (ns[column] as number) / allNs);
    if (share === 0) continue;
    pen.globalAlpha = 0.3 + 0.7 * share;
    pen.fillRect(namePx + column, topPx + GAP_PX / 2 + STRIP_PX, 1, LIGHT_PX);
  }
  pen.globalAlpha = 1;
}

function columnNs({ startNs, endNs, columns }: ColumnWindow): number {
  return (endNs - startNs) / columns;
}

/** Frames a call. */
function paintCall({ pen, colours, namePx, window }: RowArea, call: Bounds, topPx: number): void {
  const { startNs, endNs, columns } = window;
  const xOf = (ns: number) => (columns * (ns - startNs)) / (endNs - startNs);
  const [fromPx, toPx] = [xOf(call.startNs), xOf(call.endNs)];
  if (toPx < 0 || fromPx > columns) return;
  const leftPx = Math.max(0, fromPx);
  pen.strokeStyle = colours.of('ink');
  pen.lineWidth = 2;
  pen.strokeRect(namePx + leftPx, topPx + 1, Math.max(2, Math.min(columns, toPx) - leftPx), ROW_PX - 3);
}

/** By `Activity`. */
const LOOKS: readonly Token[] = ['running', 'syscall', 'untraced', 'off-cpu', 'preempted', 'lost'];

/**
 * Fills for what threads do: a colour and a texture, so that they can be told apart without colours, too.
 *
 * Returns by `Activity` its fill.
 */
function textures(colours: CanvasColours): CanvasPattern[] {
  const pen = html('canvas', {}).getContext('2d') as CanvasRenderingContext2D;
  return LOOKS.map((look) => {
    const texture = textureOfSwatch(look);
    return tiled(pen, colours, texture === null ? '' : TEXTURES[texture], look);
  });
}

/** In the order in which they are stacked, from the bottom. */
const STACKED: readonly number[] = [
  Activity.Running,
  Activity.Syscall,
  Activity.Untraced,
  Activity.Preempted,
  Activity.OffCpu,
  Activity.Lost,
];
