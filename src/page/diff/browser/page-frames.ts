/**
 * Draws the frames as rectangles in the page.
 */
import { type Drawing, ROW_PX } from '../../../render/frames/drawing.js';
import { RectFrames } from '../../../render/svg/browser/rect-frames.js';
import { byId, setAttributes } from '../../../render/viewer/dom.js';

export class PageFrames extends RectFrames {
  constructor() {
    super(false);
  }

  resize({ rowCount }: Drawing, widthPx: number): void {
    const heightPx = rowCount * ROW_PX;
    setAttributes(byId('frames').parentElement as Element, {
      width: widthPx,
      height: heightPx,
      viewBox: `0 0 ${widthPx} ${heightPx}`,
    });
  }

  override scrollIntoView(element: SVGElement): void {
    element.scrollIntoView({ block: 'nearest' });
  }
}
