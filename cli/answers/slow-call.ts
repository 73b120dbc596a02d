/**
 * One of the longest calls beside the average one: where its time went that theirs did not.
 */
import type { DifferenceRow, LatencyStats, SlowCall } from '../../src/answers.js';
import { formatDuration, visibleText } from '../../src/text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { averageCountCell, differenceCell, shareCell } from './numbers.js';

/** Rows that differ by less than this part of what the call differs by tell nothing. */
const LEAST_SHARE = 0.02;
const MOST_ROWS = 40;

export function slowCallLines(call: SlowCall, place: number, { avgNs }: LatencyStats, width: number): string[] {
  const { tid, comm, start, durationNs, isUnwound, outsideNs } = call;
  const who = `thread ${tid}${comm === null ? '' : ` ${visibleText(comm)}`}`;
  const outside = `${shareCell(outsideNs, durationNs)} outside of traced code`;
  const average = avgNs === null ? '' : `; the average call takes ${formatDuration(avgNs)}`;
  const head = `slowest call ${place + 1}: ${formatDuration(durationNs)}${isUnwound ? ' (unwound)' : ''} from ${start} in ${who}, ${outside}${average}`;
  const rows = tellingRows(call.differences);
  const options = {
    name: ({ name }: DifferenceRow) => name,
    nameTitle: 'what was different',
    indent: ({ depth }: DifferenceRow) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [head, ...tableLines(rows, COLUMNS, options), ...leftOut(call.differences.length - rows.length)];
}

const COLUMNS: readonly TableColumn<DifferenceRow>[] = [
  { title: 'more', text: ({ differenceNs }) => differenceCell(differenceNs) },
  { title: 'this call', text: ({ ns }) => formatDuration(ns) },
  { title: 'average', text: ({ averageNs }) => formatDuration(averageNs) },
  { title: 'calls', text: ({ calls, isSelf }) => (isSelf ? '' : averageCountCell(calls)), rank: 1 },
  { title: 'average', text: ({ averageCalls, isSelf }) => (isSelf ? '' : averageCountCell(averageCalls)), rank: 2 },
];

/** Those that differ much, and the frames on which they stand. */
function tellingRows(rows: readonly DifferenceRow[]): DifferenceRow[] {
  const least = LEAST_SHARE * Math.abs(rows[0]?.differenceNs ?? 0);
  const found: DifferenceRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth > hiddenBelow) continue;
    const isTelling = row.depth === 0 || Math.abs(row.differenceNs) > least;
    hiddenBelow = isTelling ? Number.POSITIVE_INFINITY : row.depth;
    if (isTelling && found.length < MOST_ROWS) found.push(row);
  }
  return found;
}

function leftOut(rows: number): string[] {
  return rows > 0 ? [`– and ${rows} that differ less`] : [];
}
