/**
 * Shows the legend of the graph.
 */

import type { FrameTable } from '../../../render/frames/frame-table.js';
import type { Boxes } from '../../../render/layout/layout.js';
import { htmlElement as html, svgElement as svg } from '../../../render/viewer/dom.js';
import { legendEntries } from '../../view/captions/legend.js';
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
