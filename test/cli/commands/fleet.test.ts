/**
 * `ptflame fleet` and `ptflame merge`, on folders that `ptflame export` wrote and on profiles.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { FleetAnswer } from '../../../src/answers.js';
import { type Directory, expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { traceOfCalls } from '../../helpers/consumers/fleet-folder.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');
const HOSTILE = `=cmd|' /C calc'!A0,"x"\x1b[31m`;

/** Exports a recording of one function on each build, and returns the folder. */
async function twoBuilds(dir: Directory): Promise<string> {
  const folder = dir.file('fleet');
  for (const [build, ns] of [
    ['1.0', 1000],
    ['1.1', 1500],
  ] as const) {
    await writeFile(dir.file('trace.txt'), traceOfCalls([{ name: 'work', ns }]));
    const flags = ['--build', build, '--host', 'web1', '--to', `parquet:${folder}`];
    expect(await ptflame(['export', dir.file('trace.txt'), ...flags])).toMatchObject({ exitCode: 0 });
  }
  return folder;
}

test('fleet lists functions over all recordings', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  const { stdout, stderr, exitCode } = await ptflame(['fleet', folder], { env: { COLUMNS: '120' } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^2 recordings of 1 host and 2 builds: 2\.5\d? µs of all threads\n\n/);
  expect(stdout).toMatch(/^ *2\.5 µs +\S+ %.* 2 +1\.25 µs .* 2 {2}work$/m);
  const json = await ptflame(['fleet', folder, '--json']);
  expect(FleetAnswer.parse(JSON.parse(json.stdout)).functions?.map(({ name }) => name)).toEqual(['main', 'work']);
  const csv = await ptflame(['fleet', folder, '--csv', '--match', '^work']);
  expect(csv.stdout.split('\n').map((line) => line.split(',').slice(0, 5).join())).toEqual([
    'name,dso,kind,recordings,calls',
    'work,,function,2,2',
    '',
  ]);
});

test('fleet --compare says what became slower', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  const { stdout } = await ptflame(['fleet', folder, '--compare', 'build', '--from', '1.0', '--against', '1.1']);
  expect(stdout).toContain('build 1.0 → 1.1; median over hosts that have both');
  expect(stdout).toMatch(/^ +\+50 % +1 µs +1\.5 µs +1 +1\.5 µs {2}work$/m);
  const both = await ptflame(['fleet', folder, '--compare', 'build', '--json']); // two need no names
  expect(FleetAnswer.parse(JSON.parse(both.stdout)).growth).toMatchObject({ from: '1.0', against: '1.1' });
  const back = await ptflame(['fleet', folder, '--compare', 'build', '--against', '1.0', '--csv']);
  expect(back.stdout).toMatch(/^work,,-0\.333/m);
  expectRefusal(
    await ptflame(['fleet', folder, '--compare', 'build', '--from', '2.0']),
    2,
    /no build 2\.0/,
    /1\.0, 1\.1/,
  );
  expectRefusal(await ptflame(['fleet', folder, '--compare', 'host']), 2, /needs --from and --against/, /web1/);
  const empty = dir.file('empty');
  expectRefusal(
    await ptflame(['fleet', empty]),
    1,
    /ptflame: \S*empty is not a folder of recordings/,
    /export RECORDING/,
  );
});

test('fleet --compare says why a build is unknown', async ({ dir }) => {
  const folder = dir.file('fleet');
  for (const flags of [[], ['--build', '1.1']]) {
    await writeFile(dir.file('trace.txt'), traceOfCalls([{ name: 'work', ns: 1000 + flags.length }]));
    await ptflame(['export', dir.file('trace.txt'), ...flags, '--host', 'web1', '--to', `parquet:${folder}`]);
  }
  const { stdout } = await ptflame(['fleet', folder, '--compare', 'build', '--against', '1.1']);
  expect(stdout).toMatch(
    /build \(unknown\) → 1\.1; .*\nbuild \(unknown\): recordings exported without a name; .* --build NAME\n/,
  );
});

