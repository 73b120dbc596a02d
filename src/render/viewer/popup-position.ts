/**
 * Positions a popup next to a point of the window, within the window.
 */
const OFFSET_PX = 14;
export const MARGIN_PX = 6;

export interface Point {
  readonly xPx: number;
  readonly yPx: number;
}

export function popupPosition({ xPx, yPx }: Point, widthPx: number, heightPx: number, availablePx = innerWidth): Point {
  const belowPx = yPx + OFFSET_PX;
  const fitsBelow = belowPx + heightPx + MARGIN_PX < innerHeight;
  return {
    xPx: Math.max(MARGIN_PX, Math.min(xPx + OFFSET_PX, availablePx - widthPx - MARGIN_PX)),
    yPx: fitsBelow ? belowPx : Math.max(MARGIN_PX, yPx - OFFSET_PX - heightPx),
  };
}
