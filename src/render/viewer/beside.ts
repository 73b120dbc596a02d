/**
 * Where something stands that is told of a point of the window: beside it, and not beyond the borders.
 */
const BESIDE_PX = 14;
export const BORDER_PX = 6;

export interface Point {
  readonly xPx: number;
  readonly yPx: number;
}

export function beside({ xPx, yPx }: Point, widthPx: number, heightPx: number, roomPx = innerWidth): Point {
  const belowPx = yPx + BESIDE_PX;
  const fitsBelow = belowPx + heightPx + BORDER_PX < innerHeight;
  return {
    xPx: Math.max(BORDER_PX, Math.min(xPx + BESIDE_PX, roomPx - widthPx - BORDER_PX)),
    yPx: fitsBelow ? belowPx : Math.max(BORDER_PX, yPx - BESIDE_PX - heightPx),
  };
}
