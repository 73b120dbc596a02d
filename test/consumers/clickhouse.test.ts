/**
 * The tables and views of sql/ on ClickHouse: the same numbers as on DuckDB, and nothing counts twice.
 */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { askSql } from '../../src/fleet/questions.js';
import { PtflameError } from '../../src/index.js';
import { temporaryFolder } from '../helpers/consumers/duckdb.js';
import { addTrace, fileOf, openTestFleet, sqlFile, traceOfCalls } from '../helpers/consumers/fleet-folder.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { type ClickHouse, findChdb, startClickHouse } from './chdb.js';

/** Losses, fibers, kernel, threads, exceptions. */
const FILES = traceFiles.filter((file) =>
  /gentrace-(faults|kernel|ties)|boostfiber\.|fcontext-cut\.|threads|overflow|cpp\.perf/.test(file),
);
const TABLES = ['recordings', 'functions', 'paths', 'durations'] as const;

const found = findChdb();

const folder = join(temporaryFolder(), 'fleet');
let clickHouse: ClickHouse;
let fleet: Fleet;

beforeAll(async () => {
  if ('problem' in found) return;
  for (const [at, file] of FILES.entries()) {
    const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
    for (const build of ['1', null])
      await addTrace(folder, bytes, { build, host: at % 2 === 0 ? `host '${at}'` : null }).catch(refused);
  }
  for (const [build, ns] of [
    ['1', 1000],
    ['2', 1500],
  ] as const)
    for (const host of ['a', 'b', 'c', 'd', 'e'])
      await addTrace(folder, traceOfCalls([{ name: `it's`, ns: host === 'e' ? 9 * ns : ns }]), { build, host });
  await addFaults();
  fleet = await openTestFleet(folder);
  clickHouse = startClickHouse(found.folder);
  clickHouse.run(sqlFile('clickhouse/tables.sql').replaceAll('/data/fleet', folder));
  clickHouse.run(sqlFile('views.sql'));
});
afterAll(() => {
  clickHouse?.close();
  fleet?.close();
});
beforeEach(({ skip }) => skip('problem' in found, 'problem' in found ? found.problem : ''));

/** A killed export, and a recording in two places. */
async function addFaults(): Promise<void> {
  const [killed, twice] = [
    { build: '1', host: 'killed' },
    { build: '1', host: 'twice' },
  ];
  const trace = traceOfCalls([{ name: 'fault', ns: 100 }]);
  rmSync(fileOf(folder, 'recordings', killed, await addTrace(folder, trace, killed)));
  const id = await addTrace(folder, trace, twice);
  for (const table of TABLES) {
    const copy = fileOf(folder, table, { build: '9', host: 'twice' }, id);
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(fileOf(folder, table, twice, id), copy);
  }
}

function refused(error: unknown): void {
  if (!(error instanceof PtflameError)) throw error;
}

const VIEWS: Readonly<Record<string, string>> = {
  fleet_functions: 'function',
  fleet_percentiles: 'function',
  recorded_time: 'build, host',
  function_averages: 'build, host, function',
  growth: 'grouped_by, from_group, against_group, function',
  host_outliers: 'build, host, function',
  group_paths: 'grouped_by, group_name, path',
};

test.each(Object.entries(VIEWS))('%s has the rows that it has on DuckDB', async (view, order) => {
  const { columns } = await askSql(fleet, `SELECT * FROM ${view} LIMIT 0`);
  const keys = order.split(', ').map((name) => `v.${name} NULLS FIRST`);
  const select = (text: (name: string) => string) =>
    `SELECT ${columns.map((name) => cellOf(name, text)).join(', ')} FROM ${view} AS v ORDER BY ${keys.join(', ')}`;
  const own = await askSql(
    fleet,
    select((name) => `CAST(${name} AS VARCHAR)`),
  );
  const theirs = clickHouse.ask(select((name) => `toString(${name})`)).map((row) => Object.values(row));
  expect(theirs.length).toBeGreaterThan(0);
  expect(theirs.length).toBe(own.rows.length);
  const ownRows = rounded(own.rows);
  const wrong = rounded(theirs).flatMap((row, at) => (isDeepStrictEqual(row, ownRows[at]) ? [] : [[row, ownRows[at]]]));
  expect(wrong.slice(0, 3)).toEqual([]);
});

/** Hashes are texts and times floating point: JSON of the two differs in large whole numbers. */
function cellOf(column: string, text: (name: string) => string): string {
  if (/^(function|path|parent)$/.test(column)) return text(`v.${column}`);
  return /_ns$|calls$/.test(column) ? `1e0 * v.${column}` : `v.${column}`;
}

/** Medians and ratios may differ in their last bit. */
function rounded(rows: readonly (readonly unknown[])[]): unknown[][] {
  return rows.map((row) => row.map((cell) => (typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell)));
}

test('recordings that were killed do not count, and those in two places count once', () => {
  expect(clickHouse.ask("SELECT recordings, 1e0 * total_ns AS ns FROM fleet_functions WHERE name = 'fault'")).toEqual([
    { recordings: 1, ns: 100 },
  ]);
});

test('the function that was made slower stands first', () => {
  const [first] = clickHouse.ask(`
    SELECT name, growth, pairs FROM growth
    WHERE grouped_by = 'build' AND from_group = '1' AND against_group = '2' ORDER BY growth DESC LIMIT 1`);
  expect(first).toEqual({ name: "it's", growth: 0.5, pairs: 5 });
});
