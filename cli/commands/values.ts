/**
 * `ptflame values`: shows which values an argument of a probe or tracepoint had, and how often.
 */

import * as z from 'zod';
import { PERCENTILES } from '../../src/model/percentiles.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import { askValues, valuesAnswer } from '../../src/questions/values/ask-values.js';
import type { ValueStatistics, ValuesAnswer } from '../../src/questions/values/schema.js';
import { formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { csvColumns, shareCell, topLines, UNKNOWN } from '../answers/cells.js';
import { type HistogramRow, histogramLines } from '../answers/histogram.js';
import { insideFlag, insideLines } from '../answers/inside-calls.js';
import { placeText, threadName } from '../answers/wait-names.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { answering, limit, reading, replaying, selection, TRACES, windowed } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { notifyQuality } from '../output/lines.js';
import { alignColumns, bar, type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame values`. */
const ValuesOptions = z.object({
  field: path,
  inputs: z.array(path).min(1),
  ...group('Output', {
    by: flag(
      z.enum(['value', 'thread', 'function']).default('value'),
      'show a row for each value, thread, or function with what it called (needs an Intel PT trace)',
      { common: 'show a row for each of them' },
    ),
    step: flag(
      z.number('must be a number').positive('must be more than 0').optional(),
      'size of the ranges of the histogram (default: powers of two)',
      { formats: ['text', 'json'], common: 'size of the ranges of the histogram' },
    ),
    top: limit(20, 'maximum number of rows; 0: all (JSON and CSV: all)', ['text'], 'maximum number of rows, 0 for all'),
    ...answering(),
  }),
  ...group('Selection', { inside: insideFlag('samples', ', their begin and end included') }),
  ...windowed(),
  ...selection(),
  ...replaying(),
  ...reading(),
});
type ValuesOptions = z.infer<typeof ValuesOptions>;

export const command = defineCommand({
  details: 'Shows their distribution, by value, thread or function. The input needs no Intel PT trace.',
  examples: [
    ['ptflame values push:job perf.data', 'distribution of the argument job of the probe push'],
    ['ptflame values read:bytes perf.data --step 4096', 'in steps of 4096 instead of powers of two'],
    ['ptflame values sched:sched_switch:prev_state perf.data --by thread', 'a field of a tracepoint, for each thread'],
    ['ptflame values alloc:size perf.data --by function', 'from where the probed function was called'],
  ],
  arguments: [
    {
      property: 'field',
      placeholder: 'EVENT:FIELD',
      description: 'a probe or tracepoint, and one of its values; :FIELD may be omitted if it is the only one',
      short: 'a probe or tracepoint, and one of its values',
    },
    TRACES,
  ],
  schema: ValuesOptions,
  formats: answerFormats,
  run: values,
});

export async function values(options: ValuesOptions, signal: AbortSignal): Promise<void> {
  const { inside, ...flags } = options;
  const { field, step, by, top } = flags;
  const opening = { ...options, onlySamples: !needsTrace(options) };
  const inputs = await requireTraces(await openInputs(options.inputs, opening, signal));
  const output = await openAnswer(options, options.inputs);
  const question = {
    field,
    byFunction: by === 'function',
    ...(step !== undefined && { step }),
    ...(inside !== undefined && { inside }),
  };
  const result = await withProgress(inputs, { ...flags, foldRecursion: false }, signal, (analyzing) =>
    askValues(inputs, question, { ...analyzing, trees: 'together' }),
  );
  const answer = valuesAnswer(result);
  const text = (width: number) => valuesLines(answer, { by, width, top, step: step ?? null, inside });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer, by) });
  if (result.profile !== null) await notifyQuality(result.profile, options);
}

/** Functions are known from the trace, and so is the start of the recording: its first branch. */
function needsTrace({ by, window, inside }: ValuesOptions): boolean {
  const isRelative = [window?.from, window?.to].some((moment) => moment != null && 'afterStartNs' in moment);
  return by === 'function' || inside !== undefined || isRelative;
}

const COLUMNS = csvColumns<keyof ValueStatistics>(
  'samples distinct avg min p50 p90 p99 max',
  PERCENTILES.map(({ title }) => title),
);

function csvRows(answer: ValuesAnswer, by: ValuesOptions['by']): (string | number | null)[][] {
  const cells = (stats: ValueStatistics) => COLUMNS.map((column) => stats[column]);
  switch (by) {
    case 'value':
      return [['value', 'samples', 'threads'], ...answer.values.map((row) => [row.value, row.samples, row.threads])];
    case 'thread':
      return [['thread', ...COLUMNS], ...answer.threads.map((row) => [threadText(row), ...cells(row.stats)])];
    case 'function':
      return [
        ['function', ...COLUMNS],
        ...(answer.functions ?? []).map((row) => [placeText(row), ...cells(row.stats)]),
      ];
  }
}

/** Formats the values of a field of an event, as terminal text. */
interface ValuesTextOptions {
  readonly by: 'value' | 'thread' | 'function';
  readonly width: number;
  /** Maximum number of rows; 0: all. */
  readonly top: number;
  /** The histogram has steps of this size; null: powers of two. */
  readonly step: number | null;
  /** The calls that were asked about. */
  readonly inside?: CallPattern | undefined;
}

export function valuesLines(answer: ValuesAnswer, options: ValuesTextOptions): string[] {
  const head = [...headLines(answer), ...insideLines(answer.inside, options.inside)];
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
function threadText({ tid, pid, comm }: Omit<ValuesAnswer['threads'][number], 'stats'>): string {
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
  const titles = ['avg', 'min', ...PERCENTILES.map(({ title }) => title), 'max'] as const;
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
