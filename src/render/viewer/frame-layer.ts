/**
 * What puts the frames of a flame graph into the document: `d3-chart/` in the page, plain rectangles in the picture.
 */
import type { Drawing, Highlight, Rectangle } from '../frames/drawing.js';

export interface FrameLayer {
  /** Its line hatches frames: below their labels. */
  readonly hatching: Element;
  /** The line around a box. */
  readonly mark: Element;
  /** Draws all frames, in place of those that are there. Returns their elements, in that order. */
  draw(drawing: Drawing, rectangles: readonly Rectangle[], widthPx: number): SVGElement[];
  /** Shows how a frame stands among the others. */
  setHighlight(element: SVGElement, rectangle: Rectangle, look: Highlight): void;
  scrollIntoView(element: SVGElement, rectangle: Rectangle): void;
}
