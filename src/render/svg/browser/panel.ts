/**
 * Facts on a panel of their own: the tooltip, and the list of keys.
 */

import type { Fact, Facts } from '../../frames/facts.js';
import { columnsOf } from '../../frames/labels.js';
import { setAttributes, svgElement } from '../../viewer/dom.js';

const LINE_PX = 17;
const PADDING_PX = 10;
const MOST_NAME_LINES = 8;
const GAP_COLUMNS = 2;

export interface PanelSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Fills a group, and says how large it became. */
export function fillPanel(group: SVGGElement, facts: Facts, characterPx: number, roomPx: number): PanelSize {
  const mostColumns = Math.max(20, Math.floor((roomPx - 2 * PADDING_PX) / characterPx));
  const rows = fitted(facts.rows, mostColumns);
  const [whatPx, valuePx] = columnEnds(rows).map((columns) => columns * characterPx) as [number, number];
  const rowsColumns = Math.min(mostColumns, columnsOfRows(rows));
  const lines = wrapped(facts.title, Math.min(mostColumns, Math.max(rowsColumns, 60)));
  const widest = Math.max(rowsColumns, ...lines.map(columnsOf));
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
function fitted(rows: readonly Fact[], mostColumns: number): readonly Fact[] {
  if (columnsOfRows(rows) <= mostColumns) return rows;
  return rows.flatMap(({ what, value, more }) => [
    ...(what + value === '' ? [] : [{ what, value, more: '' }]),
    ...(more === '' ? [] : wrapped(more, mostColumns)).map((line) => ({ what: line, value: '', more: '' })),
  ]);
}

function columnsOfRows(rows: readonly Fact[]): number {
  const [, values] = columnEnds(rows);
  const more = Math.max(0, ...rows.map((row) => columnsOf(row.more)));
  return Math.max(values + (more > 0 ? GAP_COLUMNS + more : 0), ...rows.map(({ what }) => columnsOf(what)));
}

/** Where the words end, and where the values do: they stand right-aligned. */
function columnEnds(rows: readonly Fact[]): [number, number] {
  const what = Math.max(0, ...rows.map((row) => (row.value === '' && row.more === '' ? 0 : columnsOf(row.what))));
  const value = Math.max(0, ...rows.map((row) => columnsOf(row.value)));
  return [what, what + (value > 0 ? GAP_COLUMNS + value : 0)];
}

function rowTexts({ what, value, more }: Fact, line: number, whatPx: number, valuePx: number, characterPx: number) {
  const moreX = valuePx + (valuePx > 0 ? GAP_COLUMNS * characterPx : 0);
  const valueText = textAt(valuePx, line, value, '');
  setAttributes(valueText, { 'text-anchor': 'end' });
  return [textAt(0, line, what, 'quiet'), valueText, textAt(whatPx === 0 ? 0 : moreX, line, more, 'quiet')];
}

function textAt(xPx: number, line: number, text: string, className: string): SVGTextElement {
  const y = PADDING_PX + 11 + line * LINE_PX;
  return svgElement('text', { x: PADDING_PX + xPx, y, class: className }, text);
}

function wrapped(name: string, columns: number): string[] {
  const lines = [''];
  for (const character of name) {
    if (columnsOf(lines.at(-1) as string) >= columns) lines.push('');
    lines[lines.length - 1] += character;
  }
  return lines.length > MOST_NAME_LINES ? [...lines.slice(0, MOST_NAME_LINES), '…'] : lines;
}
