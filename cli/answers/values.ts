/**
 * Formats the values of a field of an event, as terminal text.
 */
import type { ValueStatistics, ValuesAnswer } from '../../src/questions/values/schema.js';
import { formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { bar } from '../terminal/bar.js';
import { alignColumns } from '../terminal/columns.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { type HistogramRow, histogramLines } from './histogram.js';
import { shareCell, UNKNOWN } from './numbers.js';
import { topLines } from './top-lines.js';
import { placeText, threadName } from './wait-names.js';

export interface ValuesTextOptions {
  readonly by: 'value' | 'thread' | 'function';
  readonly width: number;
  /** Maximum number of rows; 0: all. */
  readonly top: number;
  /** The histogram has steps of this size; null: powers of two. */
  readonly step: number | null;
}

export function valuesLines(answer: ValuesAnswer, options: ValuesTextOptions): string[] {
  const head = headLines(answer);
  if (answer.stats.samples === 0) return head;
  const cell = numberCells(answer);
  const hasRange = options.step !== null || !hasAddresses(answer);
  return [
    ...head,
    ...(hasRange ? statsLines(answer, cell) : []),
    ...(hasRange ? section(histogramLines(barsOf(answer, cell), ['samples'], options.width)) : []),
    ...section(rowLines(answer, cell, options)),
  ];
}

/** "mysqld 123". */
export function threadText({ tid, pid, comm }: Omit<ValuesAnswer['threads'][number], 'stats'>): string {
  return threadName({ tid, pid, comm, isTraced: true });
}

function section(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function headLines({ event, field, stats, threads, seen, without, missing }: ValuesAnswer): string[] {
  const { samples, distinct } = stats;
  const when =
    seen === null
      ? ''
      : ` of ${formatMany(threads.length, 'thread')} in ${formatDuration(seen.durationNs)} from ${seen.start}`;
  const values = samples === 0 ? '' : `: ${formatMany(distinct, 'different value')}`;
  return [
    visibleText(`${event}:${field}`),
    samples === 0 ? 'no samples' : `${formatMany(samples, 'sample')}${when}${values}`,
    ...(without === 0 ? [] : [`${formatMany(without, 'other sample')} of the event without ${visibleText(field)}`]),
    ...missing.map(({ what, remedy }) => `note: ${what}${remedy === null ? '' : `: ${remedy}`}`),
  ];
}

type NumberCell = (value: number | string | null) => string;

/** From here on, hexadecimal numbers are addresses; below, most are numbers that a probe recorded without a type. */
const MIN_ADDRESS = 2 ** 32;

function hasAddresses({ style, stats: { max } }: ValuesAnswer): boolean {
  return style === 'hexadecimal' && (typeof max !== 'number' || max >= MIN_ADDRESS);
}

function numberCells(answer: ValuesAnswer): NumberCell {
  const isAddress = hasAddresses(answer);
  return (value) => {
    if (value === null) return UNKNOWN;
    if (typeof value === 'string') return value;
    if (isAddress) return `0x${BigInt(Math.round(value)).toString(16)}`;
    return Number.isInteger(value) ? integerText(value) : averageText(value);
  };
}

/** Ends of ranges beyond 2^53 are powers of two. */
function integerText(value: number): string {
  const size = Math.abs(value);
  const text = Number.isSafeInteger(value) ? formatCount(size) : `2^${Math.log2(size)}`;
  return `${value < 0 ? '−' : ''}${text}`;
}

function averageText(value: number): string {
  const text = Math.abs(value) >= 100 ? formatCount(Math.round(Math.abs(value))) : Math.abs(value).toPrecision(3);
  return `${value < 0 ? '−' : ''}${text}`;
}

function statsLines({ stats, style }: ValuesAnswer, cell: NumberCell): string[] {
  if (style === 'text') return [];
  const titles = ['avg', 'min', 'p50', 'p90', 'p99', 'max'] as const;
  return alignColumns(
    [titles, titles.map((title) => cell(stats[title]))],
    titles.map(() => 'right'),
  );
}

/** Ranges without samples are left out. */
function barsOf({ histogram }: ValuesAnswer, cell: NumberCell): (HistogramRow | null)[] {
  return histogram.flatMap(({ from, to, samples }, at) => {
    const row = { from: cell(from), to: to - from <= 1 ? '' : `< ${cell(to)}`, counts: [samples] };
    return at > 0 && histogram[at - 1].to !== from ? [null, row] : [row];
  });
}

function rowLines(answer: ValuesAnswer, cell: NumberCell, { by, width, top }: ValuesTextOptions): string[] {
  const { values, threads, functions } = answer;
  switch (by) {
    case 'value':
      return topLines(values, top, (rows) => valueTable(rows, answer, width));
    case 'thread':
      return topLines(threads, top, (rows) => statsTable(rows, answer, cell, threadText, by, width));
    case 'function':
      return topLines(functions ?? [], top, (rows) => statsTable(rows, answer, cell, placeText, by, width));
  }
}

function valueTable(rows: readonly ValueRow[], { stats, threads }: ValuesAnswer, width: number): string[] {
  const share = ({ samples }: { readonly samples: number }) => samples / stats.samples;
  const columns: TableColumn<ValueRow>[] = [
    { title: 'samples', text: ({ samples }) => formatCount(samples) },
    { title: '%', text: ({ samples }) => shareCell(samples, stats.samples) },
    { title: '', text: (row) => bar(share(row), 10), isLeft: true, rank: 2 },
    ...(threads.length > 1 ? [threadsColumn] : []),
  ];
  return tableLines(rows, columns, { name: ({ value }) => (value === '' ? '""' : value), nameTitle: 'value', width });
}

type ValueRow = ValuesAnswer['values'][number];

const threadsColumn: TableColumn<ValueRow> = {
  title: 'threads',
  text: ({ threads }) => formatCount(threads),
  rank: 1,
};

function statsTable<Row extends { readonly stats: ValueStatistics }>(
  rows: readonly Row[],
  answer: ValuesAnswer,
  cell: NumberCell,
  name: (row: Row) => string,
  nameTitle: string,
  width: number,
): string[] {
  const number = (title: 'avg' | 'min' | 'p50' | 'p99' | 'max', rank: number): TableColumn<Row>[] =>
    answer.style === 'text' || hasAddresses(answer) ? [] : [{ title, text: ({ stats }) => cell(stats[title]), rank }];
  const columns: TableColumn<Row>[] = [
    { title: 'samples', text: ({ stats }) => formatCount(stats.samples) },
    { title: '%', text: ({ stats }) => shareCell(stats.samples, answer.stats.samples) },
    { title: 'values', text: ({ stats }) => formatCount(stats.distinct), rank: 1 },
    ...number('avg', 3),
    ...number('min', 4),
    ...number('p50', 5),
    ...number('p99', 6),
    ...number('max', 2),
  ];
  return tableLines(rows, columns, { name, nameTitle, width });
}
