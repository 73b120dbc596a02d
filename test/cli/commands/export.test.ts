/**
 * `ptflame export`: a folder of recordings, in which nothing counts twice.
 */
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { contents, exported, sha256 } from '../../helpers/cli/export-folder.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { ask } from '../../helpers/consumers/duckdb.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');
const MIGRATING = fixturePath('lab/thread-create-switch-migrate.txt');
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

test('writes a file of each table, named by the hash of the input', async ({ dir }) => {
  const stderr = await exported(dir, [DEMO], '--build', 'v1', '--host', 'web1');
  const id = sha256(await readFile(DEMO));
  const paths = ['durations', 'functions', 'paths', 'recordings'].map((table) =>
    dir.file(`fleet/${table}/build=v1/host=web1/${id}.parquet`),
  );
  expect([...(await contents(dir)).keys()]).toEqual(paths);
  expect(stderr).toMatch(/^exported .*threads\.perf\.txt\.gz: 4 tables, .* kB, .*\.parquet\n1,480 events/);
  expect(await ask(`SELECT id, build, host, threads, input FROM '${paths[3]}'`)).toEqual([
    { id, build: 'v1', host: 'web1', threads: 5, input: 'threads.perf.txt.gz' },
  ]);
});

test('keeps what is there, under whatever build and host', async ({ dir }) => {
  await exported(dir, [DEMO, MIGRATING]);
  const before = await contents(dir);
  expect(before.size).toBe(8);
  const stderr = await exported(dir, [DEMO, MIGRATING], '--build', 'v2', '-j', '1');
  expect(stderr.match(/^kept .*: .*build=__HIVE.* exists$/gm)).toHaveLength(2);
  expect(await contents(dir)).toEqual(before);
});

test('has the same bytes from any number of workers', async ({ dir }) => {
  await exported(dir, [DEMO], '-j', '1');
  const before = await contents(dir);
  await rm(dir.file('fleet'), { recursive: true });
  await exported(dir, [DEMO], '-j', '4');
  expect(await contents(dir)).toEqual(before);
});

test('writes again what is missing or cut off', async ({ dir }) => {
  await exported(dir, [DEMO]);
  const before = await contents(dir);
  const [durations, functions, , recordings] = [...before.keys()] as [string, string, string, string];
  await rm(durations);
  await truncate(functions, 100);
  expect(await exported(dir, [DEMO])).toContain('2 tables');
  expect(await contents(dir)).toEqual(before);
  await truncate(recordings, 100);
  expect(await exported(dir, [DEMO])).toContain('4 tables');
  expect(await contents(dir)).toEqual(before);
});

test('makes an export whole that was killed, and readers do not see what it left', async ({ dir }) => {
  await exported(dir, [DEMO]);
  const before = await contents(dir);
  const [, functions, , recordings] = [...before.keys()] as [string, string, string, string];
  await rm(recordings); // which gets its name last
  await writeFile(join(dirname(functions), `.${basename(functions).slice(0, 40)}.ptflame-abcdefgh`), 'PAR1 half');
  expect(await exported(dir, [DEMO])).toContain('4 tables');
  const [{ rows }] = await ask(`SELECT count(DISTINCT id) AS rows FROM '${dir.file('fleet')}/functions/**/*.parquet'`);
  expect(rows).toBe(1);
  for (const [path, hash] of before) expect((await contents(dir)).get(path)).toBe(hash);
});

test('writes nothing if a table cannot be written', async ({ dir }) => {
  await mkdir(dir.file('fleet'));
  await writeFile(dir.file('fleet/recordings'), '');
  const run = await ptflame(['export', DEMO, '--to', `parquet:${dir.file('fleet')}`]);
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toMatch(/cannot create .*recordings.*: .*\n +choose another folder with --to/);
  expect([...(await contents(dir)).keys()]).toEqual([dir.file('fleet/recordings')]);
});

