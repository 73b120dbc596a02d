/**
 * Measures the elements of the file and lays them out for the width of the window.
 */

import { ROW_PX } from '../../frames/drawing.js';
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

export const root = document.documentElement as unknown as SVGSVGElement;

/** As laid out last: the width of the SVG, and the height of its head, which covers the top of the window. */
export const size = { widthPx: 0, headPx: 0 };

/** Lays out the head for the window. Returns the width between the margins. */
export function layOutHead(): number {
  const widthPx = Math.max(MIN_WIDTH_PX, root.clientWidth || innerWidth);
  const availablePx = widthPx - 2 * HEAD.marginPx;
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
  size.widthPx = widthPx;
  size.headPx = heightPx;
  return availablePx;
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
export function resize(rowCount: number): void {
  const { widthPx, headPx } = size;
  const heightPx = Math.max(headPx + rowCount * ROW_PX + HEAD.marginPx, innerHeight);
  setAttributes(root, { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` });
  moveTo(byId('frames'), HEAD.marginPx, headPx);
}

/** Keeps the head visible while scrolling. */
export function keepHeadVisible(): void {
  moveTo(byId('head'), 0, Math.max(0, scrollY));
}

/** Scrolls to a frame and shows some of its callers, too. */
export function scrollToFrame(frameYPx: number, isIcicle: boolean): void {
  const { headPx } = size;
  const yPx = frameYPx + headPx;
  const top = scrollY + headPx;
  const bottom = scrollY + innerHeight - ROW_PX;
  if (yPx >= top && yPx <= bottom) return;
  const callersPx = 4 * ROW_PX;
  scrollTo(0, isIcicle ? yPx - headPx - callersPx : yPx + ROW_PX + callersPx - innerHeight);
}
