/**
 * Formats a report as terminal text: the trace, the selection, and a table of functions.
 */

import type { FunctionRow, Report, ThreadReport } from '../../src/questions/schema.js';
import {
  formatCount,
  formatDuration,
  formatMany,
  formatTotal,
  isTotalInferred,
  threadNoun,
} from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { distinctNames } from './distinct-names.js';
import { callsCell, durationCell, longestCell, percentileCell, shareCell } from './numbers.js';
import { lineColumns } from './source-lines.js';
import { topLines } from './top-lines.js';

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

/** `totalNs`: 100 % of the shares. Of blocked time, only sums are known, and of waits, how long they were. */
function columns(
  totalNs: number,
  rows: readonly FunctionRow[],
  { hasSwitches, isBlockedTime }: Report['trace'],
): TableColumn<FunctionRow>[] {
  const lines = lineColumns(rows);
  if (isBlockedTime)
    return [
      { title: 'blocked', text: ({ totalNs: ns }) => formatDuration(ns) },
      { title: '%', text: ({ totalNs: ns }) => shareCell(ns, totalNs), rank: 3 },
      { title: 'parts of waits', text: callsCell },
      { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
      { title: 'min', text: ({ minNs }) => durationCell(minNs), rank: 2 },
      { title: 'max', text: longestCell },
      ...lines,
    ];
  const unwound = rows.some((row) => row.unwound > 0)
    ? [{ title: 'unwound', text: ({ unwound }: FunctionRow) => formatCount(unwound), rank: 2 }]
    : [];
  return [
    { title: 'total', text: formatTotal },
    { title: '%', text: ({ totalNs: ns }) => shareCell(ns, totalNs), rank: 3 },
    { title: 'self', text: ({ selfNs }) => formatDuration(selfNs) },
    { title: '%', text: ({ selfNs }) => shareCell(selfNs, totalNs), rank: 5 },
    { title: 'outside', text: ({ outsideNs }) => formatDuration(outsideNs), rank: 4 },
    { title: 'out. self', text: ({ outsideSelfNs }) => formatDuration(outsideSelfNs), rank: 5 },
    { title: hasSwitches ? 'on CPU' : 'traced', text: ({ onCpuNs, totalNs: ns }) => shareCell(onCpuNs, ns), rank: 6 },
    { title: 'calls', text: callsCell },
    ...unwound,
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'min', text: ({ minNs }) => durationCell(minNs), rank: 9 },
    { title: 'p50', text: percentileCell('p50Ns'), rank: 8 },
    { title: 'p90', text: percentileCell('p90Ns'), rank: 7 },
    { title: 'p99', text: percentileCell('p99Ns'), rank: 2 },
    { title: 'max', text: longestCell },
    ...lines,
  ];
}
