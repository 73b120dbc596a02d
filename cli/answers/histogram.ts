/**
 * Calls by duration, powers of two, as bars: all of a call beside what of it was outside of traced code.
 */
import type { Latency } from '../../src/answers.js';
import { formatCount, formatDuration } from '../../src/text.js';
import { bar } from '../terminal/bar.js';
import { inColumns } from '../terminal/columns.js';

type Row = Latency['histogram'][number];

interface Series {
  readonly title: string;
  readonly calls: (row: Row) => number;
}

const LATENCY: Series = { title: 'calls', calls: ({ calls }) => calls };
const OUTSIDE: Series = { title: 'outside', calls: ({ outsideCalls }) => outsideCalls };
const OFF_CPU: Series = { title: 'off CPU', calls: ({ offCpuCalls }) => offCpuCalls };

/** What stands beside the bars takes so much room. */
const BESIDE = 22;
const FEWEST = 6;
const LONG_STRETCH = 3;

/** A long stretch without calls is one row: null. */
function shown(rows: readonly Row[]): (Row | null)[] {
  const isEmpty = (row: Row | undefined) =>
    row !== undefined && row.calls === 0 && row.outsideCalls === 0 && row.offCpuCalls === 0;
  const result: (Row | null)[] = [];
  for (let at = 0; at < rows.length; at++) {
    let end = at;
    while (isEmpty(rows[end])) end++;
    if (end - at < LONG_STRETCH) result.push(rows[at]);
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
  const room = Math.min(30, Math.max(FEWEST, Math.floor((width - BESIDE) / series.length) - 12));
  const largest = Math.max(...series.flatMap(({ calls }) => rows.map(calls)));
  const cells = shown(rows).map((row) =>
    row === null
      ? ['⋮', '', ...series.flatMap(() => ['', ''])]
      : [
          row.fromNs === 0 ? '0' : formatDuration(row.fromNs),
          row.toNs === 1 ? '' : `< ${formatDuration(row.toNs)}`,
          ...series.flatMap(({ calls }) => [
            calls(row) === 0 ? '' : formatCount(calls(row)),
            bar(calls(row) / largest, room),
          ]),
        ],
  );
  const titles = ['from', '', ...series.flatMap(({ title }) => [title, ''])];
  const alignments = ['right', 'right', ...series.flatMap(() => ['right', 'left'] as const)] as const;
  return inColumns([titles, ...cells], alignments).map((line) => line.trimEnd());
}
