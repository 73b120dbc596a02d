/**
 * `ptflame fleet`: answers questions about many recordings.
 */

import * as z from 'zod';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { askFunctions, askGrowth, askOutliers, askSql, groupsOf, summaryOf } from '../../src/fleet/questions.js';
import type { FleetAnswer, FleetFunction, FleetGrowth, FleetOutlier } from '../../src/fleet/schema.js';
import { PtflameError } from '../../src/model/errors.js';
import { PERCENTILES } from '../../src/model/percentiles.js';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { formatCount, formatDuration, formatMany, formatPercentChange } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { nameMatcher } from '../../src/trace/records/thread-names.js';
import {
  callsCell,
  csvColumns,
  distinctNames,
  durationCell,
  longestCell,
  percentileCell,
  shareCell,
  topLines,
  UNKNOWN,
} from '../answers/cells.js';
import { openFolder } from '../input/open-folder.js';
import { answering, general, limit, matching, resources } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame fleet`. */
const FleetOptions = z.object({
  directory: path,
  ...group('Question', {
    compare: flag(z.enum(['build', 'host']).optional(), 'show what became slower from one build or host to another', {
      common: 'show what became slower from one to another',
      formerly: { by: null },
    }),
    from: flag(
      z.string().optional(),
      'with --compare: the build or host to start from (default: the older one of two)',
      {
        common: 'with --compare: the build or host to start from',
      },
    ),
    against: flag(z.string().optional(), 'with --compare: the build or host to compare with it', {
      common: 'with --compare: the one to compare with it',
    }),
    outliers: flag(z.boolean().default(false), 'show hosts on which a function is unlike the others of the build', {
      common: 'hosts on which a function is unlike the others',
    }),
    minShare: flag(
      z.number('must be a number').min(0, 'must be 0 or more').max(100, 'must be 100 or less').default(0.01),
      'with --compare and --outliers: leave out functions with less of the time, as rare calls vary by chance',
      { value: 'PERCENT' },
    ),
    sql: flag(z.string().optional(), 'run a SELECT on the tables and views of docs/fleet.md', {
      value: 'QUERY',
      common: 'run a SELECT on the tables of docs/fleet.md',
    }),
  }),
  ...matching(),
  ...group('Output', {
    top: limit(40, 'maximum number of rows; 0: all (JSON and CSV: all)', ['text'], 'maximum number of rows, 0 for all'),
    ...answering(),
  }),
  ...resources(),
  ...general(),
});
type FleetOptions = z.infer<typeof FleetOptions>;

export const command = defineCommand({
  details:
    'Reads the tables that ptflame export wrote, with DuckDB: npm install @duckdb/node-api. Files that are unfinished, damaged, foreign or repeated are named and not counted. docs/fleet.md describes tables and views.',
  examples: [
    ['ptflame fleet DIR', 'functions over all recordings: time, calls, averages, percentiles'],
    ['ptflame fleet DIR --compare build --from 1.4 --against 1.5', 'what became slower: the median over hosts'],
    ['ptflame fleet DIR --outliers', 'hosts on which a function takes much longer than on the others'],
    [`ptflame fleet DIR --sql 'SELECT host, sum(total_ns) FROM recordings GROUP BY host'`, 'any other question'],
  ],
  arguments: [
    {
      property: 'directory',
      placeholder: 'DIR',
      description: 'the folder of ptflame export RECORDING… --to parquet:DIR',
      isFile: true,
    },
  ],
  schema: FleetOptions,
  formats: answerFormats,
  run: fleet,
});

export async function fleet(options: FleetOptions, signal: AbortSignal): Promise<void> {
  refuseTwoQuestions(options);
  refuseOverwriting([options.directory], options.output ?? ['-']);
  const output = await openAnswer(options, []);
  const opened = await openFolder(options.directory, options, signal);
  try {
    const answer = await answerOf(opened, options);
    const text = (width: number) => fleetLines(answer, width, options.top);
    await output.write({ json: () => answer, text, csv: () => fleetCsv(answer) });
  } finally {
    opened.close();
  }
}

function refuseTwoQuestions({ compare, from, against, outliers, sql, match }: FleetOptions): void {
  const given = [compare && '--compare', outliers && '--outliers', sql !== undefined && '--sql'].filter(Boolean);
  const refuse = (message: string, hint: string) => {
    throw new PtflameError('BAD_OPTION', message, { hint });
  };
  if (given.length > 1) refuse(`${given.join(' and ')} are different questions`, 'ask one at a time');
  if (compare === undefined && (from ?? against) !== undefined)
    refuse('--from and --against need --compare', 'add --compare build');
  if (sql !== undefined && match) refuse('--match has no effect on --sql', "use WHERE regexp_matches(name, '…')");
}

async function answerOf(fleet: Fleet, options: FleetOptions): Promise<FleetAnswer> {
  const { compare: by, outliers, sql } = options;
  const minShare = options.minShare / 100;
  const isOther = by !== undefined || outliers || sql !== undefined;
  return {
    format: 'ptflame-fleet',
    version: 2,
    producer: { name: 'ptflame', version: PTFLAME_VERSION },
    fleet: await summaryOf(fleet),
    leftOut: [...fleet.leftOut],
    functions: isOther ? null : onlyMatching(await askFunctions(fleet), options),
    growth: by === undefined ? null : await growthOf(fleet, by, options, minShare),
    outliers: outliers ? onlyMatching(await askOutliers(fleet, { minShare }), options) : null,
    sql: sql === undefined ? null : await askSql(fleet, sql),
  };
}

async function growthOf(fleet: Fleet, by: 'build' | 'host', options: FleetOptions, minShare: number) {
  const groups = await groupsOf(fleet, by);
  const unknown = [options.from, options.against].find((name) => name !== undefined && !groups.includes(name));
  if (unknown !== undefined) throw noSuchGroup(`there is no ${by} ${visibleText(unknown)}`, groups);
  const isClear = groups.length === 2 || (options.from !== undefined && options.against !== undefined);
  if (!isClear) throw noSuchGroup(`--compare ${by} needs --from and --against unless there are two`, groups);
  const from = options.from ?? (groups.find((name) => name !== options.against) as string);
  const against = options.against ?? (groups.findLast((name) => name !== from) as string);
  const rows = await askGrowth(fleet, { by, from, against, minShare });
  return { by, from, against, rows: onlyMatching(rows, options) };
}

function noSuchGroup(message: string, groups: readonly string[]): PtflameError {
  const names = groups.map((name) => visibleText(name) || "'' (unknown)");
  return new PtflameError('BAD_OPTION', message, { hint: `the folder has: ${names.join(', ')}` });
}

function onlyMatching<Row extends { readonly name: string }>(
  rows: Row[],
  { match }: Pick<FleetOptions, 'match'>,
): Row[] {
  if (!match) return rows;
  const isMatch = nameMatcher(match, [...new Set(rows.map(({ name }) => name))]);
  return rows.filter(({ name }) => isMatch(name));
}

/**
 * Formats answers about many recordings as terminal text and as comma-separated values.
 *
 * `top`: number of rows; 0: all.
 */
function fleetLines(answer: FleetAnswer, width: number, top: number): string[] {
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

function headLines({ fleet, growth, outliers }: FleetAnswer): string[] {
  const head = `${recordingsText(fleet)}: ${formatDuration(fleet.totalNs)} of all threads`;
  if (outliers !== null)
    return [
      head,
      ...unknownLines(
        'build',
        outliers.map(({ build }) => build),
      ),
      ...unknownLines(
        'host',
        outliers.map(({ host }) => host),
      ),
    ];
  if (growth === null) return [head];
  const { by, from, against, rows } = growth;
  const other = by === 'build' ? 'host' : 'build';
  const isPaired = rows.some(({ pairs }) => pairs > 0);
  const how = isPaired
    ? `median over ${other}s that have both`
    : `no ${other} has both: medians of different ${other}s`;
  return [head, `${by} ${groupName(from)} → ${groupName(against)}; ${how}`, ...unknownLines(by, [from, against])];
}

/** Says why names are unknown, and how they will be known: a folder keeps what it has of a recording. */
function unknownLines(by: 'build' | 'host', names: readonly string[]): string[] {
  if (!names.includes('')) return [];
  const why = by === 'build' ? 'exported without a name' : 'that do not say where they were made';
  return [`${by} (unknown): recordings ${why}; export them to a new folder with --${by} NAME`];
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
    { title: 'p50', text: percentileCell('p50Ns', 0.5), rank: 6 },
    { title: 'p90', text: percentileCell('p90Ns', 0.9), rank: 7 },
    { title: 'p99', text: percentileCell('p99Ns', 0.99), rank: 2 },
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

const FUNCTION_CSV = csvColumns<keyof FleetFunction>(
  'name dso kind recordings calls inferred unwound totalNs selfNs outsideNs inferredNs avgNs minNs maxNs longestCutNs p50Ns p90Ns p99Ns',
  PERCENTILES.map(({ key }) => key),
);
const GROWTH_COLUMNS = 'name dso growth fromAvgNs againstAvgNs pairs againstTotalNs'.split(
  ' ',
) as (keyof FleetGrowth)[];
const OUTLIER_CSV = 'name dso build host hosts avgNs medianNs growth score totalNs'.split(
  ' ',
) as (keyof FleetOutlier)[];

function fleetCsv({ functions, growth, outliers, sql }: FleetAnswer): (string | number | boolean | null)[][] {
  if (functions) return csvOf(functions, FUNCTION_CSV);
  if (growth) return csvOf(growth.rows, GROWTH_COLUMNS);
  if (outliers) return csvOf(outliers, OUTLIER_CSV);
  return sql ? [sql.columns, ...sql.rows] : [];
}

function csvOf<Row>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): (string | number | null)[][] {
  return [[...columns], ...rows.map((row) => columns.map((column) => row[column] as string | number | null))];
}
