/**
 * Formats a report as terminal text: the trace, the selection, and a table of functions.
 */

import type { FunctionRow, Report, ThreadReport } from '../../src/questions/schema.js';
import { formatDuration, formatMany, isTotalInferred, threadNoun } from '../../src/render/format.js';
import { BLOCKED_COLUMNS, FUNCTION_COLUMNS, type FunctionColumn } from '../../src/render/function-columns.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { distinctNames, lineColumns, shareCell, topLines } from './source-lines.js';

/** `width`: of the terminal. `top`: number of functions of each table; 0: all. */
export function* reportLines(report: Report, width: number, top: number): Iterable<string> {
  const { trace, quality, functions, threads = [] } = report;
  const nameOf = distinctNames(functions);
  const shownOf = (rows: readonly FunctionRow[]) => (top === 0 ? rows : rows.slice(0, top));
  const table = (rows: readonly FunctionRow[], totalNs: number) =>
    rows.length === 0
      ? ['no functions']
      : topLines(rows, top, (shown) =>
          tableLines(shown, columns(totalNs, shown, trace), { name: nameOf, nameTitle: 'function', width }),
        );
  yield* [...traceLines(trace, quality), '', ...table(functions, trace.totalNs)];
  for (const thread of threads) yield* ['', threadTitle(thread, trace), ...table(thread.functions, thread.totalNs)];
  const shown = [functions, ...threads.map((thread) => thread.functions)].flatMap(shownOf);
  if (!trace.isBlockedTime && shown.some(isTotalInferred)) yield* ['', INFERRED_NOTE];
}

const INFERRED_NOTE = '≈ in total: with time in which calls are not known to have gone on; max has only what is known';

/** Returns the head of every answer: totals, bounds and selection. */
export function traceLines(trace: Report['trace'], quality: Report['quality']): string[] {
  const { start, durationNs, threads, totalNs, outsideNs, offCpuNs, hasSwitches, isBlockedTime, part, merged } = trace;
  const outside = `${shareCell(outsideNs, totalNs)} outside traced code`;
  const offCpu = hasSwitches
    ? `, ${shareCell(offCpuNs, totalNs)} off CPU`
    : `; without switch records, traced time is a lower bound of on-CPU time${switchesRemedyText(quality)}`;
  const when = merged
    ? `, ${formatMany(merged.recordings, 'recording')} added up`
    : ` in ${formatDuration(durationNs)} from ${start}`;
  return [
    `${formatDuration(totalNs)} of ${formatMany(threads, threadNoun(trace))}${when}${isBlockedTime ? '' : `: ${outside}${offCpu}`}`,
    ...(part === null ? [] : [`only ${visibleText(part)}`]),
  ];
}

/** Profiles of older versions have no remedy for missing switch records. */
function switchesRemedyText({ remedies }: Report['quality']): string {
  return remedies?.switches ? `: ${remedies.switches}` : '';
}

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

/** `totalNs`: 100 % of the shares. */
function columns(
  totalNs: number,
  rows: readonly FunctionRow[],
  { hasSwitches, isBlockedTime }: Report['trace'],
): TableColumn<FunctionRow>[] {
  const isShown = ({ key }: FunctionColumn) => key !== 'unwound' || rows.some((row) => row.unwound > 0);
  const shares = isBlockedTime ? { totalNs: 3 } : { totalNs: 3, selfNs: 5 };
  const columns = (isBlockedTime ? BLOCKED_COLUMNS : FUNCTION_COLUMNS).filter(isShown).flatMap((column) => [
    column.key === 'onCpuNs' && !hasSwitches ? { ...column, title: 'traced' } : column,
    ...Object.entries(shares)
      .filter(([key]) => key === column.key)
      .map(([key, rank]) => ({
        title: '%',
        text: (row: FunctionRow) => shareCell(row[key as keyof typeof shares], totalNs),
        rank,
      })),
  ]);
  return [...columns, ...lineColumns(rows)];
}
