/**
 * Formats answers about many recordings as terminal text and as comma-separated values.
 */
import type { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from '../../src/fleet/schema.js';
import { formatCount, formatDuration, formatMany, formatPercentChange } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { distinctNames } from './distinct-names.js';
import { callsCell, durationCell, longestCell, percentileCell, shareCell, UNKNOWN } from './numbers.js';
import { topLines } from './top-lines.js';

/** `top`: number of rows; 0: all. */
export function fleetLines(answer: FleetAnswer, width: number, top: number): string[] {
  const { functions, growth, outliers, sql } = answer;
  const functionTable = <Row extends FleetFunction | FleetGrowth | FleetOutlier>(
    rows: readonly Row[],
    columns: readonly TableColumn<Row>[],
    none: string,
  ) => {
    const name = distinctNames(rows);
    const table = (shown: readonly Row[]) => tableLines(shown, columns, { name, nameTitle: 'function', width });
    return rows.length === 0 ? [none] : topLines(rows, top, table);
  };
  return [
    ...headLines(answer),
    '',
    ...(functions ? functionTable(functions, functionColumns(answer.fleet.totalNs), 'no functions') : []),
    ...(growth ? functionTable(growth.rows, growthColumns(growth), 'no differences') : []),
    ...(outliers ? functionTable(outliers, OUTLIER_COLUMNS, 'no host is unlike the others') : []),
    ...(sql ? sqlLines(sql, width, top) : []),
  ];
}

function headLines({ fleet, growth }: FleetAnswer): string[] {
  const head = `${recordingsText(fleet)}: ${formatDuration(fleet.totalNs)} of all threads`;
  if (growth === null) return [head];
  const { by, from, against, rows } = growth;
  const other = by === 'build' ? 'host' : 'build';
  const isPaired = rows.some(({ pairs }) => pairs > 0);
  const how = isPaired
    ? `median over ${other}s that have both`
    : `no ${other} has both: medians of different ${other}s`;
  const isUnnamed = from === '' || against === '';
  const unnamed = by === 'build' ? 'exported without --build NAME' : 'which do not say where they were made';
  return [
    head,
    `${by} ${groupName(from)} → ${groupName(against)}; ${how}`,
    ...(isUnnamed ? [`(unknown): recordings ${unnamed}`] : []),
  ];
}

export function recordingsText({ recordings, hosts, builds }: FleetAnswer['fleet']): string {
  return `${formatMany(recordings, 'recording')} of ${formatMany(hosts, 'host')} and ${formatMany(builds, 'build')}`;
}

function groupName(name: string): string {
  return name === '' ? '(unknown)' : visibleText(name);
}

function functionColumns(allNs: number): TableColumn<FleetFunction>[] {
  return [
    { title: 'total', text: ({ totalNs }) => formatDuration(totalNs) },
    { title: '%', text: ({ totalNs }) => shareCell(totalNs, allNs), rank: 3 },
    { title: 'self', text: ({ selfNs }) => formatDuration(selfNs) },
    { title: '%', text: ({ selfNs }) => shareCell(selfNs, allNs), rank: 5 },
    { title: 'calls', text: callsCell },
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'p50', text: percentileCell('p50Ns'), rank: 6 },
    { title: 'p90', text: percentileCell('p90Ns'), rank: 7 },
    { title: 'p99', text: percentileCell('p99Ns'), rank: 2 },
    { title: 'max', text: longestCell, rank: 1 },
    { title: 'recordings', text: ({ recordings }) => formatCount(recordings), rank: 4 },
  ];
}

function growthColumns({ by }: { readonly by: 'build' | 'host' }): TableColumn<FleetGrowth>[] {
  return [
    { title: 'Δ avg %', text: growthCell },
    { title: 'from', text: ({ fromAvgNs }) => durationCell(fromAvgNs) },
    { title: 'against', text: ({ againstAvgNs }) => durationCell(againstAvgNs) },
    { title: by === 'build' ? 'hosts' : 'builds', text: ({ pairs }) => formatCount(pairs), rank: 2 },
    { title: 'total', text: ({ againstTotalNs }) => formatDuration(againstTotalNs), rank: 1 },
  ];
}

const OUTLIER_COLUMNS: readonly TableColumn<FleetOutlier>[] = [
  { title: 'host', text: ({ host }) => groupName(host), isLeft: true },
  { title: 'build', text: ({ build }) => groupName(build), isLeft: true, rank: 1 },
  { title: 'Δ avg %', text: growthCell },
  { title: 'avg', text: ({ avgNs }) => formatDuration(avgNs) },
  { title: 'median', text: ({ medianNs }) => formatDuration(medianNs) },
  { title: 'hosts', text: ({ hosts }) => formatCount(hosts), rank: 3 },
  { title: 'total', text: ({ totalNs }) => formatDuration(totalNs), rank: 2 },
];

function growthCell({ growth }: { readonly growth: number }): string {
  return formatPercentChange(1, 1 + growth);
}

type SqlRows = NonNullable<FleetAnswer['sql']>;
type SqlRow = SqlRows['rows'][number];

/** The last column is the one that is shortened. */
function sqlLines({ columns, rows }: SqlRows, width: number, top: number): string[] {
  const last = columns.length - 1;
  const cells: TableColumn<SqlRow>[] = columns.slice(0, last).map((title, at) => ({
    title: visibleText(title),
    text: (row) => cellText(row[at]),
    isLeft: rows.some((row) => typeof row[at] === 'string'),
  }));
  const options = { name: (row: SqlRow) => cellText(row[last]), nameTitle: visibleText(columns[last] ?? ''), width };
  return topLines(rows, top, (shown) => tableLines(shown, cells, options));
}

function cellText(cell: SqlRow[number] | undefined): string {
  return cell === null || cell === undefined ? UNKNOWN : visibleText(String(cell));
}

const FUNCTION_COLUMNS = [
  'name dso kind recordings calls inferred unwound totalNs selfNs outsideNs inferredNs avgNs minNs maxNs longestCutNs',
  'p50Ns p90Ns p99Ns',
].flatMap((names) => names.split(' ')) as (keyof FleetFunction)[];
const GROWTH_COLUMNS = 'name dso growth fromAvgNs againstAvgNs pairs againstTotalNs'.split(
  ' ',
) as (keyof FleetGrowth)[];
const OUTLIER_CSV = 'name dso build host hosts avgNs medianNs growth score totalNs'.split(
  ' ',
) as (keyof FleetOutlier)[];

export function fleetCsv({ functions, growth, outliers, sql }: FleetAnswer): (string | number | boolean | null)[][] {
  if (functions) return csvOf(functions, FUNCTION_COLUMNS);
  if (growth) return csvOf(growth.rows, GROWTH_COLUMNS);
  if (outliers) return csvOf(outliers, OUTLIER_CSV);
  return sql ? [sql.columns, ...sql.rows] : [];
}

function csvOf<Row>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): (string | number | null)[][] {
  return [[...columns], ...rows.map((row) => columns.map((column) => row[column] as string | number | null))];
}
