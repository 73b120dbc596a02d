/**
 * Texts above the frames, in as many lines as they take: each pushes down what stands below it.
 */
import { HEAD, linePx, sansWidthPx, WARNING_PADDING_PX, wrapped } from './head-shape.js';
import { xml } from './xml.js';

/** A text above the frames, in as many lines as it takes. */
export interface HeadLine {
  readonly lines: readonly string[];
  readonly sizePx: number;
  /** `downPx`: by how much the lines above it are more than one each. */
  readonly markup: (downPx: number) => string;
}

export function titleLine(title: string, roomPx: number): HeadLine {
  const sizePx = HEAD.titleSizePx;
  const lines = fitted(title, roomPx, sizePx);
  const place = { xPx: HEAD.marginPx, yPx: HEAD.titlePx };
  return { lines, sizePx, markup: (downPx) => textMarkup(' id="title"', title, lines, { ...place, downPx, sizePx }) };
}

/** `hint`: markup. */
export function quietLine(text: string, yPx: number, roomPx: number, hint = ''): HeadLine {
  const sizePx = HEAD.textSizePx;
  const lines = fitted(text, roomPx);
  const place = { xPx: HEAD.marginPx, yPx, sizePx };
  return {
    lines,
    sizePx,
    markup: (downPx) => textMarkup(' class="quiet"', text, lines, { ...place, downPx }, hint),
  };
}

export function warningLine(warning: string, index: number, roomPx: number): HeadLine {
  const sizePx = HEAD.textSizePx;
  const text = `⚠ ${warning}`;
  const lines = fitted(text, roomPx - 2 * WARNING_PADDING_PX);
  const yPx = HEAD.warningsPx + index * HEAD.warningRowPx;
  const widthPx = Math.max(...lines.map((part) => sansWidthPx(part))) + 2 * WARNING_PADDING_PX;
  const heightPx = 20 + (lines.length - 1) * linePx(sizePx);
  const box = `<rect x="${HEAD.marginPx}" y="${yPx}" width="${widthPx}" height="${heightPx}" rx="5"/>`;
  const place = { xPx: HEAD.marginPx + WARNING_PADDING_PX, yPx: yPx + 14, sizePx, downPx: 0 };
  const words = textMarkup('', text, lines, place);
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

/** One line if there is room for it. */
function fitted(text: string, roomPx: number, sizePx: number = HEAD.textSizePx): readonly string[] {
  const isOne = (sansWidthPx(text) * sizePx) / HEAD.textSizePx <= roomPx;
  return isOne ? [text] : wrapped(text, roomPx, sizePx);
}

interface TextPosition {
  readonly xPx: number;
  readonly yPx: number;
  readonly downPx: number;
  readonly sizePx: number;
}

/** The whole text stands beside its lines, for a script that draws it for another width. */
function textMarkup(
  attributes: string,
  text: string,
  lines: readonly string[],
  { xPx, yPx, downPx, sizePx }: TextPosition,
  hint = '',
): string {
  const place = `<text${attributes} x="${xPx}" y="${yPx}"${translation(downPx)}`;
  if (lines.length === 1) return `${place}>${xml(text)}${hint}</text>`;
  const spans = lines.map((line, at) => `<tspan x="${xPx}" dy="${at === 0 ? 0 : linePx(sizePx)}">${xml(line)}</tspan>`);
  return `${place} data-text="${xml(text)}">${spans.join('')}${hint}</text>`;
}

function translation(downPx: number): string {
  return downPx === 0 ? '' : ` transform="translate(0 ${downPx})"`;
}
