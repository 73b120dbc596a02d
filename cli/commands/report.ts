/**
 * `ptflame report`: prints a table of functions.
 */

import * as z from 'zod';
import { interruptibleNow, nextTurn } from '../../src/host/turns.js';
import { byTime, doubtWords } from '../../src/model/calls/doubts.js';
import { PtflameError } from '../../src/model/errors.js';
import { type StreamedReport, streamedReport } from '../../src/questions/report/answer.js';
import type { FunctionRow, InterruptRow, Report, ThreadReport } from '../../src/questions/report/schema.js';
import { formatCount, formatDuration, isTotalInferred, threadNoun } from '../../src/render/format.js';
import { collapseLibraries } from '../../src/render/frames/collapse.js';
import {
  BLOCKED_COLUMNS,
  FUNCTION_COLUMNS,
  type FunctionColumn,
  KERNEL_COLUMNS,
  KERNEL_KEYS,
  type KernelKey,
} from '../../src/render/function-columns.js';
import { visibleText } from '../../src/render/visible-text.js';
import { nameMatcher } from '../../src/trace/records/thread-names.js';
import {
  csvColumns,
  distinctNames,
  LINE_TITLES,
  lineCells,
  lineColumns,
  shareCell,
  topLines,
  traceLines,
} from '../answers/cells.js';
import { openInputs } from '../input/open-inputs.js';
import { loadTimedProfile } from '../input/traces.js';
import { answering, collapsing, INPUTS, inline, matching, reading, shown, srcline } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, type CsvCell, openAnswer } from '../output/answer.js';
import { findingLines } from '../output/findings.js';
import { notifyQuality } from '../output/lines.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame report`. */
export const ReportOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    sort: flag(
      z.enum(['total', 'self', 'outside', 'calls', 'avg', 'max', 'p99', 'name']).default('total'),
      'sort by this column',
      { common: true },
    ),
    top: flag(
      z.number('must be a number').int('must be a whole number').min(0, 'must be 0 or more').optional(),
      'maximum number of functions; 0: all (default: 40; JSON and CSV: all)',
      { common: 'maximum number of functions, 0 for all' },
    ),
    interrupts: flag(
      z.boolean().default(false),
      'traced kernels: list interrupts and whom they hit, instead of functions',
    ),
    by: flag(z.enum(['none', 'thread']).default('none'), 'repeat the table for each thread', {
      common: true,
      formerly: { threads: 'thread' },
    }),
    ...answering(),
  }),
  ...srcline(),
  ...inline(),
  ...collapsing(),
  ...matching(),
  ...shown(),
  ...reading(),
});
export type ReportOptions = z.infer<typeof ReportOptions>;

export const command = defineCommand({
  details:
    'Time outside is in system calls, blocked, or in code that was not traced. Averages and percentiles are of complete calls, "27 of 54"; p90 needs 10, p99 needs 100.',
  examples: [
    ['ptflame report perf.data --sort self --top 20', 'where the time goes'],
    ["ptflame report trace.txt --match '^mem_' --by thread", 'some functions, also per thread'],
    ["ptflame report trace.txt --inside 'do_command#1ms,'", 'where slow calls of a function spend their time'],
    ['ptflame report trace.txt -o report.csv', 'for spreadsheets; -o report.json for programs'],
  ],
  arguments: [INPUTS],
  schema: ReportOptions,
  formats: answerFormats,
  run: report,
});

/** Default number of rows of a text table. */
const DEFAULT_ROWS = 40;

export async function report(options: ReportOptions, signal: AbortSignal): Promise<void> {
  const { sort, match, by, interrupts, collapse, fold } = options;
  if (interrupts && !SORTS_INTERRUPTS.includes(sort)) throw notOfInterrupts(sort);
  if (interrupts && (collapse || fold))
    throw new PtflameError('BAD_OPTION', '--interrupts lists functions, which --collapse and --fold hide', {
      hint: 'leave one of them out',
    });
  const threads = by === 'thread';
  const inputs = await openInputs(options.inputs, options, signal);
  const output = await openAnswer(options, options.inputs);
  const loaded = await loadTimedProfile(
    inputs,
    options,
    { trees: threads ? 'apart' : 'together', durations: true },
    signal,
  );
  await nextTurn();
  const profile = collapseLibraries(loaded, collapse, fold);
  const isMatch = match && { match: nameMatcher(match, profile.symbols.name) };
  const reportOf = (top: number | undefined) =>
    interruptibleNow(() => streamedReport(profile, { sort, threads, interrupts, ...(top && { top }), ...isMatch }));
  const all = reportOf(undefined); // a text table also states the number of other rows
  const top = () => (options.top ? reportOf(options.top) : all);
  await output.write({
    json: top,
    text: (width) => reportLines(all, findingLines(profile), width, options.top ?? DEFAULT_ROWS),
    csv: () => (interrupts ? interruptCsv(top()) : csvRows(top(), options.srcline)),
  });
  await notifyQuality(profile, options);
}

