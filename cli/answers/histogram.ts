/**
 * Formats histograms of calls by powers of two: of their durations, of their time outside traced code, and off CPU.
 */
import type { Latency } from '../../src/answers.js';
import { formatCount, formatDuration } from '../../src/text.js';
import { bar } from '../terminal/bar.js';
import { alignColumns } from '../terminal/columns.js';

type Row = Latency['histogram'][number];

interface Series {
  readonly title: string;
  readonly calls: (row: Row) => number;
}

const LATENCY: Series = { title: 'calls', calls: ({ calls }) => calls };
const OUTSIDE: Series = { title: 'outside', calls: ({ outsideCalls }) => outsideCalls };
const OFF_CPU: Series = { title: 'off CPU', calls: ({ offCpuCalls }) => offCpuCalls };

/** Width of the columns next to the bars. */
const RANGE_WIDTH = 22;
const MIN_BAR_WIDTH = 6;
const MIN_COLLAPSED_ROWS = 3;

/** Replaces three or more consecutive empty rows with null. */
function collapseEmpty(rows: readonly Row[]): (Row | null)[] {
  const isEmpty = (row: Row | undefined) =>
    row !== undefined && row.calls === 0 && row.outsideCalls === 0 && row.offCpuCalls === 0;
  const result: (Row | null)[] = [];
  for (let at = 0; at < rows.length; at++) {
    let end = at;
    while (isEmpty(rows[end])) end++;
    if (end - at < MIN_COLLAPSED_ROWS) result.push(rows[at]);
    else {
      result.push(null);
      at = end - 1;
    }
  }
  return result;
}

export function histogramLines(
  rows: readonly Row[],
  { width, hasSwitches }: { readonly width: number; readonly hasSwitches: boolean },
): string[] {
  if (rows.length === 0) return [];
  const series = hasSwitches ? [LATENCY, OUTSIDE, OFF_CPU] : [LATENCY, OUTSIDE];
  const barWidth = Math.min(30, Math.max(MIN_BAR_WIDTH, Math.floor((width - RANGE_WIDTH) / series.length) - 12));
  const largest = Math.max(...series.flatMap(({ calls }) => rows.map(calls)));
  const cells = collapseEmpty(rows).map((row) =>
    row === null
      ? ['⋮', '', ...series.flatMap(() => ['', ''])]
      : [
          row.fromNs === 0 ? '0' : formatDuration(row.fromNs),
          row.toNs === 1 ? '' : `< ${formatDuration(row.toNs)}`,
          ...series.flatMap(({ calls }) => [
            calls(row) === 0 ? '' : formatCount(calls(row)),
            bar(calls(row) / largest, barWidth),
          ]),
        ],
  );
  const titles = ['from', '', ...series.flatMap(({ title }) => [title, ''])];
  const alignments = ['right', 'right', ...series.flatMap(() => ['right', 'left'] as const)] as const;
  return alignColumns([titles, ...cells], alignments).map((line) => line.trimEnd());
}
