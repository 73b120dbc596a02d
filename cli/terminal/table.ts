/**
 * Rows → a table that fits the terminal: what matters least is left out first, and long names are shortened.
 */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { shorterNames, visibleText } from '../../src/text.js';
import type { Alignment } from './columns.js';

export interface TableColumn<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Columns of a higher number go first where there is no room. Default: 0, it always stays. */
  readonly rank?: number;
  readonly isLeft?: boolean;
}

export interface TableOptions<Row> {
  /** What stands at the end of each row, shortened if it has to be; it is other people's text. */
  readonly name: (row: Row) => string;
  readonly nameTitle: string;
  /** Characters in front of the name, as of a tree. */
  readonly indent?: (row: Row) => string;
  /** Of the terminal. */
  readonly width: number;
}

const GAP = 2;
/** A name of fewer characters tells little. */
const LEAST_NAME = 28;

/** A line for the titles, and one for each row. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  options: TableOptions<Row>,
): string[] {
  const cells = columns.map(({ title, text }) => [title, ...rows.map(text)]);
  const widths = cells.map((texts) => Math.max(...texts.map((text) => stringWidth(text))));
  const kept = keptColumns(columns, widths, options.width);
  const nameWidth = Math.max(LEAST_NAME, options.width - widthOf(kept.map((column) => widths[column])));
  const table = newTable([...kept.map((column) => (columns[column]?.isLeft ? 'left' : 'right')), 'left'] as const);
  table.push([...kept.map((column) => columns[column]?.title ?? ''), options.nameTitle]);
  rows.forEach((row, at) => {
    const indent = options.indent?.(row) ?? '';
    const name = indent + fittingName(options.name(row), nameWidth - stringWidth(indent));
    table.push([...kept.map((column) => cells[column]?.[at + 1] ?? ''), name]);
  });
  return linesOf(table);
}

function newTable(alignments: readonly Alignment[]) {
  const names = 'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid';
  const chars = Object.fromEntries([...names.split(' '), 'right', 'right-mid'].map((name) => [name, '']));
  return new Table({
    chars: { ...chars, middle: ' '.repeat(GAP) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: [...alignments],
  });
}

function linesOf(table: { toString(): string }): string[] {
  const text = table.toString();
  return text === '' ? [] : text.split('\n').map((line) => line.trimEnd());
}

function keptColumns<Row>(columns: readonly TableColumn<Row>[], widths: readonly number[], width: number): number[] {
  const kept = columns.map((_, column) => column);
  const taken = () => widthOf(kept.map((column) => widths[column])) + LEAST_NAME;
  while (taken() > width) {
    const least = Math.max(...kept.map((column) => columns[column]?.rank ?? 0));
    if (least === 0 || kept.length === 0) break;
    kept.splice(
      kept.findLastIndex((column) => columns[column]?.rank === least),
      1,
    );
  }
  return kept;
}

/** Of so many columns, each with the gap behind it. */
function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, 0);
}

/** The longest form of a name that fits; text that would act on the terminal is shown instead. */
export function fittingName(name: string, width: number): string {
  const whole = visibleText(name);
  if (stringWidth(whole) <= width) return isolated(whole);
  for (const shorter of shorterNames(name)) {
    const text = visibleText(shorter);
    if (stringWidth(text) <= width) return isolated(text);
  }
  return isolated(cutTo(visibleText([...shorterNames(name)].at(-1) ?? name), width));
}

/** Its end is what tells functions of one class apart. */
function cutTo(text: string, width: number): string {
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
  let kept = '';
  for (const { segment } of characters) {
    if (stringWidth(`${kept}${segment}…`) > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** What is written from right to left must not take the numbers beside it along. */
function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