const SORTS_INTERRUPTS: readonly string[] = ['total', 'calls', 'avg', 'max', 'name'] satisfies ReportOptions['sort'][];

function notOfInterrupts(sort: string): PtflameError {
  return new PtflameError('BAD_OPTION', `--interrupts has no ${sort} to sort by`, {
    hint: `--sort ${SORTS_INTERRUPTS.join('|')}`,
  });
}

/** In CSV, the reason of most of the inferred time follows the columns of numbers. */
const DOUBT_TITLE = 'inferredMostly';

const COLUMNS = csvColumns(
  'name dso calls inferred totalNs selfNs outsideNs onCpuNs inferredNs avgNs minNs maxNs p50Ns p90Ns p99Ns unwound longestCutNs outsideSelfNs isStop',
  FUNCTION_COLUMNS.map(({ key }) => key),
) as Exclude<keyof FunctionRow, 'srcline' | 'isInlined' | 'inferredBy' | 'entry' | 'asideNs' | KernelKey>[];

/** With threads, each row begins with tid, pid and comm, which are empty for all threads together. */
function* csvRows({ functions, threads }: StreamedReport, hasLines: boolean): Iterable<CsvCell[]> {
  const kernel = functions.some(hasKernelTimes) ? KERNEL_KEYS : [];
  const columns = [...COLUMNS, ...(hasLines ? LINE_TITLES : []), DOUBT_TITLE, ...kernel];
  const cells = (row: FunctionRow) => [
    ...COLUMNS.map((column) => row[column]),
    ...(hasLines ? lineCells(row) : []),
    byTime(row.inferredBy ?? {})[0]?.[0] ?? null,
    ...kernel.map((column) => row[column] ?? null),
  ];
  if (threads === undefined) {
    yield columns;
    for (const row of functions) yield cells(row);
    return;
  }
  yield ['tid', 'pid', 'comm', ...columns];
  for (const row of functions) yield [null, null, null, ...cells(row)];
  for (const { tid, pid, comm, functions: own } of threads) {
    for (const row of own) yield [tid, pid, comm, ...cells(row)];
  }
}

/**
 * Formats a report as terminal text: what stands out, the trace, the selection, and a table of functions.
 *
 * `findings`: a line each. `width`: of the terminal. `top`: number of functions of each table; 0: all.
 */
export function* reportLines(
  report: StreamedReport,
  findings: readonly string[],
  width: number,
  top: number,
): Iterable<string> {
  const { trace, quality, functions, threads = [] } = report;
  const nameOf = distinctNames(functions);
  const shownOf = (rows: readonly FunctionRow[]) => (top === 0 ? rows : rows.slice(0, top));
  const columns = columnsOf(trace);
  const table = (rows: readonly FunctionRow[], totalNs: number, interrupts?: readonly InterruptRow[]) =>
    interrupts !== undefined
      ? interruptLines(interrupts, totalNs, width, top)
      : rows.length === 0
        ? ['no functions']
        : topLines(rows, top, (shown) =>
            tableLines(shown, columns(shown, totalNs), { name: nameOf, nameTitle: 'function', width }),
          );
  if (findings.length > 0) yield* [...findings, ''];
  yield* [...traceLines(trace, quality), '', ...table(functions, trace.totalNs, report.interrupts)];
  let isInferred = shownOf(functions).some(isTotalInferred);
  for (const thread of threads) {
    yield* ['', threadTitle(thread, trace), ...table(thread.functions, thread.totalNs, thread.interrupts)];
    isInferred ||= shownOf(thread.functions).some(isTotalInferred);
  }
  if (report.interrupts !== undefined || trace.isBlockedTime) return;
  if (isInferred) yield* ['', INFERRED_NOTE];
  if (shownOf(functions).some(({ asideNs = 0 }) => asideNs > 0)) yield* ['', ASIDE_NOTE];
}

function interruptLines(rows: readonly InterruptRow[], totalNs: number, width: number, top: number): string[] {
  if (rows.length === 0) return ['no interrupts'];
  const columns: TableColumn<InterruptRow>[] = [
    { title: 'total', text: (row) => formatDuration(row.totalNs) },
    { title: '%', text: (row) => shareCell(row.totalNs, totalNs), rank: 1 },
    { title: 'count', text: (row) => formatCount(row.calls) },
    { title: 'avg', text: ({ avgNs }) => (avgNs === null ? '–' : formatDuration(avgNs)) },
    { title: 'max', text: ({ maxNs }) => (maxNs === null ? '–' : formatDuration(maxNs)) },
    { title: 'interrupt', text: ({ name }) => visibleText(name), isLeft: true },
    ...(rows.some(({ handlers }) => handlers.length > 0)
      ? [{ title: 'handled by', text: (row: InterruptRow) => handlersOf(row, ', '), isLeft: true, rank: 2 }]
      : []),
  ];
  const name = ({ interrupted }: InterruptRow) => interrupted?.name ?? 'code that is not traced';
  return topLines(rows, top, (shown) => tableLines(shown, columns, { name, nameTitle: 'interrupted', width }));
}

