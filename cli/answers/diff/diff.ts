/**
 * Formats a comparison of two traces as terminal text and as comma-separated values.
 */

import { isChanged } from '../../../src/questions/diff/answer.js';
import type { Diff, DiffRow } from '../../../src/questions/schema.js';
import { EXACT_NS, formatDuration, formatMany, formatPercentChange } from '../../../src/render/format.js';
import { type TableColumn, tableLines } from '../../terminal/table.js';
import { averageCountCell, differenceCell, durationCell, longestCell, UNKNOWN } from '../numbers.js';
import { traceLines } from '../report.js';
import { LINE_TITLES, lineCells, lineColumns } from '../source-lines.js';
import { topLines } from '../top-lines.js';

const NOISE = '~';

interface DiffTextOptions {
  readonly width: number;
  /** Number of functions; 0: all. */
  readonly top: number;
  /** Without remarks on the table. */
  readonly isQuiet: boolean;
}

export function diffLines(diff: Diff, { width, top, isQuiet }: DiffTextOptions): string[] {
  const { before, after, functions, quality, per } = diff;
  const heads = [
    ...traceLines(before, quality.before).map((line) => `before: ${line}`),
    ...traceLines(after, quality.after).map((line) => `after:  ${line}`),
    ...(per === null
      ? []
      : [`times and calls are per ${per === 'call' ? 'call of the outermost functions' : 'second'}`]),
  ];
  if (functions.length === 0) return [...heads, '', 'no functions'];
  const changed = functions.filter(isChanged);
  if (changed.length === 0) return [...heads, '', `no differences in ${formatMany(functions.length, 'function')}`];
  const table = (rows: readonly DiffRow[]) =>
    tableLines(rows, [...COLUMNS, ...lineColumns(rows)], { name: nameOf, nameTitle: 'function', width });
  return [...heads, '', ...topLines(changed, top, table), ...(isQuiet ? [] : noteLines(changed, functions.length))];
}

function noteLines(changed: readonly DiffRow[], all: number): string[] {
  const isNoisy = changed.some(({ withinNoise }) => Object.values(withinNoise).includes(true));
  const same = all - changed.length;
  return [
    ...(isNoisy ? [`${NOISE} within noise: calls vary that much anyway`] : []),
    ...(same > 0 ? [`${formatMany(same, 'function')} without differences`] : []),
  ];
}

/** "parse [new]". */
function nameOf({ name, isNew, isGone }: DiffRow): string {
  return isNew ? `[new] ${name}` : isGone ? `[gone] ${name}` : name;
}

const COLUMNS: readonly TableColumn<DiffRow>[] = [
  { title: 'self', text: ({ selfNs }) => formatDuration(selfNs.after), rank: 3 },
  { title: 'Δ self', text: ({ selfNs, withinNoise }) => changeCell(selfNs, withinNoise.selfNs) },
  { title: 'Δ self %', text: ({ selfNs }) => percentCell(selfNs), rank: 4 },
  { title: 'total', text: ({ totalNs }) => formatDuration(totalNs.after), rank: 4 },
  { title: 'Δ total', text: ({ totalNs, withinNoise }) => changeCell(totalNs, withinNoise.totalNs) },
  { title: 'Δ total %', text: ({ totalNs }) => percentCell(totalNs), rank: 4 },
  { title: 'calls', text: ({ calls, inferred }) => callsText(calls.after, inferred.after), rank: 5 },
  { title: 'Δ calls', text: ({ calls }) => countChange(calls.after - calls.before), rank: 1 },
  { title: 'avg', text: ({ avgNs }) => durationCell(avgNs.after), rank: 6 },
  { title: 'Δ avg', text: ({ avgNs, withinNoise }) => changeCell(avgNs, withinNoise.avgNs), rank: 2 },
  { title: 'Δ avg %', text: ({ avgNs }) => percentCell(avgNs), rank: 3 },
  { title: 'Δ p99', text: ({ p99Ns, withinNoise }) => percentileChangeCell(p99Ns, withinNoise.p99Ns), rank: 5 },
  {
    title: 'max',
    text: ({ maxNs, longestCutNs }) => longestCell({ maxNs: maxNs.after, longestCutNs: longestCutNs.after }),
    rank: 6,
  },
];

type Change = DiffRow['avgNs'];

/** Returns "+1.5 ms", "~−20 ns" within noise, "–" if unknown. */
function changeCell({ before, after }: Change, isNoise: boolean): string {
  if (before === null || after === null) return UNKNOWN;
  return `${isNoise ? NOISE : ''}${differenceCell(after - before)}`;
}

/** A percentile stands for a bucket of durations, unless it is short. */
function percentileChangeCell(change: Change, isNoise: boolean): string {
  const isBucket = [change.before, change.after].some((ns) => ns !== null && ns >= EXACT_NS);
  const cell = changeCell(change, isNoise);
  return isBucket && cell !== UNKNOWN ? `≈ ${cell}` : cell;
}

/** Returns "+54.5 %", relative to the number before. */
function percentCell({ before, after }: Change): string {
  if (before === null || after === null || before === 0) return UNKNOWN;
  return formatPercentChange(before, after);
}

/** Also for numbers of calls per call or second. */
function callsText(calls: number, inferred: number): string {
  return inferred === 0
    ? averageCountCell(calls)
    : `${averageCountCell(calls - inferred)} of ${averageCountCell(calls)}`;
}

function countChange(calls: number): string {
  return calls === 0 ? '0' : `${calls > 0 ? '+' : '−'}${averageCountCell(Math.abs(calls))}`;
}

const CHANGES = ['calls', 'totalNs', 'selfNs', 'outsideNs', 'avgNs', 'p99Ns'] as const;
/** Later additions are appended, so that columns keep their positions. */
const ADDED_CHANGES = ['inferred', 'unwound', 'outsideSelfNs', 'maxNs', 'longestCutNs'] as const;
const NOISY = ['totalNs', 'selfNs', 'avgNs'] as const;

export function diffCsv({ functions }: Diff, hasLines: boolean): (string | number | boolean | null)[][] {
  const changes = [...CHANGES, ...ADDED_CHANGES];
  const titles = changes.flatMap((name) => [`${name} before`, `${name} after`]);
  const noise = [...NOISY.map((name) => `${name} noise`), ...NOISY.map((name) => `${name} within noise`)];
  const rows = functions.map((row) => {
    const { name, dso, isStop, isNew, isGone, noise, withinNoise } = row;
    const line = hasLines ? lineCells(row) : [];
    const numbers = changes.flatMap((column) => [row[column].before, row[column].after]);
    const judged = [...NOISY.map((column) => noise[column]), ...NOISY.map((column) => withinNoise[column])];
    return [name, dso, ...numbers, isStop, isNew, isGone, ...judged, withinNoise.p99Ns, ...line];
  });
  const lines = hasLines ? LINE_TITLES : [];
  return [['name', 'dso', ...titles, 'isStop', 'isNew', 'isGone', ...noise, 'p99Ns within noise', ...lines], ...rows];
}
