/**
 * Shows the legend of the graph.
 */
import type { Boxes } from '../../../../layout/layout.js';
import type { FrameTable } from '../../../frames/frame-table.js';
import { htmlElement as html, svgElement as svg } from '../../../viewer/dom.js';
import { legendEntries } from '../../captions/legend.js';
import type { Painter } from '../../view/colouring.js';

export function showLegend(list: HTMLElement, table: FrameTable, boxes: Boxes, painter: Painter): void {
  const items = legendEntries(table, boxes, painter).map(({ swatch, text }) =>
    html('li', {}, ...(swatch === '' ? [] : [swatchOf(swatch)]), text),
  );
  list.replaceChildren(...items);
}

function swatchOf(swatch: string): SVGSVGElement {
  const box = { width: 13, height: 13, rx: 2 };
  const isHatched = swatch === 'hatched';
  const colour = svg('rect', { ...box, fill: `var(--${isHatched ? 'group' : swatch})` });
  const hatch = isHatched ? [svg('rect', { ...box, fill: 'url(#hatch)' })] : [];
  return svg('svg', { width: 13, height: 13, 'aria-hidden': 'true' }, colour, ...hatch);
}
