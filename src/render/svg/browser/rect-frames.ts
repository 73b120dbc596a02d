/**
 * Draws the frames of a flame graph as rectangles, replacing those in the file.
 */
import { type Drawing, type Highlight, pictureClass, px, type Rectangle, ROW_PX } from '../../frames/drawing.js';
import { byId, setAttributes, svgElement } from '../../viewer/dom.js';
import type { FrameLayer } from '../../viewer/flame-graph.js';

export class RectFrames implements FrameLayer {
  readonly hatching = byId('hatched');
  readonly mark = svgElement('rect', { id: 'mark', rx: 2, visibility: 'hidden' });
  /** Height of the head, which covers the top of the window. */
  headPx = 0;
  private readonly isIcicle: boolean;

  constructor(isIcicle: boolean) {
    this.isIcicle = isIcicle;
    byId('frames').append(this.mark);
  }

  draw(_: Drawing, rectangles: readonly Rectangle[]): SVGElement[] {
    const elements = rectangles.map(({ xPx, yPx, widthPx, heightPx }) =>
      svgElement('rect', { x: px(xPx), y: yPx, width: px(widthPx), height: heightPx }),
    );
    const labels = rectangles
      .filter(({ label }) => label)
      .map(({ label, textXPx, textYPx }) => svgElement('text', { x: px(textXPx), y: textYPx }, label));
    byId('boxes').replaceChildren(...elements);
    byId('labels').replaceChildren(...labels);
    return elements;
  }

  setHighlight(element: SVGElement, rectangle: Rectangle, look: Highlight): void {
    setAttributes(element, { class: pictureClass(rectangle, look) });
  }

  /** Also shows some of the callers. */
  scrollIntoView(_: SVGElement, rectangle: Rectangle): void {
    const { headPx } = this;
    const yPx = rectangle.yPx + headPx;
    const top = scrollY + headPx;
    const bottom = scrollY + innerHeight - ROW_PX;
    if (yPx >= top && yPx <= bottom) return;
    const callersPx = 4 * ROW_PX;
    scrollTo(0, this.isIcicle ? yPx - headPx - callersPx : yPx + ROW_PX + callersPx - innerHeight);
  }
}
