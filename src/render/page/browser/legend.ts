/**
 * What the colours mean: never colour alone.
 */
import type { Boxes } from '../../../layout/layout.js';
import { htmlElement as html, svgElement as svg } from '../../browser/dom.js';
import { legendOf } from '../../frames/about.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { Painter } from '../view/colouring.js';

export function showLegend(
  place: HTMLElement,
  table: FrameTable,
  boxes: Boxes,
  { steps, others, note }: Painter,
): void {
  const entries = legendOf(table, boxes);
  const ofColours =
    steps === null ? entries : entries.filter(({ swatch }) => swatch === 'hatched' || swatch === 'block');
  const ofSteps = (steps ?? []).map((text, step) => ({ swatch: `s${step}`, text: step === 0 ? text : `${text}+` }));
  if (steps !== null) ofSteps.push({ swatch: 'group', text: others });
  place.replaceChildren(
    ...[...ofSteps, ...ofColours].map(({ swatch, text }) => html('li', {}, swatchOf(swatch), text)),
    ...(note === '' ? [] : [html('li', {}, note)]),
  );
}

function swatchOf(swatch: string): SVGSVGElement {
  const box = { width: 13, height: 13, rx: 2 };
  const isHatched = swatch === 'hatched';
  const colour = svg('rect', { ...box, fill: `var(--${isHatched ? 'group' : swatch})` });
  const hatch = isHatched ? [svg('rect', { ...box, fill: 'url(#hatch)' })] : [];
  return svg('svg', { width: 13, height: 13, 'aria-hidden': 'true' }, colour, ...hatch);
}
