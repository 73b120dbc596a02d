/**
 * Paints the row of a thread: its name, by column of pixels the shares of what it did, stacked, and what is chosen in it.
 */
import type { Bounds } from '../../../analysis/questions.js';
import { ACTIVITIES } from '../../../model/timeline/activity.js';
import type { ColumnWindow } from '../../view/time/columns.js';
import type { CanvasColours } from '../platform/canvas.js';
import { STACKED } from './textures.js';

export const ROW_PX = 19;
export const STRIP_PX = 12;
export const GAP_PX = 2;
const LIGHT_PX = 4;
/** Less is not seen. */
const MIN_PX = 0.02;

/** What all rows have in common. */
export interface RowArea {
  readonly pen: CanvasRenderingContext2D;
  readonly colours: CanvasColours;
  /** Names are left of the columns. */
  readonly namePx: number;
  readonly window: ColumnWindow;
}

/** `topPx`: of the row, as below. */
export function paintName({ pen, colours, namePx }: RowArea, name: string, topPx: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(0, topPx, namePx - 6, ROW_PX);
  pen.clip();
  pen.fillStyle = colours.of('ink');
  pen.fillText(name, 0, topPx + STRIP_PX);
  pen.restore();
}

/** `ns`: by column and activity, the time of so many threads. `fills`: by activity. */
export function paintStrip(
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
export function paintLight(area: RowArea, ns: Float64Array, threads: number, topPx: number): void {
  const { pen, colours, namePx, window } = area;
  const allNs = threads * columnNs(window);
  pen.fillStyle = colours.of('match');
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
export function paintCall({ pen, colours, namePx, window }: RowArea, call: Bounds, topPx: number): void {
  const { startNs, endNs, columns } = window;
  const xOf = (ns: number) => (columns * (ns - startNs)) / (endNs - startNs);
  const [fromPx, toPx] = [xOf(call.startNs), xOf(call.endNs)];
  if (toPx < 0 || fromPx > columns) return;
  const leftPx = Math.max(0, fromPx);
  pen.strokeStyle = colours.of('ink');
  pen.lineWidth = 2;
  pen.strokeRect(namePx + leftPx, topPx + 1, Math.max(2, Math.min(columns, toPx) - leftPx), ROW_PX - 3);
}
