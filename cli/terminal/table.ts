/**
 * Formats rows as a table that fits the terminal: the least important columns are dropped first, long names are shortened.
 */
import stringWidth from 'string-width';
import { shorterNames } from '../../src/render/frames/labels.js';
import { visibleText } from '../../src/render/visible-text.js';

export interface TableColumn<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** If space is short, the columns of the highest rank are dropped first. Default: 0, never dropped. */
  readonly rank?: number;
  readonly isLeft?: boolean;
}

export interface TableOptions<Row> {
  /** The last cell of a row, shortened if necessary. Unescaped: it may hold control characters. */
  readonly name: (row: Row) => string;
  readonly nameTitle: string;
  /** Characters before the name, as in a tree. */
  readonly indent?: (row: Row) => string;
  /** Width of the terminal. */
  readonly width: number;
}

const GAP = '  ';
/** Shorter names are hard to recognize. */
const MIN_NAME_WIDTH = 28;

/** Returns a line of titles and one line per row. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  options: TableOptions<Row>,
): string[] {
  const cells = columns.map(({ title, text }) => [title, ...rows.map(text)]);
  const widths = cells.map((texts) => texts.reduce((widest, text) => Math.max(widest, widthOf(text)), 0));
  const minNameWidth = Math.max(MIN_NAME_WIDTH, options.nameTitle.length);
  const kept = keptColumns(columns, widths, options.width - minNameWidth);
  const nameWidth = Math.max(minNameWidth, options.width - totalWidth(kept.map((column) => widths[column])));
  const names = rows.map((row) => {
    const indent = options.indent?.(row) ?? '';
    return indent + fittingName(options.name(row), nameWidth - widthOf(indent));
  });
  return [options.nameTitle, ...names].map((name, line) => {
    const parts: string[] = [];
    for (const column of kept) {
      const cell = cells[column][line];
      const padding = spaces(widths[column] - widthOf(cell));
      if (columns[column].isLeft) parts.push(cell, padding, GAP);
      else parts.push(padding, cell, GAP);
    }
    parts.push(name);
    return parts.join('').trimEnd();
  });
}

const SPACES: string[] = [];

/** Each number of them is made once: tables of many threads have millions of cells. */
function spaces(count: number): string {
  return (SPACES[count] ??= ' '.repeat(count));
}

function widthOf(text: string): number {
  return isNarrow(text) ? text.length : stringWidth(text);
}

const NARROW = 'µ–≥≈…×';

/** Whether a text is of printable ASCII and the signs of our numbers, as nearly all cells are. A loop is faster than a pattern. */
function isNarrow(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 || code > 0x7e) && !NARROW.includes(text[at] as string)) return false;
  }
  return true;
}

function keptColumns<Row>(columns: readonly TableColumn<Row>[], widths: readonly number[], width: number): number[] {
  const kept = columns.map((_, column) => column);
  const usedWidth = () => totalWidth(kept.map((column) => widths[column]));
  while (usedWidth() > width) {
    const dropped = Math.max(...kept.map((column) => columns[column]?.rank ?? 0));
    if (dropped === 0 || kept.length === 0) break;
    kept.splice(
      kept.findLastIndex((column) => columns[column]?.rank === dropped),
      1,
    );
  }
  return kept;
}

/** Returns the width of these columns, each with the gap after it. */
function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, 0);
}

/** Returns the longest form of a name that fits, with control characters escaped. */
export function fittingName(name: string, width: number): string {
  if (name.length <= width && isNarrow(name)) return name;
  const full = visibleText(name);
  if (widthOf(full) <= width) return isolated(full);
  for (const shorter of shorterNames(name)) {
    const text = visibleText(shorter);
    if (widthOf(text) <= width) return isolated(text);
  }
  return isolated(cutTo(visibleText([...shorterNames(name)].at(-1) ?? name), width));
}

/** Cuts a text to a width, with an ellipsis at its end. */
function cutTo(text: string, width: number): string {
  let kept = '';
  let left = width - widthOf('…');
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Isolates right-to-left text, which would otherwise reorder the numbers next to it. */
function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Draws a share (0 to 1) as a bar of at most `width` characters; a share above 0 is never invisible. */
export function bar(share: number, width: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + PARTS[eighths % 8];
}

const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Aligns rows of cells in columns. */
export type Alignment = 'left' | 'right';

/** Also of an empty column. */
const MIN_WIDTH = 1;

/** Each row has one cell per alignment, without wide characters. A left-aligned last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string[] {
  const widths = alignments.map((_, column) => Math.max(MIN_WIDTH, ...rows.map((row) => row[column].length)));
  const cell = (text: string, column: number) => {
    if (alignments[column] === 'right') return text.padStart(widths[column]);
    return column === alignments.length - 1 ? text : text.padEnd(widths[column]);
  };
  return rows.map((row) => row.map(cell).join('  '));
}