test('fleet --outliers says how unknown builds and hosts will be known', async ({ dir }) => {
  const folder = dir.file('fleet');
  for (const [at, host] of ['web1', 'web2', 'web3', ''].entries()) {
    const ns = host === '' ? 5000 : 1000 + at;
    await writeFile(dir.file('trace.txt'), traceOfCalls([{ name: 'work', ns }]));
    const flags = host === '' ? [] : ['--host', host];
    await ptflame(['export', dir.file('trace.txt'), ...flags, '--to', `parquet:${folder}`]);
  }
  const { stdout } = await ptflame(['fleet', folder, '--outliers']);
  expect(stdout).toMatch(/\nbuild \(unknown\): .*export them to a new folder with --build NAME\n/);
  expect(stdout).toMatch(/\nhost \(unknown\): .*export them to a new folder with --host NAME\n/);
  expect(stdout).toMatch(/^\(unknown\) +\(unknown\) .* {2}work$/m);
});

test('fleet --outliers and --sql answer in each format', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  expect((await ptflame(['fleet', folder, '--outliers'])).stdout).toContain('no host is unlike the others');
  const sql = ['fleet', folder, '--sql', 'SELECT build, count(*) AS n FROM recordings GROUP BY build ORDER BY build'];
  expect((await ptflame(sql)).stdout).toMatch(/\n\nbuild +n\n1\.0 +1\n1\.1 +1\n$/);
  expect((await ptflame([...sql, '--csv'])).stdout).toBe('build,n\n1.0,1\n1.1,1\n');
  const json = FleetAnswer.parse(JSON.parse((await ptflame([...sql, '--json'])).stdout));
  expect(json.sql).toEqual({
    columns: ['build', 'n'],
    rows: [
      ['1.0', 1],
      ['1.1', 1],
    ],
  });
  expectRefusal(await ptflame(['fleet', folder, '--sql', 'DROP VIEW paths']), 2, /--sql must be one SELECT/);
});

test('fleet refuses two questions at once, and flags of another question', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  for (const flags of [
    ['--compare', 'build', '--outliers'],
    ['--outliers', '--sql', 'SELECT 1'],
    ['--from', '1.0'],
    ['--sql', 'SELECT 1', '--match', 'x'],
    ['--json', '--csv'],
    ['--csv', '--top', '3'],
  ])
    expectRefusal(
      await ptflame(['fleet', folder, ...flags]),
      2,
      /different questions|need --compare|no effect|exclusive/,
    );
});

test('fleet and merge warn of files that do not count', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  const name = 'notes \x1b[31m.txt';
  await writeFile(`${folder}/recordings/build=1.0/host=web1/${name}`, '');
  const warning =
    /^warning: not counted: recordings\/build=1\.0\/host=web1\/notes .*\.txt: ptflame export did not write it$/m;
  for (const args of [
    ['fleet', folder, '--quiet'],
    ['merge', folder, '--quiet'],
  ]) {
    const { stderr, exitCode } = await ptflame(args);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(warning);
    expect(stderr).not.toContain('\x1b[31m');
  }
  const { leftOut } = JSON.parse((await ptflame(['fleet', folder, '--json'])).stdout);
  expect(leftOut).toEqual([{ file: expect.stringContaining('notes'), reason: 'ptflame export did not write it' }]);
});

