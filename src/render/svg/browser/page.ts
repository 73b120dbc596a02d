/**
 * Measures the elements of the file and lays them out for the width of the window.
 */

import { CHARACTER_PX, ROW_PX } from '../../frames/drawing.js';
import { byId, moveTo, setAttributes, svgElement } from '../../viewer/dom.js';
import {
  flow,
  HEAD,
  headHeightPx,
  type LegendPosition,
  legendTopPx,
  linePx,
  NARROW_PX,
  NARROWEST_PX,
  notesTopPx,
  toolbarWidthPx,
  WARNING_PADDING_PX,
  wrapped,
} from '../head.js';

const MIN_WIDTH_PX = 320;
const SAMPLE = 'x'.repeat(100);

export const root = document.documentElement as unknown as SVGSVGElement;

/** Returns the actual width of a character in the font that the browser chose. */
export function measureCharacterPx(): number {
  const sample = svgElement('text', { visibility: 'hidden' }, SAMPLE);
  byId('labels').append(sample);
  const widthPx = sample.getComputedTextLength() / SAMPLE.length;
  sample.remove();
  return widthPx || CHARACTER_PX;
}

export function windowWidthPx(): number {
  return Math.max(MIN_WIDTH_PX, root.clientWidth || innerWidth);
}

/** Returns the width between the margins. */
export function contentWidthPx(widthPx: number): number {
  return widthPx - 2 * HEAD.marginPx;
}

/** Lays out the head and returns its height. */
export function layOutHead(widthPx: number): number {
  const availablePx = contentWidthPx(widthPx);
  const entries = [...byId('legend').children] as SVGGraphicsElement[];
  const widthsPx = entries.map((entry) => entry.getBBox().width);
  const positions = flow(widthsPx, availablePx);
  entries.forEach((entry, index) => {
    const { xPx, row } = positions[index] as LegendPosition;
    moveTo(entry, xPx, row * HEAD.legendRowPx);
  });
  const above = { warnings: Number(byId('head').getAttribute('data-warnings')), notes: layOutNotes(availablePx) };
  const downPx = wrapLines(availablePx, toolbarWidthPx(widthPx));
  moveTo(byId('notes'), HEAD.marginPx, notesTopPx(above.warnings) + downPx);
  moveTo(byId('legend'), HEAD.marginPx, legendTopPx(above) + downPx);
  const barPx = widthPx < NARROWEST_PX ? HEAD.toolbarRowPx : 0;
  const heightPx = headHeightPx(above, positions, widthPx < NARROW_PX) + downPx + barPx;
  setAttributes(byId('head').firstElementChild as Element, { width: widthPx, height: heightPx });
  return heightPx;
}

/** Lays out the notes and returns their number of lines. */
function layOutNotes(availablePx: number): number {
  let count = 0;
  for (const note of byId('notes').children) {
    const lines = wrapped(note.getAttribute('data-note') ?? '', availablePx);
    const spans = lines.map((line) => svgElement('tspan', { x: 0, y: count++ * HEAD.rowPx + HEAD.noteBasePx }, line));
    note.replaceChildren(...spans);
  }
  return count;
}

/** Full text of each line, as before wrapping. */
const fullText = new Map<Element, string>();

/** Wraps lines that are too wide and moves the elements below them down. Returns how far. */
function wrapLines(availablePx: number, toolbarPx: number): number {
  let downPx = 0;
  for (const line of byId('head').querySelectorAll(':scope > text, .warning')) {
    const [box, text = line] = line.querySelectorAll('rect, text');
    const words = fullText.get(line) ?? text.getAttribute('data-text') ?? textOf(text);
    fullText.set(line, words);
    const paddingPx = text === line ? 0 : WARNING_PADDING_PX;
    const hints = text.querySelectorAll('title');
    text.replaceChildren(words);
    const lineWidthPx = availablePx - 2 * paddingPx - (line.id === 'title' ? toolbarPx : 0);
    const fits = (text as SVGTextElement).getComputedTextLength() <= lineWidthPx;
    const sizePx = Number.parseFloat(getComputedStyle(text).fontSize);
    const lines = fits ? [words] : wrapped(words, lineWidthPx, sizePx);
    const x = text.getAttribute('x') ?? 0;
    const dy = linePx(sizePx);
    text.replaceChildren(...lines.map((part, at) => svgElement('tspan', { x, dy: at === 0 ? 0 : dy }, part)));
    text.append(...hints);
    const morePx = (lines.length - 1) * dy;
    if (box && text !== line)
      setAttributes(box, { width: (text as SVGTextElement).getBBox().width + 2 * paddingPx, height: 20 + morePx });
    moveTo(line, 0, downPx);
    downPx += morePx;
  }
  return downPx;
}

/** Returns the text without its title element. */
function textOf(text: Element): string {
  return [...text.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE)?.nodeValue ?? '';
}

/** Resizes the SVG to its content, but at least to the window: tooltips need the space. */
export function resize(widthPx: number, headPx: number, rowCount: number): void {
  const heightPx = Math.max(headPx + rowCount * ROW_PX + HEAD.marginPx, innerHeight);
  setAttributes(root, { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
  moveTo(byId('frames'), HEAD.marginPx, headPx);
}

/** Keeps the head visible while scrolling. */
export function keepHeadVisible(): void {
  moveTo(byId('head'), 0, Math.max(0, scrollY));
}
