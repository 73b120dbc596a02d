/**
 * Facts on a panel of their own: the tooltip, and the list of keys.
 */

import type { FrameDetail, FrameDetails } from '../../frames/frame-details.js';
import { textWidth } from '../../frames/labels.js';
import { setAttributes, svgElement } from '../../viewer/dom.js';

const LINE_PX = 17;
const PADDING_PX = 10;
const MAX_NAME_LINES = 8;
const GAP_WIDTH = 2;

export interface PanelSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Fills a group, and says how large it became. */
export function fillPanel(group: SVGGElement, facts: FrameDetails, characterPx: number, roomPx: number): PanelSize {
  const mostColumns = Math.max(20, Math.floor((roomPx - 2 * PADDING_PX) / characterPx));
  const rows = fitted(facts.rows, mostColumns);
  const [whatPx, valuePx] = columnEnds(rows).map((columns) => columns * characterPx) as [number, number];
  const rowsColumns = Math.min(mostColumns, rowsWidth(rows));
  const lines = wrapped(facts.title, Math.min(mostColumns, Math.max(rowsColumns, 60)));
  const widest = Math.max(rowsColumns, ...lines.map(textWidth));
  const size = {
    widthPx: Math.ceil(widest * characterPx) + 2 * PADDING_PX,
    heightPx: (lines.length + rows.length) * LINE_PX + 2 * PADDING_PX - 2,
  };
  const texts = [
    ...lines.map((line, index) => textAt(0, index, line, 'name')),
    ...rows.flatMap((fact, index) => rowTexts(fact, index + lines.length, whatPx, valuePx, characterPx)),
  ];
  group.replaceChildren(svgElement('rect', { width: size.widthPx, height: size.heightPx, rx: 7 }), ...texts);
  return size;
}

/** Where there is no room for a third column, what would stand in it has lines of its own. */
function fitted(rows: readonly FrameDetail[], mostColumns: number): readonly FrameDetail[] {
  if (rowsWidth(rows) <= mostColumns) return rows;
  return rows.flatMap(({ label, value, note }) => [
    ...(label + value === '' ? [] : [{ what, value, more: '' }]),
    ...(note === '' ? [] : wrapped(note, mostColumns)).map((line) => ({ what: line, value: '', more: '' })),
  ]);
}

function rowsWidth(rows: readonly FrameDetail[]): number {
  const [, values] = columnEnds(rows);
  const more = Math.max(0, ...rows.map((row) => textWidth(row.note)));
  return Math.max(values + (more > 0 ? GAP_WIDTH + more : 0), ...rows.map(({ label }) => textWidth(label)));
}

/** Where the words end, and where the values do: they stand right-aligned. */
function columnEnds(rows: readonly FrameDetail[]): [number, number] {
  const what = Math.max(0, ...rows.map((row) => (row.value === '' && row.note === '' ? 0 : textWidth(row.label))));
  const value = Math.max(0, ...rows.map((row) => textWidth(row.value)));
  return [what, what + (value > 0 ? GAP_WIDTH + value : 0)];
}

function rowTexts(
  { label, value, note }: FrameDetail,
  line: number,
  whatPx: number,
  valuePx: number,
  characterPx: number,
) {
  const moreX = valuePx + (valuePx > 0 ? GAP_WIDTH * characterPx : 0);
  const valueText = textAt(valuePx, line, value, '');
  setAttributes(valueText, { 'text-anchor': 'end' });
  return [textAt(0, line, label, 'quiet'), valueText, textAt(whatPx === 0 ? 0 : moreX, line, note, 'quiet')];
}

function textAt(xPx: number, line: number, text: string, className: string): SVGTextElement {
  const y = PADDING_PX + 11 + line * LINE_PX;
  return svgElement('text', { x: PADDING_PX + xPx, y, class: className }, text);
}

function wrapped(name: string, columns: number): string[] {
  const lines = [''];
  for (const character of name) {
    if (textWidth(lines.at(-1) as string) >= columns) lines.push('');
    lines[lines.length - 1] += character;
  }
  return lines.length > MAX_NAME_LINES ? [...lines.slice(0, MAX_NAME_LINES), '…'] : lines;
}