test('without DuckDB, both say how to install it', async ({ dir }) => {
  const folder = await twoBuilds(dir);
  await writeFile(
    dir.file('without.cjs'),
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, from, ...rest) {
      const paths = name === '@duckdb/node-api' ? { paths: ['/nowhere'] } : undefined;
      return paths ? resolve.call(this, name, from, false, paths) : resolve.call(this, name, from, ...rest);
    };`,
  );
  const env = { NODE_OPTIONS: `--require=${dir.file('without.cjs')}` };
  for (const command of ['fleet', 'merge']) {
    const run = await ptflame([command, folder], { env });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toMatch(/DuckDB is not installed[\s\S]*npm install @duckdb\/node-api@1\.5\.6-r\.1/);
  }
});

test('the version that the message names is that of package.json', async () => {
  const about = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  const { DUCKDB } = await import('../../../src/fleet/engine.js');
  expect(`@duckdb/node-api@${about.peerDependencies['@duckdb/node-api']}`).toBe(DUCKDB);
  expect(about.devDependencies['@duckdb/node-api']).toBe(about.peerDependencies['@duckdb/node-api']);
});

test('hostile names stay text in each format', async ({ dir }) => {
  const folder = dir.file('fleet');
  await writeFile(dir.file('trace.txt'), traceOfCalls([{ name: 'work', ns: 1000 }]));
  const flags = ['--build', HOSTILE, '--host', `../${HOSTILE}`, '--to', `parquet:${folder}`];
  expect(await ptflame(['export', dir.file('trace.txt'), ...flags])).toMatchObject({ exitCode: 0 });
  const sql = ['fleet', folder, '--sql', 'SELECT build, host FROM recordings'];
  expect((await ptflame(sql)).stdout).not.toContain('\x1b[31m');
  expect((await ptflame([...sql, '--csv'])).stdout).toContain(`"'=cmd|' /C calc'!A0,""x""`);
  expect(JSON.parse((await ptflame([...sql, '--json'])).stdout).sql.rows).toEqual([[HOSTILE, `../${HOSTILE}`]]);
  const refused = await ptflame(['fleet', folder, '--compare', 'build', '--from', HOSTILE]);
  expect(refused.stderr).not.toContain('\x1b[31m');
});

test('merge draws the folder in each format, as render draws the recording', async ({ dir }) => {
  const folder = dir.file('fleet');
  await ptflame(['export', DEMO, '--to', `parquet:${folder}`]);
  const rendered = await ptflame(['render', DEMO, '--by', 'comm']);
  expect((await ptflame(['merge', folder])).stdout).toBe(rendered.stdout);
  const outputs = ['all.html', 'all.svg', 'all.json'].flatMap((name) => ['-o', dir.file(name)]);
  expect(await ptflame(['merge', folder, '--by', 'host', ...outputs])).toMatchObject({ exitCode: 0 });
  expect(await readFile(dir.file('all.svg'), 'utf8')).toContain('<title>1 recording of 1 host and 1 build</title>');
  const report = JSON.parse((await ptflame(['report', dir.file('all.json'), '--json'])).stdout);
  const own = JSON.parse((await ptflame(['report', DEMO, '--json'])).stdout);
  // tables do not say why time is inferred
  expect(report.functions).toEqual(own.functions.map(({ inferredBy: _, ...row }: { inferredBy?: object }) => row));
  expect((await ptflame(['render', dir.file('all.json')])).stdout).toBe((await ptflame(['render', DEMO])).stdout);
});

test('merge adds up profiles, and refuses what it cannot add', async ({ dir }) => {
  await ptflame(['render', DEMO, '-o', dir.file('a.json')]);
  const [one, two] = [
    await ptflame(['merge', dir.file('a.json')]),
    await ptflame(['merge', dir.file('a.json'), dir.file('a.json')]),
  ];
  expect(one.stdout).toBe((await ptflame(['render', DEMO, '--by', 'comm'])).stdout);
  const named = await ptflame(['merge', dir.file('a.json'), dir.file('a.json'), '--format', 'svg', '--title', 'mine']);
  expect(named.stdout).toContain('<title>mine</title>');
  expect(timesOf(two.stdout)).toEqual(timesOf(one.stdout).map((ns) => 2 * ns));
  expectRefusal(await ptflame(['merge', dir.file('a.json'), '--by', 'build']), 2, /does not say which build/);
  expectRefusal(await ptflame(['merge', DEMO]), 1, /gz is not a profile$/, /ptflame render .* -o FILE\.json/);
  expectRefusal(await ptflame(['merge', dir.path, dir.file('a.json')]), 2, /is a folder, which is merged alone/);
  await rm(dir.file('a.json'));
  expectRefusal(await ptflame(['merge', dir.file('a.json')]), 1, /there is no such file/);
});

function timesOf(folded: string): number[] {
  return folded
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
}