function handlersOf({ handlers }: InterruptRow, separator: string): string {
  return handlers.map(({ name }) => visibleText(name)).join(separator);
}

/** With threads, as for functions. */
function* interruptCsv({ interrupts = [], threads }: StreamedReport): Iterable<CsvCell[]> {
  const titles = [
    'name',
    'dso',
    'entry',
    'interrupted',
    'interruptedDso',
    'calls',
    'totalNs',
    'avgNs',
    'maxNs',
    'handlers',
  ];
  const cells = (row: InterruptRow): CsvCell[] => {
    const { name, dso, entry, interrupted, calls, totalNs, avgNs, maxNs } = row;
    const numbers = [calls, totalNs, avgNs, maxNs];
    return [name, dso, entry, interrupted?.name ?? null, interrupted?.dso ?? null, ...numbers, handlersOf(row, ' ')];
  };
  yield threads === undefined ? titles : ['tid', 'pid', 'comm', ...titles];
  for (const row of interrupts) yield threads === undefined ? cells(row) : [null, null, null, ...cells(row)];
  for (const { tid, pid, comm, interrupts: own = [] } of threads ?? [])
    for (const row of own) yield [tid, pid, comm, ...cells(row)];
}

const INFERRED_NOTE = '≈ in total: with time in which calls are not known to have gone on; max has only what is known';

const ASIDE_NOTE =
  'avg in brackets: with time that is not in total, waits shown on the caller of the scheduler, and halts';

function threadTitle({ tid, pid, comm, totalNs, onCpuNs }: ThreadReport, trace: Report['trace']): string {
  const { hasSwitches, isBlockedTime, merged } = trace;
  const name = comm === null ? '' : ` ${comm}`;
  const process = pid === null || pid === tid ? '' : ` of process ${pid}`;
  const who = merged ? `${threadNoun(trace)}${name}` : `thread ${tid}${name}${process}`;
  const time = `${who}: ${formatDuration(totalNs)}`;
  return isBlockedTime
    ? `${time} blocked`
    : `${time}, ${hasSwitches ? 'on CPU' : 'traced'} ${shareCell(onCpuNs, totalNs)}`;
}

function hasKernelTimes({ kernelNs }: FunctionRow): boolean {
  return kernelNs !== undefined;
}

/** The parts of time take the place of the one on a CPU. */
const COLUMNS_WITH_KERNEL = FUNCTION_COLUMNS.flatMap((column) => (column.key === 'onCpuNs' ? KERNEL_COLUMNS : column));

/** Returns the columns of a table; `totalNs`: 100 % of its shares. */
type ColumnsOf = (rows: readonly FunctionRow[], totalNs: number) => TableColumn<FunctionRow>[];

/** What the tables of all threads share is made once. */
function columnsOf({ hasSwitches, isBlockedTime }: Report['trace']): ColumnsOf {
  const titled = (column: FunctionColumn) =>
    column.key === 'onCpuNs' && !hasSwitches ? { ...column, title: 'traced' } : column;
  const usual = (isBlockedTime ? BLOCKED_COLUMNS : FUNCTION_COLUMNS).map(titled);
  return (rows, totalNs) => {
    const share = (key: 'totalNs' | 'selfNs', rank: number): TableColumn<FunctionRow> => ({
      title: '%',
      text: (row) => shareCell(row[key], totalNs),
      rank,
    });
    const columns: TableColumn<FunctionRow>[] = [];
    for (const column of !isBlockedTime && rows.some(hasKernelTimes) ? COLUMNS_WITH_KERNEL : usual) {
      if (column.key === 'unwound' && !rows.some(({ unwound }) => unwound > 0)) continue;
      columns.push(column);
      if (column.key === 'totalNs') columns.push(share('totalNs', 3));
      if (column.key === 'selfNs' && !isBlockedTime) columns.push(share('selfNs', 5));
    }
    return [...columns, ...inferredColumns(rows), ...lineColumns(rows)];
  };
}

/** Less than this share of a function's time is not worth a column. */
const SHOWN_SHARE = 0.01;

/** The share of a function's own time, and that of stops on it, that is inferred, and mostly why. */
function inferredColumns(rows: readonly FunctionRow[]): TableColumn<FunctionRow>[] {
  const ownNs = ({ selfNs, outsideSelfNs, isStop }: FunctionRow) => (isStop ? selfNs : selfNs + outsideSelfNs);
  const isShown = (row: FunctionRow) => row.inferredNs >= SHOWN_SHARE * Math.max(1, ownNs(row));
  if (!rows.some(isShown)) return [];
  return [
    {
      title: 'inferred',
      text: (row) => (isShown(row) ? `${shareCell(row.inferredNs, ownNs(row))} ${mainDoubt(row)}`.trimEnd() : '–'),
      rank: 4,
    },
  ];
}

function mainDoubt({ inferredBy = {} }: FunctionRow): string {
  const [main] = byTime(inferredBy);
  return main === undefined ? '' : doubtWords(main[0]).short;
}
