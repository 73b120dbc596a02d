/**
 * Defines the layer that puts frames into the document: d3-flame-graph in the page (`d3-chart/`), rectangles in the SVG.
 */
import type { Drawing, Highlight, Rectangle } from '../frames/drawing.js';

export interface FrameLayer {
  /** Path that hatches frames, below their labels. */
  readonly hatching: Element;
  /** Outline of the marked box. */
  readonly mark: Element;
  /** Replaces all frames. Returns their elements in the order of the rectangles. */
  draw(drawing: Drawing, rectangles: readonly Rectangle[], widthPx: number): SVGElement[];
  setHighlight(element: SVGElement, rectangle: Rectangle, look: Highlight): void;
  scrollIntoView(element: SVGElement, rectangle: Rectangle): void;
}
