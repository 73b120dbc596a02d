/**
 * Draws the frames of a flame graph with d3-flame-graph (docs/design/page.md). Only this file imports the library; it
 * receives only the visible frames.
 */
import flamegraph, { type FlameGraph } from 'd3-flame-graph';
import { fillOf } from '../../render/diff/wording.js';
import { type Drawing, type Highlight, px, type Rectangle, ROW_PX } from '../../render/frames/drawing.js';
import { setAttributes, svgElement } from '../../render/viewer/dom.js';
import type { FrameLayer } from '../../render/viewer/flame-graph.js';
import { type ChartNode, chartOf, select } from './selection.js';

/** A frame as the library creates it: a `g` whose first child is a `rect`. */
type FrameElement = SVGGElement & { readonly __data__: { readonly data: ChartNode } };

export class D3Frames implements FrameLayer {
  /** No `g`: the library takes each `g` for a frame. */
  readonly textures = svgElement('svg', { class: 'textures' });
  readonly mark = svgElement('rect', { class: 'mark', rx: 2, visibility: 'hidden' });
  private readonly chart: FlameGraph<ChartNode> = flamegraph<ChartNode>();
  private svg: SVGSVGElement | null = null;

  /** `container`: parent of the chart. */
  constructor(private readonly container: HTMLElement) {
    this.chart
      .cellHeight(ROW_PX)
      .transitionDuration(0)
      .getName(({ data }) => data.label)
      .setColorMapper(({ data }) => fillOf(data.className))
      .tooltip(() => {}); // otherwise each frame gets a title
  }

  draw(drawing: Drawing, rectangles: readonly Rectangle[], widthPx: number): SVGElement[] {
    const heightPx = drawing.rowCount * ROW_PX;
    const root = chartOf(drawing, rectangles);
    this.chart.width(widthPx).height(heightPx).inverted(drawing.isIcicle);
    if (this.svg) this.chart.update(root);
    else this.chart(select(this.container).datum(root));
    const svg = (this.svg ??= this.prepared());
    setAttributes(svg, { height: heightPx, width: widthPx, viewBox: `0 0 ${widthPx} ${heightPx}` }); // scales to the page when printed
    const elements = new Map([...svg.querySelectorAll<FrameElement>('g')].map(finished));
    svg.append(this.textures, this.mark);
    return rectangles.map(({ box }) => elements.get(box) as SVGElement);
  }

  setHighlight(element: SVGElement, _: Rectangle, { isCaller, isMarked, isChosen, isDimmed }: Highlight): void {
    const classes = `frame${isCaller ? ' caller' : ''}${isMarked ? ' match' : ''}${isChosen ? ' chosen' : ''}${isDimmed ? ' other' : ''}`;
    setChanged(element, 'class', classes);
  }

  scrollIntoView(element: SVGElement): void {
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private prepared(): SVGSVGElement {
    const svg = this.container.querySelector('svg') as SVGSVGElement;
    svg.querySelector('text.title')?.remove();
    svg.setAttribute('role', 'presentation'); // the container has the label
    return svg;
  }
}

/**
 * Places a frame, with the gap between frames, which the library does not draw. The library would transform each frame, and
 * a browser layerizes each transformed element by itself.
 */
function finished(element: FrameElement): [box: number, SVGElement] {
  const { box, xPx, yPx, widthPx, end } = element.__data__.data;
  for (const part of element.children) {
    setChanged(part, 'x', px(xPx));
    setChanged(part, 'y', px(yPx));
  }
  setChanged(element.firstElementChild as Element, 'width', px(widthPx));
  const label = element.children[1]?.firstElementChild;
  if (label != null) setChanged(label, 'data-end', end); // shown by the style sheet
  return [box, element];
}

function setChanged(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
