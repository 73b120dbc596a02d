/**
 * Draws arrows on canvases; a halo lifts them off whatever is below.
 */
import type { CanvasColours } from './canvas.js';

export interface Point {
  readonly xPx: number;
  readonly yPx: number;
}

const HEAD_PX = 6;
const LINE_PX = 1.5;
const HALO_PX = 1;

/** `isMaybe`: dashed. */
export function paintArrow(
  pen: CanvasRenderingContext2D,
  from: Point,
  to: Point,
  colours: CanvasColours,
  isMaybe: boolean,
): void {
  const line = new Path2D();
  line.moveTo(from.xPx, from.yPx);
  line.lineTo(to.xPx, to.yPx);
  const head = headOf(from, to);
  pen.lineJoin = 'round';
  pen.strokeStyle = colours.of('page');
  pen.lineWidth = LINE_PX + 2 * HALO_PX;
  pen.stroke(line);
  pen.lineWidth = 2 * HALO_PX;
  pen.stroke(head);
  pen.strokeStyle = pen.fillStyle = colours.of('ink');
  pen.lineWidth = LINE_PX;
  if (isMaybe) pen.setLineDash([4, 3]);
  pen.stroke(line);
  pen.setLineDash([]);
  pen.fill(head);
}

function headOf(from: Point, to: Point): Path2D {
  const angle = Math.atan2(to.yPx - from.yPx, to.xPx - from.xPx);
  const corner = (side: number): [number, number] => [
    to.xPx - HEAD_PX * Math.cos(angle + side),
    to.yPx - HEAD_PX * Math.sin(angle + side),
  ];
  const head = new Path2D();
  head.moveTo(to.xPx, to.yPx);
  head.lineTo(...corner(0.5));
  head.lineTo(...corner(-0.5));
  head.closePath();
  return head;
}

/** Returns how far a point is from the line between two others. */
export function distancePx({ xPx, yPx }: Point, from: Point, to: Point): number {
  const [dxPx, dyPx] = [to.xPx - from.xPx, to.yPx - from.yPx];
  const part = ((xPx - from.xPx) * dxPx + (yPx - from.yPx) * dyPx) / (dxPx * dxPx + dyPx * dyPx || 1);
  const nearest = Math.min(1, Math.max(0, part));
  return Math.hypot(xPx - from.xPx - nearest * dxPx, yPx - from.yPx - nearest * dyPx);
}
