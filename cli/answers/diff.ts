/**
 * Formats a comparison of two traces as terminal text.
 */
import type { Diff, DiffRow } from '../../src/answers.js';
import { formatCalls, formatCount, formatDuration } from '../../src/text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { differenceCell, durationCell, longestCell, UNKNOWN } from './numbers.js';
import { traceLines } from './report.js';
import { topLines } from './top-lines.js';

/** `top`: number of functions; 0: all. */
export function diffLines({ before, after, functions, quality }: Diff, width: number, top: number): string[] {
  const heads = [
    ...traceLines(before, quality.before).map((line) => `before: ${line}`),
    ...traceLines(after, quality.after).map((line) => `after:  ${line}`),
  ];
  if (functions.length === 0) return [...heads, '', 'no functions'];
  const options = { name: ({ name }: DiffRow) => name, nameTitle: 'function', width };
  return [...heads, '', ...topLines(functions, top, (rows) => tableLines(rows, COLUMNS, options))];
}

const COLUMNS: readonly TableColumn<DiffRow>[] = [
  { title: 'self', text: ({ selfNs }) => formatDuration(selfNs.after), rank: 3 },
  { title: 'Δ self', text: ({ selfNs }) => differenceCell(selfNs.after - selfNs.before) },
  { title: 'total', text: ({ totalNs }) => formatDuration(totalNs.after), rank: 4 },
  { title: 'Δ total', text: ({ totalNs }) => differenceCell(totalNs.after - totalNs.before) },
  { title: 'calls', text: ({ calls, inferred }) => formatCalls(calls.after, inferred.after), rank: 5 },
  { title: 'Δ calls', text: ({ calls }) => countChange(calls.after - calls.before), rank: 1 },
  { title: 'avg', text: ({ avgNs }) => durationCell(avgNs.after), rank: 6 },
  { title: 'Δ avg', text: ({ avgNs }) => averageChange(avgNs), rank: 2 },
  {
    title: 'max',
    text: ({ maxNs, longestCutNs }) => longestCell({ maxNs: maxNs.after, longestCutNs: longestCutNs.after }),
    rank: 6,
  },
];

function countChange(calls: number): string {
  return calls === 0 ? '0' : `${calls > 0 ? '+' : '−'}${formatCount(Math.abs(calls))}`;
}

function averageChange({ before, after }: DiffRow['avgNs']): string {
  return before === null || after === null ? UNKNOWN : differenceCell(after - before);
}
