/**
 * Draws the times along a time axis.
 */
import type { Bounds } from '../../../model/units.js';
import { ticksOf } from '../../view/captions/time.js';
import { type CanvasColours, emptied } from './canvas.js';

const DISTANCE_PX = 90;
const MARK_PX = 5;

/** `leftPx`: where the window begins. */
export function paintTicks(
  canvas: HTMLCanvasElement,
  colours: CanvasColours,
  window: Bounds,
  { leftPx, widthPx, heightPx }: { readonly leftPx: number; readonly widthPx: number; readonly heightPx: number },
): void {
  const pen = emptied(canvas, leftPx + widthPx, heightPx);
  const pxPerNs = widthPx / (window.endNs - window.startNs);
  pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  pen.fillStyle = colours.of('quiet');
  for (const { ns, text } of ticksOf(window, DISTANCE_PX / pxPerNs)) {
    const xPx = leftPx + (ns - window.startNs) * pxPerNs;
    pen.fillRect(xPx, heightPx - MARK_PX, 1, MARK_PX);
    const lastPx = leftPx + widthPx - pen.measureText(text).width;
    pen.fillText(text, Math.min(xPx + 3, lastPx), heightPx - MARK_PX - 1);
  }
}
