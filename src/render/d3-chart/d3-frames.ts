/**
 * The frames of a flame graph, drawn by d3-flame-graph: the door to the library, and to all that is done about it
 * (docs/decisions/0012). It draws the frames that can be seen, and never hears of the others.
 */
import flamegraph, { type FlameGraph } from 'd3-flame-graph';
import { type Drawing, type Highlight, px, type Rectangle, ROW_PX } from '../frames/drawing.js';
import { setAttributes, svgElement } from '../viewer/dom.js';
import type { FrameLayer } from '../viewer/frame-layer.js';
import { type ChartNode, chartOf } from './chart-tree.js';
import { select } from './selection.js';

/** A frame as the library makes it: a `g`, whose first child is a `rect`. */
type FrameElement = SVGGElement & { readonly __data__: { readonly data: ChartNode } };

export class D3Frames implements FrameLayer {
  readonly hatching = svgElement('path', { class: 'hatching', fill: 'url(#hatch)' });
  readonly mark = svgElement('rect', { class: 'mark', rx: 2, visibility: 'hidden' });
  private readonly chart: FlameGraph<ChartNode> = flamegraph<ChartNode>();
  private readonly container: HTMLElement;
  private svg: SVGSVGElement | null = null;

  /** `place`: where they are drawn. */
  constructor(place: HTMLElement) {
    this.container = place;
    this.chart
      .cellHeight(ROW_PX)
      .transitionDuration(0)
      .getName(({ data }) => data.label)
      .setColorMapper(({ data }) => `var(--${data.className})`)
      .tooltip(() => {}); // else each frame gets a title
  }

  draw(drawing: Drawing, rectangles: readonly Rectangle[], widthPx: number): SVGElement[] {
    const heightPx = drawing.rowCount * ROW_PX;
    const root = chartOf(drawing, rectangles);
    this.chart.width(widthPx).height(heightPx).inverted(drawing.isIcicle);
    if (this.svg) this.chart.update(root);
    else this.chart(select(this.container).datum(root));
    const svg = (this.svg ??= this.prepared());
    setAttributes(svg, { height: heightPx, width: widthPx, viewBox: `0 0 ${widthPx} ${heightPx}` }); // fits on paper, too
    const elements = new Map([...svg.querySelectorAll<FrameElement>('g')].map(finished));
    svg.append(this.hatching, this.mark);
    return rectangles.map(({ box }) => elements.get(box) as SVGElement);
  }

  setHighlight(element: SVGElement, _: Rectangle, { isCaller, isMarked, isDimmed }: Highlight): void {
    const classes = `frame${isCaller ? ' caller' : ''}${isMarked ? ' match' : ''}${isDimmed ? ' other' : ''}`;
    setChanged(element, 'class', classes);
  }

  scrollIntoView(element: SVGElement): void {
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private prepared(): SVGSVGElement {
    const svg = this.container.querySelector('svg') as SVGSVGElement;
    svg.querySelector('text.title')?.remove();
    svg.setAttribute('role', 'presentation'); // its place has the label
    return svg;
  }
}

/** What the library leaves to be done: gaps. */
function finished(element: FrameElement): [box: number, SVGElement] {
  const { box, widthPx } = element.__data__.data;
  setChanged(element.firstElementChild as Element, 'width', px(widthPx));
  return [box, element];
}

function setChanged(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