test('--calls adds a table of all calls, also to a recording that is there already', async ({ dir }) => {
  await exported(dir, [DEMO]);
  expect(await exported(dir, [DEMO], '--calls')).toMatch(/: 1 table, .*\/calls\//);
  const once = await contents(dir);
  await rm(dir.file('fleet'), { recursive: true });
  await exported(dir, [DEMO], '--calls', '-j', '4');
  expect(await contents(dir)).toEqual(once);
  const from = `FROM '${dir.file('fleet')}/calls/**/*.parquet'`;
  expect(await ask(`SELECT DISTINCT id ${from}`)).toEqual([{ id: sha256(await readFile(DEMO)) }]);
  const paths = `'${dir.file('fleet')}/paths/**/*.parquet'`;
  const sums = await ask(
    `SELECT (SELECT count(*) ${from}) AS calls, (SELECT sum(calls)::BIGINT FROM ${paths}) AS counted`,
  );
  expect(sums).toEqual([{ calls: sums[0]?.['counted'], counted: sums[0]?.['counted'] }]);
});

test('render writes all calls of a trace to a file, but not to a terminal, nor of a profile', async ({ dir }) => {
  const path = dir.file('calls.parquet');
  const run = await ptflame(['render', DEMO, '-o', path, '-j', '1']);
  expect(run).toMatchObject({ exitCode: 0, stdout: '' });
  expect(run.stderr).toMatch(/wrote .*calls\.parquet: .* kB/);
  const again = dir.file('again.parquet');
  await ptflame(['render', DEMO, '-o', again, '-o', dir.file('flame.html'), '-j', '4']);
  expect(sha256(await readFile(again))).toBe(sha256(await readFile(path)));
  expect(await ask(`SELECT count(*) AS calls, count(DISTINCT tid) AS threads FROM '${path}'`)).toEqual([
    { calls: 873, threads: 5 },
  ]);
  const keys = (name: string) =>
    `SELECT decode(value) AS value FROM parquet_kv_metadata('${name}') WHERE decode(key) LIKE '%min%'`;
  const long = dir.file('long.parquet');
  await ptflame(['render', DEMO, '-o', long, '--min-call', '1us', '-q']);
  expect(await ask(keys(long))).toEqual([{ value: '1000' }]);
  expect(await ask(keys(path))).toEqual([]);
  const json = dir.file('profile.json');
  await ptflame(['render', DEMO, '-o', json, '-q']);
  expectRefusal(await ptflame(['render', json, '-o', dir.file('no.parquet')]), 1, /profile/);
  const blocked = await ptflame(['render', DEMO, '-o', dir.file('no.parquet'), '--blocked-by']);
  expectRefusal(blocked, 2, /parquet shows single calls/);
});

test('parts of a trace are recordings of their own', async ({ dir }) => {
  await exported(dir, [DEMO], '--window', '+0,+500us');
  await exported(dir, [DEMO], '--window', '+500us,');
  expect(await exported(dir, [DEMO], '--window', '+500us,')).toMatch(/^kept /);
  const fleet = dir.file('fleet');
  const [sum] = await ask(
    `SELECT count(*) AS parts, sum(total_ns)::BIGINT AS total FROM '${fleet}/recordings/**/*.parquet'`,
  );
  expect(sum).toEqual({ parts: 2, total: 4_108_491 });
  const texts = await ask(`SELECT part FROM '${fleet}/recordings/**/*.parquet' ORDER BY part`);
  expect(texts).toEqual([{ part: 'from +0 ns to +500 µs' }, { part: 'from +500 µs to the end' }]);
});

test.for(['../../etc', "x' OR 1=1; --", 'a=b/c', NO_VALUE, 'naïve\n🚀', '%2F', '20261123'])(
  'the build %j stays text, in the path, too',
  async (build, { dir }) => {
    await exported(dir, [DEMO], '--build', build, '--host', build);
    const [path] = [...(await contents(dir)).keys()] as [string];
    const [, own, host] = /fleet\/durations\/build=([\w%.-]+)\/host=([\w%.-]+)\/\w{64}\.parquet$/.exec(
      path,
    ) as RegExpExecArray;
    expect([own, host].map(decodeURIComponent)).toEqual([build, build]);
    expect(
      await ask(
        `SELECT build, host FROM read_parquet('${dir.file('fleet')}/recordings/**/*.parquet', hive_partitioning = false)`,
      ),
    ).toEqual([{ build, host: build }]);
    const partitions = `read_parquet('${dir.file('fleet')}/paths/**/*.parquet', hive_types_autocast = false)`;
    expect(await ask(`SELECT DISTINCT build FROM ${partitions}`)).toEqual([{ build }]);
  },
);

test('takes the host from the recording, and counts its wakings as a part of it', async ({ dir }) => {
  const alone = dir.file('perf.data');
  await copyFile(recordingPath('cpus-1'), alone);
  await exported(dir, [alone], '--quiet', '--symfs', RECORDED_ROOT);
  const recordings = `'${dir.file('fleet')}/recordings/**/*.parquet'`;
  const [row] = await ask(
    `SELECT id, host IS NOT NULL AS known, started_at IS NULL AS late, kernel IS NOT NULL AS kernel FROM ${recordings}`,
  );
  expect(row).toEqual({ id: sha256(await readFile(alone)), known: true, late: true, kernel: true });
  await copyFile(alone, `${alone}.wakes.data`);
  await exported(dir, [alone], '--quiet', '--symfs', RECORDED_ROOT);
  expect(await ask(`SELECT count(DISTINCT id) AS ids FROM ${recordings}`)).toEqual([{ ids: 2 }]);
});

test('refuses what it cannot name or write', async ({ dir }) => {
  const to = ['--to', `parquet:${dir.file('fleet')}`];
  expectRefusal(await ptflame(['export', DEMO, '--to', dir.file('fleet')]), 2, /--to.*must be parquet:DIR/);
  expectRefusal(await ptflame(['export', '-', ...to], { input: '' }), 1, /standard input is a stream/, /to a file/);
  const long = await ptflame(['export', DEMO, ...to, '--build', 'ä'.repeat(50)]);
  const missing = dir.file('missing.data');
  expectRefusal(await ptflame(['export', missing, ...to]), 1, /cannot open .*missing\.data: there is no such file$/);
  expectRefusal(await ptflame(['export', dir.path, ...to]), 1, /is a directory/, /pass the files in it/);
  expectRefusal(long, 2, /the name of the build is too long for a directory: 50 characters/, /--build NAME/);
  const timeless = await ptflame(['export', fixturePath('lab/fields-timeless-no-time.txt'), ...to, '-q']);
  expectRefusal(timeless, 1, /no times/);
});
