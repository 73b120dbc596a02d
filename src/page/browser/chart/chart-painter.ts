/**
 * Draws the boxes of a stack chart on a canvas.
 */

import { isComplete } from '../../../model/profile/profile.js';
import { PIECE } from '../../../model/profile/timeline.js';
import type { Bounds, SymbolId } from '../../../model/units.js';
import {
  drawnWidthPx,
  FRAME_PX,
  ROW_PX,
  TEXTURES,
  type Texture,
  textureOfSwatch,
} from '../../../render/frames/drawing.js';
import { fitLabel } from '../../../render/frames/labels.js';
import type { Token } from '../../../render/frames/palette.js';
import { type ChartBoxes, ChartBoxKind, innermostAt } from '../../view/chart/chart-boxes.js';
import type { Views } from '../../view/views.js';
import { type CanvasColours, emptied, paintArrow, tiled } from '../platform/canvas.js';
import type { DrawnChart } from './drawn-chart.js';

const MIN_LABEL_PX = 24;
const TEXT_LEFT_PX = 5;
const BASELINE_PX = 13;
const MAX_LABELS = 20_000;

export class ChartPainter {
  /** By symbol: its CSS variable. */
  private readonly classes: string[] = [];
  private readonly labels = new Map<string, string>();
  private readonly textures = new Map<Texture, CanvasPattern>();
  private font = '';

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly colours: CanvasColours,
    private readonly views: Views,
    private readonly characterPx: number,
  ) {}

  /** The theme changed. */
  forgetColours(): void {
    this.textures.clear();
  }

  paint(picture: ChartPicture): void {
    const { chart, widthPx, heightPx } = picture;
    const { boxes } = chart;
    const pen = emptied(this.canvas, widthPx, heightPx);
    this.font ||= `12px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.font = this.font;
    // calls are above the blocks next to them, which are widened to a pixel
    for (const isCall of [false, true])
      for (let box = 0; box < boxes.length; box++) if (chart.isCall(box) === isCall) this.paintBox(pen, picture, box);
    this.paintRange(pen, picture);
    paintWakings(pen, picture, this.colours);
    for (const box of picture.outlined) if (box !== null) this.outline(pen, picture, box);
  }

  private paintBox(pen: CanvasRenderingContext2D, picture: ChartPicture, box: number): void {
    const { chart, heightPx, isMarked, dimsOthers } = picture;
    const { boxes } = chart;
    const yPx = topOf(picture, box);
    if (yPx <= -ROW_PX || yPx >= heightPx || boxes.row[box] < picture.firstRow) return;
    const { xPx, wholePx } = extentOf(picture, box);
    const isCall = chart.isCall(box);
    const isFound = isCall && isMarked?.(chart.symbolOf(box)) === true;
    const boxPx = drawnWidthPx(wholePx);
    pen.globalAlpha = dimsOthers && !isFound ? 0.4 : 1;
    pen.fillStyle = this.colours.of(isCall ? this.classOf(chart.symbolOf(box)) : 'block');
    pen.fillRect(xPx, yPx, boxPx, FRAME_PX);
    const ofStop = isCall ? textureOfSwatch(this.classOf(chart.symbolOf(box))) : null;
    for (const texture of [ofStop, isHatched(boxes, box) ? 'hatch' : null] as const) {
      if (texture === null || boxPx < 3) continue;
      pen.fillStyle = this.textureOf(pen, texture);
      pen.fillRect(xPx, yPx, boxPx, FRAME_PX);
    }
    pen.globalAlpha = 1;
    if (isFound) this.outline(pen, picture, box, dimsOthers ? 'hit' : 'sel');
    if (boxes.ending[box] === PIECE && isCall) this.paintPiece(pen, xPx, yPx, boxPx);
    if (boxPx >= MIN_LABEL_PX) this.paintLabel(pen, picture, box, xPx, yPx, boxPx);
  }

  /** A dashed line below: the call goes on elsewhere. */
  private paintPiece(pen: CanvasRenderingContext2D, xPx: number, yPx: number, boxPx: number): void {
    pen.fillStyle = this.colours.of('ink');
    for (let dashPx = 0; dashPx < boxPx; dashPx += 6)
      pen.fillRect(xPx + dashPx, yPx + FRAME_PX - 2, Math.min(3, boxPx - dashPx), 2);
  }

  private paintLabel(
    pen: CanvasRenderingContext2D,
    { chart }: ChartPicture,
    box: number,
    xPx: number,
    yPx: number,
    boxPx: number,
  ): void {
    const columns = Math.floor((boxPx - 2 * TEXT_LEFT_PX) / this.characterPx);
    const { name, numbers } = chart.labelOf(box);
    const key = `${chart.isCall(box) ? chart.symbolOf(box) : name} ${numbers[0]} ${columns}`;
    let label = this.labels.get(key);
    if (label === undefined) {
      if (this.labels.size > MAX_LABELS) this.labels.clear();
      this.labels.set(key, (label = fitLabel({ name, numbers }, columns)));
    }
    pen.fillStyle = this.colours.of('ink');
    if (label !== '') pen.fillText(label, xPx + TEXT_LEFT_PX, yPx + BASELINE_PX);
  }

  /** Lines at both ends of the time range. */
  private paintRange(pen: CanvasRenderingContext2D, { range, chart, widthPx, heightPx }: ChartPicture): void {
    if (range === null) return;
    const { window } = chart;
    pen.fillStyle = this.colours.of('sel');
    for (const ns of [range.startNs, range.endNs])
      if (ns > window.startNs && ns < window.endNs)
        pen.fillRect(((ns - window.startNs) * widthPx) / (window.endNs - window.startNs) - 0.5, 0, 1, heightPx);
  }

  private outline(pen: CanvasRenderingContext2D, picture: ChartPicture, box: number, colour: Token = 'ink'): void {
    const { xPx, wholePx } = extentOf(picture, box);
    pen.strokeStyle = this.colours.of(colour);
    pen.lineWidth = 2;
    pen.strokeRect(xPx + 1, topOf(picture, box) + 1, Math.max(2, wholePx - 2), FRAME_PX - 2);
  }

  private classOf(symbol: SymbolId): string {
    return (this.classes[symbol] ??= this.views.classOf(symbol));
  }

  private textureOf(pen: CanvasRenderingContext2D, texture: Texture): CanvasPattern {
    let pattern = this.textures.get(texture);
    if (pattern === undefined) this.textures.set(texture, (pattern = tiled(pen, this.colours, TEXTURES[texture])));
    return pattern;
  }
}

/** Calls without a known start or end, and calls that are not in the file. */
function isHatched({ kind, ending }: ChartBoxes, box: number): boolean {
  if (kind[box] !== ChartBoxKind.Call) return kind[box] === ChartBoxKind.Unlisted;
  return !isComplete(ending[box]) && ending[box] !== PIECE;
}

/**
 * Draws the arrows of wakings in a stack chart: from the label of the waker to the wait, or from what the thread did to the
 * label of the woken thread.
 */
function paintWakings(pen: CanvasRenderingContext2D, picture: ChartPicture, colours: CanvasColours): void {
  const { chart, heightPx } = picture;
  const { waiter, waker } = chart.arrows;
  for (const { waking, xPx } of [...waiter, ...waker]) {
    const box = innermostAt(chart.boxes, waking.wakeNs);
    const yPx = box === null ? -1 : topOf(picture, box);
    if (yPx < 0) continue;
    const [label, end] = [
      { xPx, yPx: 0 },
      { xPx, yPx: Math.min(heightPx, yPx + FRAME_PX / 2) },
    ];
    const isWoken = waking.waiter.tid === chart.thread.tid;
    paintArrow(pen, isWoken ? label : end, isWoken ? end : label, colours, waking.isMaybe);
  }
}

/**
 * A stack chart as it is painted: what is marked, and where each box is on the canvas.
 *
 * How calls are marked.
 */
export interface ChartMarks {
  /** null: nothing is marked. */
  readonly isMarked: ((symbol: SymbolId) => boolean) | null;
  /** What is not marked is paler. */
  readonly dimsOthers: boolean;
  /** The selected call, and the one with the focus or below the pointer. */
  readonly outlined: readonly (number | null)[];
  readonly range: Bounds | null;
}

interface ChartPicture extends ChartMarks {
  readonly chart: DrawnChart;
  readonly widthPx: number;
  readonly heightPx: number;
  /** How far it is scrolled. */
  readonly topPx: number;
  /** The outermost rows are left out. */
  readonly firstRow: number;
}

const MIN_BOX_PX = 1;

/** Returns the top of a box. */
function topOf({ chart, topPx, firstRow }: ChartPicture, box: number): number {
  return (chart.boxes.row[box] - firstRow) * ROW_PX - topPx;
}

/** Returns the part of a box that is in the window. */
function extentOf({ chart, widthPx }: ChartPicture, box: number) {
  const { boxes, window } = chart;
  const pxPerNs = widthPx / (window.endNs - window.startNs);
  const xPx = Math.max(0, (boxes.startNs[box] - window.startNs) * pxPerNs);
  const endPx = Math.min(widthPx, (boxes.endNs[box] - window.startNs) * pxPerNs);
  return { xPx, wholePx: Math.max(MIN_BOX_PX, endPx - xPx) };
}
