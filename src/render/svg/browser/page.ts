/**
 * The file's own elements: measured, and laid out anew for the width of the window.
 */

import { byId, setAttributes, svgElement } from '../../browser/dom.js';
import { CHARACTER_PX, ROW_PX } from '../../frames/drawing.js';
import { flow, HEAD, headHeightPx, legendTopPx, NARROW_PX, type Place, wrapped } from '../head-shape.js';

const LEAST_WIDTH_PX = 480;
const SAMPLE = 'x'.repeat(100);

export const root = document.documentElement as unknown as SVGSVGElement;

/** What a character is really wide, in the font that this browser took. */
export function measureCharacterPx(): number {
  const sample = svgElement('text', { visibility: 'hidden' }, SAMPLE);
  byId('labels').append(sample);
  const widthPx = sample.getComputedTextLength() / SAMPLE.length;
  sample.remove();
  return widthPx > 0 ? widthPx : CHARACTER_PX;
}

export function windowWidthPx(): number {
  return Math.max(LEAST_WIDTH_PX, root.clientWidth || window.innerWidth);
}

/** Gives the height of the head. */
export function layOutHead(widthPx: number): number {
  const entries = [...byId('legend').children] as SVGGraphicsElement[];
  const widthsPx = entries.map((entry) => entry.getBBox().width);
  const places = flow(widthsPx, widthPx - 2 * HEAD.marginPx);
  entries.forEach((entry, index) => {
    const { xPx, row } = places[index] as Place;
    entry.setAttribute('transform', `translate(${xPx} ${row * HEAD.legendRowPx})`);
  });
  const above = {
    warnings: Number(byId('head').getAttribute('data-warnings')),
    notes: layOutNotes(widthPx - 2 * HEAD.marginPx),
  };
  byId('legend').setAttribute('transform', `translate(${HEAD.marginPx} ${legendTopPx(above)})`);
  const heightPx = headHeightPx(above, places, widthPx < NARROW_PX);
  setAttributes(byId('head').firstElementChild as Element, { width: widthPx, height: heightPx });
  return heightPx;
}

/** Gives how many lines they take. */
function layOutNotes(roomPx: number): number {
  let count = 0;
  for (const note of byId('notes').children) {
    const lines = wrapped(note.getAttribute('data-note') ?? '', roomPx);
    const spans = lines.map((line) =>
      svgElement('tspan', { x: 0, y: count++ * HEAD.noteRowPx + HEAD.noteBasePx }, line),
    );
    note.replaceChildren(...spans);
  }
  return count;
}

/** The picture as large as it has to be, and no smaller than the window: tooltips need room. */
export function resize(widthPx: number, headPx: number, rowCount: number): void {
  const heightPx = Math.max(headPx + rowCount * ROW_PX + HEAD.marginPx, window.innerHeight);
  setAttributes(root, { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
  byId('frames').setAttribute('transform', `translate(${HEAD.marginPx} ${headPx})`);
}

/** The head stays in sight when the picture is scrolled. */
export function keepHeadInSight(): void {
  byId('head').setAttribute('transform', `translate(0 ${Math.max(0, window.scrollY)})`);
}
