/**
 * Formats histograms: a row for each range, with a bar for each series of counts.
 */
import { formatCount, formatDuration } from '../../src/render/format.js';
import { alignColumns, bar } from '../terminal/table.js';

export interface HistogramRow {
  readonly from: string;
  readonly to: string;
  /** By series. */
  readonly counts: readonly number[];
}

/** Width of the columns next to the bars. */
const RANGE_WIDTH = 22;
const MIN_BAR_WIDTH = 6;
const MIN_COLLAPSED_ROWS = 3;

/** Returns a range of durations with its counts. */
export function durationRow(fromNs: number, toNs: number, counts: readonly number[]): HistogramRow {
  return {
    from: fromNs === 0 ? '0' : formatDuration(fromNs),
    to: toNs === 1 ? '' : `< ${formatDuration(toNs)}`,
    counts,
  };
}

/** Replaces three or more consecutive empty rows with null. */
function collapseEmpty(rows: readonly (HistogramRow | null)[]): (HistogramRow | null)[] {
  const isEmpty = (row: HistogramRow | null | undefined) => row?.counts.every((count) => count === 0) === true;
  const result: (HistogramRow | null)[] = [];
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

/** `titles`: of the series. A null stands for rows left out. */
export function histogramLines(
  rows: readonly (HistogramRow | null)[],
  titles: readonly string[],
  width: number,
): string[] {
  if (rows.length === 0) return [];
  const barWidth = Math.min(30, Math.max(MIN_BAR_WIDTH, Math.floor((width - RANGE_WIDTH) / titles.length) - 12));
  const largest = rows.reduce((most, row) => Math.max(most, ...(row?.counts ?? [])), 0);
  const cells = collapseEmpty(rows).map((row) =>
    row === null
      ? ['⋮', '', ...titles.flatMap(() => ['', ''])]
      : [
          ...[row.from, row.to],
          ...row.counts.flatMap((count) => [count === 0 ? '' : formatCount(count), bar(count / largest, barWidth)]),
        ],
  );
  const head = ['from', '', ...titles.flatMap((title) => [title, ''])];
  const alignments = ['right', 'right', ...titles.flatMap(() => ['right', 'left'] as const)] as const;
  return alignColumns([head, ...cells], alignments).map((line) => line.trimEnd());
}
