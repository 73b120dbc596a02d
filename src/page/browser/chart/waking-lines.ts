/**
 * Draws the arrows of wakings in a stack chart: from the label of the waker to the wait, or from what the thread did to the
 * label of the woken thread.
 */
import { FRAME_PX } from '../../../render/frames/drawing.js';
import { innermostAt } from '../../view/chart/call-at.js';
import { paintArrow } from '../platform/arrows.js';
import type { CanvasColours } from '../platform/canvas.js';
import { type ChartPicture, topOf } from './chart-picture.js';

export function paintWakings(pen: CanvasRenderingContext2D, picture: ChartPicture, colours: CanvasColours): void {
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
