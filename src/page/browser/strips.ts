/**
 * Draws the strips of threads on a canvas, and on others above it what is chosen in them and arrows between them, so that
 * another choice does not draw the strips again. Only rows in view are drawn.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity, activityOf } from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import { TEXTURES, textureOfSwatch } from '../../render/frames/drawing.js';
import type { Token } from '../../render/frames/palette.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { PageData } from '../data/page-data.js';
import type { StripRow, StripThread } from '../view/columns.js';
import { activityColumns, type ColumnWindow, fullNs, insideFunction, lightColumns } from '../view/columns.js';
import { memoizeLast } from '../view/memoize-last.js';
import type { ChosenCall } from '../view/state.js';
import type { Waking } from '../view/waking-index.js';
import { type CanvasColours, distancePx, emptied, type Point, paintArrow, tiled } from './platform/canvas.js';

export interface StripsView extends Bounds {
  readonly rows: readonly StripRow[];
  readonly namePx: number;
}

export interface ChosenInStrips {
  readonly symbol: SymbolId | null;
  readonly call: ChosenCall | null;
}

export class Strips {
  readonly element = html('div', { class: 'strips' });
  /** By activity; set by `show`. */
  fills: CanvasPattern[] = [];
  private readonly canvas = html('canvas', { role: 'img' });
  private readonly lights = html('canvas', { class: 'overlay', 'aria-hidden': 'true', hidden: '' });
  private readonly arrows = html('canvas', { class: 'overlay', 'aria-hidden': 'true', hidden: '' });
  private readonly layers = html('div', { class: 'strips-layers' }, this.canvas, this.lights, this.arrows);
  private readonly spacer = html('div', { class: 'strips-rows' }, this.layers);
  private wakings: readonly Waking[] = [];
  /** By thread. */
  private rowOf: ReadonlyMap<Tid | null, number> = new Map();
  private readonly known = new Map<Tid | null, Float64Array>();
  private readonly knownLights = new Map<StripThread, Float64Array>();
  private readonly activity: Uint8Array; // by node of the shape
  private readonly inside = memoizeLast((chosen: SymbolId) => insideFunction(this.data.shape, chosen));
  private view!: StripsView; // set by the first draw
  private chosen: ChosenInStrips = { symbol: null, call: null };
  private knownKey = '';
  private knownLightsKey = '';

  constructor(
    private readonly data: PageData,
    private readonly timeline: Timeline,
    private readonly colours: CanvasColours,
  ) {
    this.activity = Uint8Array.from(data.shape.symbol, activityOf);
    this.element.append(this.spacer);
    this.element.addEventListener('scroll', () => {
      this.paint();
      this.paintChosen();
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

  /** Shows where threads were in a function, and frames a call; after the strips. */
  showChosen(chosen: ChosenInStrips): void {
    this.chosen = chosen;
    this.lights.hidden = (chosen.symbol ?? chosen.call) === null;
    this.paintChosen();
  }

  /** Draws arrows between strips, after these. */
  showWakings(wakings: readonly Waking[]): void {
    this.wakings = wakings;
    this.arrows.hidden = wakings.length === 0;
    this.paintWakings();
  }

  private paintWakings(): void {
    if (this.arrows.hidden) return;
    const { element, wakings } = this;
    const pen = emptied(this.arrows, element.clientWidth, element.clientHeight);
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
    const pen = this.emptied(this.canvas);
    pen.font = `12px ${getComputedStyle(this.element).fontFamily}`;
    const area = this.areaOf(pen);
    const call = this.data.trigger?.call; // a snapshot was taken of it
    this.eachRow((row, topPx) => {
      paintName(area, row.name, topPx);
      const ns = this.columnsOf(row);
      paintStrip(area, ns, fullNs(ns, columnNs(this.window)), this.fills, topPx);
      if (call?.tid === row.tid) paintCall(area, call, topPx);
    });
  }

  private paintChosen(): void {
    if (this.lights.hidden) return;
    const { symbol, call } = this.chosen;
    const area = this.areaOf(this.emptied(this.lights));
    this.eachRow((row, topPx) => {
      if (symbol !== null) paintLight(area, this.lightsOf(row, symbol), row.threads.length, topPx);
      if (call?.tid === row.tid) paintCall(area, call, topPx);
    });
  }

  private emptied(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    return emptied(canvas, this.element.clientWidth, this.heightPx);
  }

  private areaOf(pen: CanvasRenderingContext2D): RowArea {
    return { pen, colours: this.colours, namePx: this.view.namePx, window: this.window };
  }

  private get heightPx(): number {
    return Math.min(this.element.clientHeight, this.view.rows.length * ROW_PX);
  }

  /** Draws the rows that are in view. */
  private eachRow(draw: (row: StripRow, topPx: number) => void): void {
    const { rows } = this.view;
    const { scrollTop } = this.element;
    const end = Math.min(rows.length, Math.ceil((scrollTop + this.heightPx) / ROW_PX));
    for (let index = Math.floor(scrollTop / ROW_PX); index < end; index++)
      draw(rows[index] as StripRow, index * ROW_PX - scrollTop);
  }

  private columnsOf({ tid, threads }: StripRow): Float64Array {
    const { known, window } = this;
    const key = `${keyOf(window)} ${this.view.rows.length}`;
    if (key !== this.knownKey) known.clear();
    this.knownKey = key;
    return orMade(known, tid, () => activityColumns(this.timeline, threads, this.activity, window));
  }

  private lightsOf({ threads }: StripRow, symbol: SymbolId): Float64Array {
    const { knownLights, window, timeline } = this;
    const inside = this.inside(`${symbol}`, symbol);
    const key = `${keyOf(window)} ${symbol}`;
    if (key !== this.knownLightsKey) knownLights.clear();
    this.knownLightsKey = key;
    const sum = new Float64Array(window.columns);
    for (const thread of threads)
      orMade(knownLights, thread, () => lightColumns(timeline, thread, inside, window)).forEach((ns, at) => {
        sum[at] = (sum[at] as number) + ns;
      });
    return sum;
  }
}

function keyOf({ startNs, endNs, columns }: ColumnWindow): string {
  return `${startNs} ${endNs} ${columns}`;
}

function orMade<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
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

/** `ns`: by column and activity; `fullNs`: a column's that is as high as the strip. `fills`: by activity. */
function paintStrip(
  area: RowArea,
  ns: Float64Array,
  fullNs: Nanoseconds,
  fills: readonly CanvasPattern[],
  topPx: number,
): void {
  const { pen, colours, namePx, window } = area;
  const { columns } = window;
  const endPx = topPx + GAP_PX / 2 + STRIP_PX;
  for (let column = 0; column < columns; column++) {
    let bottomPx = endPx;
    for (const activity of STACKED) {
      const heightPx = (STRIP_PX * (ns[column * ACTIVITIES + activity] as number)) / fullNs;
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
