/**
 * The tooltip at the pointer or at the focused frame.
 */
import type { FrameDetail, FrameDetails } from '../../frames/frame-details.js';
import { textWidth } from '../../frames/labels.js';
import { byId, hide, moveTo, setAttributes, svgElement } from '../../viewer/dom.js';
import { MARGIN_PX, popupPosition } from '../../viewer/tooltip.js';
import { size } from './page.js';

export class Tooltip {
  private readonly group = svgElement('g', { class: 'panel', visibility: 'hidden' });

  constructor(private readonly characterPx: number) {
    byId('head').after(this.group);
  }

  /** Shows details next to a point of the window. */
  show(details: FrameDetails, xPx: number, yPx: number): void {
    const { group, characterPx } = this;
    const { widthPx, heightPx } = fillPanel(group, details, characterPx, size.widthPx - 2 * MARGIN_PX);
    const at = popupPosition({ xPx, yPx }, widthPx, heightPx, size.widthPx);
    moveTo(group, at.xPx, scrollY + at.yPx);
    group.setAttribute('visibility', 'visible');
  }

  hide(): void {
    hide(this.group);
  }
}

const LINE_PX = 17;
const PADDING_PX = 10;
const MAX_NAME_LINES = 8;
const GAP_WIDTH = 2;

/** Draws a panel with details: the tooltip and the list of keys. */
interface PanelSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Fills a group and returns its size. */
function fillPanel(group: SVGGElement, details: FrameDetails, characterPx: number, availablePx: number): PanelSize {
  const maxWidth = Math.max(20, Math.floor((availablePx - 2 * PADDING_PX) / characterPx));
  const rows = fitted(details.rows, maxWidth);
  const [labelPx, valuePx] = columnEnds(rows).map((columns) => columns * characterPx) as [number, number];
  const contentWidth = Math.min(maxWidth, rowsWidth(rows));
  const lines = wrapped(details.title, Math.min(maxWidth, Math.max(contentWidth, 60)));
  const widest = Math.max(contentWidth, ...lines.map(textWidth));
  const size = {
    widthPx: Math.ceil(widest * characterPx) + 2 * PADDING_PX,
    heightPx: (lines.length + rows.length) * LINE_PX + 2 * PADDING_PX - 2,
  };
  const texts = [
    ...lines.map((line, index) => textAt(0, index, line, 'name')),
    ...rows.flatMap((detail, index) => rowTexts(detail, index + lines.length, labelPx, valuePx, characterPx)),
  ];
  group.replaceChildren(svgElement('rect', { width: size.widthPx, height: size.heightPx, rx: 7 }), ...texts);
  return size;
}

/** Moves notes to lines of their own if the third column does not fit. */
function fitted(rows: readonly FrameDetail[], maxWidth: number): readonly FrameDetail[] {
  if (rowsWidth(rows) <= maxWidth) return rows;
  return rows.flatMap(({ label, value, note }) => [
    ...(label + value === '' ? [] : [{ label, value, note: '' }]),
    ...(note === '' ? [] : wrapped(note, maxWidth)).map((line) => ({ label: line, value: '', note: '' })),
  ]);
}

function rowsWidth(rows: readonly FrameDetail[]): number {
  const [, values] = columnEnds(rows);
  const note = Math.max(0, ...rows.map((row) => textWidth(row.note)));
  return Math.max(values + (note > 0 ? GAP_WIDTH + note : 0), ...rows.map(({ label }) => textWidth(label)));
}

/** Returns where labels end and where the right-aligned values end, in characters. */
function columnEnds(rows: readonly FrameDetail[]): [number, number] {
  const label = Math.max(0, ...rows.map((row) => (row.value === '' && row.note === '' ? 0 : textWidth(row.label))));
  const value = Math.max(0, ...rows.map((row) => textWidth(row.value)));
  return [label, label + (value > 0 ? GAP_WIDTH + value : 0)];
}

function rowTexts(
  { label, value, note }: FrameDetail,
  line: number,
  labelPx: number,
  valuePx: number,
  characterPx: number,
) {
  const noteX = valuePx + (valuePx > 0 ? GAP_WIDTH * characterPx : 0);
  const valueText = textAt(valuePx, line, value, '');
  setAttributes(valueText, { 'text-anchor': 'end' });
  return [textAt(0, line, label, 'quiet'), valueText, textAt(labelPx === 0 ? 0 : noteX, line, note, 'quiet')];
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
