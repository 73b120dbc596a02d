/**
 * Queries of users read the tables of a folder, and nothing else; they write nothing.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { askSql } from '../../src/fleet/questions.js';
import { PtflameError } from '../../src/model/errors.js';
import { watchMemory } from '../../src/model/memory.js';
import { temporaryFolder } from '../helpers/consumers/duckdb.js';
import { addTrace, fileOf, openTestFleet, traceOfCalls } from '../helpers/consumers/fleet-folder.js';

const root = temporaryFolder();
const folder = join(root, 'fleet');
const RECORDED = { build: '1', host: 'a' };
let fleet: Fleet;
let file: string;

beforeAll(async () => {
  const id = await addTrace(folder, traceOfCalls([{ name: 'work', ns: 1000 }]), RECORDED);
  file = fileOf(folder, 'paths', RECORDED, id);
  fleet = await openTestFleet(folder);
});
afterAll(() => fleet.close());

test('a SELECT answers from tables and views; numbers beyond 2^53 are texts', async () => {
  expect(
    await askSql(fleet, "SELECT name, total_ns, 2::HUGEINT ** 60 AS large FROM functions WHERE name = 'work'"),
  ).toEqual({ columns: ['name', 'total_ns', 'large'], rows: [['work', 1000, 2 ** 60]] });
  const { rows } = await askSql(fleet, "SELECT function, [1, 2], DATE '2026-01-02' FROM paths LIMIT 1");
  expect(rows[0]).toEqual([expect.stringMatching(/^-?\d+$/), '[1,2]', '2026-01-02T00:00:00.000Z']);
  expect((await askSql(fleet, 'SHOW TABLES')).rows.flat()).toContain('growth');
});

const OUTSIDE = join(root, 'outside.csv');

test.each([
  ["SELECT * FROM read_text('/etc/passwd')"],
  ["SELECT * FROM read_csv('/etc/passwd')"],
  ["SELECT * FROM '/etc/passwd'"],
  ["SELECT * FROM glob('/etc/*')"],
  ["SELECT * FROM read_parquet('https://example.com/x.parquet')"],
  ["SELECT * FROM query('COPY (SELECT 1) TO ''OUTSIDE''')"],
])('%s cannot read outside', async (sql) => {
  await expect(askSql(fleet, sql.replaceAll('OUTSIDE', OUTSIDE))).rejects.toMatchObject({
    code: 'BAD_OPTION',
    message: expect.stringContaining('the query fails'),
  });
});

test.each([
  ["COPY (SELECT 1) TO 'OUTSIDE'"],
  ["COPY (SELECT 1) TO 'FILE' (FORMAT parquet, USE_TMP_FILE false)"],
  ["COPY (SELECT 1) TO 'FOLDER/new.parquet'"],
  ["ATTACH 'OUTSIDE'"],
  ["EXPORT DATABASE 'OUTSIDE'"],
  ['INSTALL httpfs'],
  ["LOAD 'FILE'"],
  ['SET enable_external_access = true'],
  ['SET lock_configuration = false'],
  ['CREATE TABLE t AS SELECT 1'],
  ['DROP VIEW paths'],
  ['EXPLAIN ANALYZE SELECT 1'],
  ['PRAGMA enable_profiling'],
  ['SELECT 1; SELECT 2'],
  ['SELECT 1; DROP VIEW paths'],
  [''],
  ['-- nothing'],
])('%s is refused', async (sql) => {
  const before = readFileSync(file);
  const text = sql.replaceAll('OUTSIDE', OUTSIDE).replaceAll('FILE', file).replaceAll('FOLDER', folder);
  await expect(askSql(fleet, text)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  expect(readFileSync(file)).toEqual(before);
  expect(existsSync(OUTSIDE)).toBe(false);
  expect(readdirSync(root)).toEqual(['fleet']);
  expect((await askSql(fleet, 'SELECT count(*) > 0 FROM paths')).rows).toEqual([[true]]);
});

test('a file of the folder can be read, and a file that is not counted cannot', async () => {
  expect((await askSql(fleet, `SELECT count(*) > 0 FROM read_parquet('${file}')`)).rows).toEqual([[true]]);
  await expect(askSql(fleet, `SELECT * FROM read_parquet('${folder}/paths/*/*/*.parquet')`)).rejects.toMatchObject({
    code: 'BAD_OPTION',
  });
});

test('an error names what is wrong', async () => {
  await expect(askSql(fleet, 'SELECT nme FROM paths')).rejects.toMatchObject({
    message: expect.stringMatching(/the query fails: Binder Error: .*nme/),
    output: expect.arrayContaining([expect.stringContaining('SELECT nme')]),
  });
});

const LARGE = "SELECT a.range, b.range, repeat('x', 100) AS text FROM range(3000) AS a, range(10000) AS b";

test('a query that needs more memory than DuckDB may have ends with a message, and so does one with too many rows', async () => {
  const limited = await openTestFleet(folder, { memoryBytes: 2 ** 25 });
  const refused = { code: 'TOO_LARGE', message: 'the query needs more memory than --memory allows' };
  await expect(askSql(limited, `${LARGE} ORDER BY text, b.range % 7, a.range`)).rejects.toMatchObject(refused);
  let chunks = 0;
  const stop = watchMemory(() => {
    if (chunks++ > 3) throw new PtflameError('TOO_LARGE', 'of the process', { hint: '' });
  });
  await expect(askSql(limited, LARGE)).rejects.toMatchObject(refused);
  await expect(
    askSql(limited, 'SELECT count(*) FROM range(1e5::BIGINT) AS a, range(1e8::BIGINT) AS b'),
  ).rejects.toMatchObject(refused);
  stop();
  expect(await askSql(limited, 'SELECT 1 AS one')).toMatchObject({ rows: [[1]] });
  limited.close();
});

test('what does not fit goes to the temporary directory, up to a limit, and is removed', async () => {
  const directory = join(root, 'temporary');
  mkdirSync(directory);
  const limited = await openTestFleet(folder, { memoryBytes: 2 ** 26, temporaryDirectory: directory });
  const { rows } = await askSql(
    limited,
    `SELECT count(*) FROM (SELECT DISTINCT hash(range), range FROM range(3000000))`,
  );
  expect(rows).toEqual([[3_000_000]]);
  expect((await askSql(limited, "SELECT current_setting('max_temp_directory_size')")).rows).toEqual([['1.0 GiB']]);
  limited.close();
  expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
});

test('a signal interrupts a running query', async () => {
  const interrupt = new AbortController();
  const interrupted = await openTestFleet(folder, { signal: interrupt.signal });
  const asked = askSql(interrupted, 'SELECT count(*) FROM range(1e7::BIGINT) AS a, range(1e9::BIGINT) AS b');
  setTimeout(() => interrupt.abort(new Error('interrupted')), 100);
  await expect(asked).rejects.toThrow('interrupted');
  interrupted.close();
}, 60_000);
