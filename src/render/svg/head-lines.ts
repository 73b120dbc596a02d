/**
 * Wraps the texts above the frames into lines; each extra line moves the texts below down.
 */
import { HEAD, linePx, sansWidthPx, WARNING_PADDING_PX, wrapped } from './head-shape.js';
import { xml } from './xml.js';

/** A text above the frames, wrapped into lines. */
export interface HeadLine {
  readonly lines: readonly string[];
  readonly sizePx: number;
  /** `downPx`: height of the extra lines above it. */
  readonly markup: (downPx: number) => string;
}

export function titleLine(title: string, availablePx: number): HeadLine {
  const sizePx = HEAD.titleSizePx;
  const lines = fitted(title, availablePx, sizePx);
  const position = { xPx: HEAD.marginPx, yPx: HEAD.titlePx };
  return {
    lines,
    sizePx,
    markup: (downPx) => textMarkup(' id="title"', title, lines, { ...position, downPx, sizePx }),
  };
}

/** `hint`: markup of a title element. */
export function quietLine(text: string, yPx: number, availablePx: number, hint = ''): HeadLine {
  const sizePx = HEAD.textSizePx;
  const lines = fitted(text, availablePx);
  const position = { xPx: HEAD.marginPx, yPx, sizePx };
  return {
    lines,
    sizePx,
    markup: (downPx) => textMarkup(' class="quiet"', text, lines, { ...position, downPx }, hint),
  };
}

export function warningLine(warning: string, index: number, availablePx: number): HeadLine {
  const sizePx = HEAD.textSizePx;
  const text = `⚠ ${warning}`;
  const lines = fitted(text, availablePx - 2 * WARNING_PADDING_PX);
  const yPx = HEAD.warningsPx + index * HEAD.warningRowPx;
  const widthPx = Math.max(...lines.map((part) => sansWidthPx(part))) + 2 * WARNING_PADDING_PX;
  const heightPx = 20 + (lines.length - 1) * linePx(sizePx);
  const box = `<rect x="${HEAD.marginPx}" y="${yPx}" width="${widthPx}" height="${heightPx}" rx="5"/>`;
  const position = { xPx: HEAD.marginPx + WARNING_PADDING_PX, yPx: yPx + 14, sizePx, downPx: 0 };
  const words = textMarkup('', text, lines, position);
  return { lines, sizePx, markup: (downPx) => `<g class="warning"${translation(downPx)}>${box}${words}</g>` };
}

export function linesMarkup(lines: readonly HeadLine[]) {
  let downPx = 0;
  const markup = lines.map((line) => {
    const text = line.markup(downPx);
    downPx += (line.lines.length - 1) * linePx(line.sizePx);
    return text;
  });
  return { markup, downPx };
}

/** Wraps a text unless it fits into one line. */
function fitted(text: string, availablePx: number, sizePx: number = HEAD.textSizePx): readonly string[] {
  const isOne = (sansWidthPx(text) * sizePx) / HEAD.textSizePx <= availablePx;
  return isOne ? [text] : wrapped(text, availablePx, sizePx);
}

interface TextPosition {
  readonly xPx: number;
  readonly yPx: number;
  readonly downPx: number;
  readonly sizePx: number;
}

/** Writes a text element. Wrapped text also stores its full text, for the script to wrap it for another width. */
function textMarkup(
  attributes: string,
  text: string,
  lines: readonly string[],
  { xPx, yPx, downPx, sizePx }: TextPosition,
  hint = '',
): string {
  const start = `<text${attributes} x="${xPx}" y="${yPx}"${translation(downPx)}`;
  if (lines.length === 1) return `${start}>${xml(text)}${hint}</text>`;
  const spans = lines.map((line, at) => `<tspan x="${xPx}" dy="${at === 0 ? 0 : linePx(sizePx)}">${xml(line)}</tspan>`);
  return `${start} data-text="${xml(text)}">${spans.join('')}${hint}</text>`;
}

function translation(downPx: number): string {
  return downPx === 0 ? '' : ` transform="translate(0 ${downPx})"`;
}
