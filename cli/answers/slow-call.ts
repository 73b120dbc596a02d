/**
 * Formats one of the slowest calls: how its time differs from that of the average call.
 */
import type { DifferenceRow, LatencyStats, SlowCall } from '../../src/questions/schema.js';
import { formatDuration } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { averageCountCell, differenceCell, shareCell } from './numbers.js';

/** Rows below this share of the difference of the call are left out. */
const MIN_SHARE = 0.02;
const MAX_ROWS = 40;

export function slowCallLines(call: SlowCall, rank: number, { avgNs }: LatencyStats, width: number): string[] {
  const { tid, comm, start, durationNs, isUnwound, outsideNs } = call;
  const who = `thread ${tid}${comm === null ? '' : ` ${visibleText(comm)}`}`;
  const outside = `${shareCell(outsideNs, durationNs)} outside traced code`;
  const average = avgNs === null ? '' : `; the average call takes ${formatDuration(avgNs)}`;
  const head = `slowest call ${rank + 1}: ${formatDuration(durationNs)}${isUnwound ? ' (unwound)' : ''} from ${start} in ${who}, ${outside}${average}`;
  const rows = notableRows(call.differences);
  const options = {
    name: ({ name }: DifferenceRow) => name,
    nameTitle: 'frame',
    indent: ({ depth }: DifferenceRow) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [head, ...tableLines(rows, COLUMNS, options), ...leftOutLines(call.differences.length - rows.length)];
}

const COLUMNS: readonly TableColumn<DifferenceRow>[] = [
  { title: 'more', text: ({ differenceNs }) => differenceCell(differenceNs) },
  { title: 'this call', text: ({ ns }) => formatDuration(ns) },
  { title: 'average', text: ({ averageNs }) => formatDuration(averageNs) },
  { title: 'calls', text: ({ calls, isSelf }) => (isSelf ? '' : averageCountCell(calls)), rank: 1 },
  { title: 'average', text: ({ averageCalls, isSelf }) => (isSelf ? '' : averageCountCell(averageCalls)), rank: 2 },
];

/** Returns rows that differ notably, and their callers. */
function notableRows(rows: readonly DifferenceRow[]): DifferenceRow[] {
  const minNs = MIN_SHARE * Math.abs(rows[0]?.differenceNs ?? 0);
  const found: DifferenceRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth > hiddenBelow) continue;
    const isNotable = row.depth === 0 || Math.abs(row.differenceNs) > minNs;
    hiddenBelow = isNotable ? Number.POSITIVE_INFINITY : row.depth;
    if (isNotable && found.length < MAX_ROWS) found.push(row);
  }
  return found;
}

function leftOutLines(rows: number): string[] {
  return rows > 0 ? [`– and ${rows} more that differ less`] : [];
}
