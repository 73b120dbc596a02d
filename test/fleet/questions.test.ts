/**
 * Questions about recordings whose truth is known: which function was made slower, on which host, by how much.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { reportOf } from '../../src/answers.js';
import type { Fleet } from '../../src/fleet/open-fleet.js';
import { askFunctions, askGrowth, askOutliers, askSql, groupsOf, summaryOf } from '../../src/fleet/questions.js';
import { temporaryFolder } from '../helpers/consumers/duckdb.js';
import {
  addProfile,
  addTrace,
  openTestFleet,
  sqlFile,
  type TimedCall,
  traceOfCalls,
} from '../helpers/consumers/fleet-folder.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const root = temporaryFolder();

/** Opens a folder, asks, and closes it. */
async function asked<Answer>(folder: string, ask: (fleet: Fleet) => Promise<Answer>): Promise<Answer> {
  const fleet = await openTestFleet(join(root, folder));
  try {
    return await ask(fleet);
  } finally {
    fleet.close();
  }
}

describe('a recording alone', () => {
  const DEMO = 'demo/threads.perf.txt.gz';

  test('has the functions of its report: times, calls, averages and percentiles', async () => {
    const profile = await analyzeText(fixture(DEMO), { durations: true });
    addProfile(join(root, 'alone'), profile, { build: 'b', host: 'h' }, 'demo');
    const rows = await asked('alone', askFunctions);
    const known = new Map(rows.map((row) => [`${row.dso} ${row.name}`, row]));
    const { functions } = reportOf(profile);
    expect(rows.length).toBe(functions.length);
    for (const row of functions) {
      const {
        onCpuNs: _cpu,
        outsideSelfNs: _self,
        isStop: _stop,
        srcline: _line,
        inferredBy: _why,
        isInlined: _inlined,
        avgNs,
        ...numbers
      } = row;
      const own = known.get(`${row.dso} ${row.name}`);
      expect(own).toMatchObject({ ...(JSON.parse(JSON.stringify(numbers)) as typeof numbers), recordings: 1 });
      if (avgNs === null) expect(own?.avgNs).toBeNull();
      else expect(own?.avgNs).toBeCloseTo(avgNs, 2);
    }
  });
});

const HOSTS = Array.from({ length: 7 }, (_, at) => `web${at}`);

/** All but one function and one host take the time that they always take, with some percent of noise. */
function callsOn(build: string, host: string, at: number): TimedCall[] {
  const noise = (index: number) => 1 + (((index * index * 31 + at * 17 + build.length * 13) % 11) - 5) / 200;
  return Array.from({ length: 40 }, (_, index): TimedCall => {
    const name = `f${index % 8}`;
    const slower = (name === 'f3' && build === '1.10' ? 1.3 : 1) * (name === 'f5' && host === 'web4' ? 4 : 1);
    return { name, ns: Math.round(1000 * (1 + (index % 8)) * noise(index) * slower) };
  });
}

describe('builds and hosts', () => {
  beforeAll(async () => {
    for (const build of ['1.9', '1.10'])
      for (const [at, host] of HOSTS.entries())
        await addTrace(join(root, 'builds'), traceOfCalls(callsOn(build, host, at)), { build, host });
  });
  const growth = (by: 'build' | 'host', from: string, against: string) =>
    asked('builds', (fleet) => askGrowth(fleet, { by, from, against, minShare: 0 }));

  test('the function that was made slower stands first, by the median over hosts', async () => {
    const [first, second] = await growth('build', '1.9', '1.10');
    expect(first).toMatchObject({ name: 'f3', pairs: HOSTS.length });
    expect(first?.growth).toBeCloseTo(0.3, 1);
    expect(Math.abs(second?.growth ?? 1)).toBeLessThan(0.15); // main contains f3
  });

  test('the other way round it stands last', async () => {
    const rows = await growth('build', '1.10', '1.9');
    expect(rows.at(-1)).toMatchObject({ name: 'f3', fromAvgNs: expect.any(Number) });
    expect(rows.at(-1)?.growth).toBeCloseTo(1 / 1.3 - 1, 1);
  });

  test('hosts are compared by the builds that both have', async () => {
    const [first] = await growth('host', 'web2', 'web4');
    expect(first).toMatchObject({ name: 'f5', pairs: 2 });
    expect(first?.growth).toBeCloseTo(3, 0);
  });

  test('the host that is unlike the others is found, on each build', async () => {
    const rows = await asked('builds', (fleet) => askOutliers(fleet, { minShare: 0 }));
    const outliers = rows.filter(({ name }) => name !== 'main').map(({ name, host, build }) => ({ name, host, build }));
    expect(outliers.toSorted((a, b) => a.build.length - b.build.length)).toEqual([
      { name: 'f5', host: 'web4', build: '1.9' },
      { name: 'f5', host: 'web4', build: '1.10' },
    ]);
  });

  test('functions with less than the least share are left out', async () => {
    const [all, most] = await asked('builds', async (fleet) => [
      await askGrowth(fleet, { by: 'build', from: '1.9', against: '1.10', minShare: 0 }),
      await askGrowth(fleet, { by: 'build', from: '1.9', against: '1.10', minShare: 0.1 }),
    ]);
    expect(most.length).toBeLessThan(all.length);
    expect(most.map(({ name }) => name)).not.toContain('f0');
  });

  test('sums are those of all recordings', async () => {
    const summary = await asked('builds', summaryOf);
    expect(summary).toMatchObject({ recordings: 14, hosts: 7, builds: 2 });
    const f0 = (await asked('builds', askFunctions)).find(({ name }) => name === 'f0');
    expect(f0).toMatchObject({ recordings: 14, calls: 70 });
  });
});

describe('unequal groups', () => {
  const work = (ns: number) => traceOfCalls([{ name: 'work', ns }]);

  test('neither one slow recording nor one fast one decides: growth is the median over hosts', async () => {
    for (const build of ['old', 'new'])
      for (const host of ['a', 'b', 'c', 'd', 'e']) {
        const isNew = build === 'new';
        const calls = [
          { name: 'slower', ns: isNew && host !== 'a' ? 1300 : 1000 },
          { name: 'once', ns: isNew && host === 'b' ? 10_000 : 1000 },
        ];
        await addTrace(join(root, 'median'), traceOfCalls(calls), { build, host });
      }
    const rows = await asked('median', (fleet) =>
      askGrowth(fleet, { by: 'build', from: 'old', against: 'new', minShare: 0 }),
    );
    expect(rows.map(({ name, pairs }) => ({ name, pairs }))).toEqual([{ name: 'slower', pairs: 5 }]);
    expect(rows[0]?.growth).toBeCloseTo(0.3, 10);
  });

  test('without a host that has both builds, their medians are compared', async () => {
    for (const [host, ns] of [
      ['a', 1000],
      ['b', 1100],
      ['c', 1200],
    ] as const)
      await addTrace(join(root, 'canary'), work(ns), { build: 'old', host });
    await addTrace(join(root, 'canary'), work(2200), { build: 'new', host: 'd' });
    const rows = await asked('canary', (fleet) =>
      askGrowth(fleet, { by: 'build', from: 'old', against: 'new', minShare: 0 }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ name: 'work', pairs: 0, growth: 1, fromAvgNs: 1100, againstAvgNs: 2200 }),
    );
  });

  test('what is new or gone has no growth, and ratios of nothing are null', async () => {
    await addTrace(join(root, 'new'), traceOfCalls([{ name: 'gone', ns: 10 }]), { build: '1', host: 'a' });
    await addTrace(
      join(root, 'new'),
      traceOfCalls([
        { name: 'new', ns: 10 },
        { name: 'none', ns: 0 },
      ]),
      { build: '2', host: 'a' },
    );
    const rows = await asked('new', (fleet) => askGrowth(fleet, { by: 'build', from: '1', against: '2', minShare: 0 }));
    expect(rows.map(({ name }) => name)).not.toEqual(expect.arrayContaining([expect.stringMatching(/new|gone|none/)]));
    const { rows: growths } = await asked('new', (fleet) =>
      askSql(fleet, "SELECT name, growth FROM growth WHERE name IN ('new', 'gone', 'none') ORDER BY 1, 2"),
    );
    expect(new Set(growths.map(([, growth]) => growth))).toEqual(new Set([null]));
    const main = (await asked('new', askFunctions)).find(({ name }) => name === 'main');
    expect(main).toMatchObject({ calls: 2, inferred: 2, avgNs: null, p50Ns: null });
  });

  test('an unknown build or host is a group of its own, without a name', async () => {
    await addTrace(join(root, 'unknown'), work(1000), { build: null, host: null });
    await addTrace(join(root, 'unknown'), work(3000), { build: 'b', host: null });
    expect(await asked('unknown', (fleet) => groupsOf(fleet, 'build'))).toEqual(['', 'b']);
    const rows = await asked('unknown', (fleet) =>
      askGrowth(fleet, { by: 'build', from: '', against: 'b', minShare: 0 }),
    );
    expect(rows).toContainEqual(expect.objectContaining({ name: 'work', growth: 2, pairs: 1 }));
  });
});

describe('hostile names', () => {
  const NAMES = [
    "x'; DROP VIEW paths; --",
    '"quoted", and; more',
    '../../etc/passwd',
    'a\u0000b',
    '%2F',
    '=1+1',
    `\${name}`,
  ];

  test('stay text in SQL, as functions, builds and hosts', async () => {
    for (const [at, name] of NAMES.entries())
      await addTrace(join(root, 'hostile'), traceOfCalls([{ name: `f${at}`, ns: 1000 * (at + 1) }]), {
        build: name,
        host: name,
      });
    expect((await asked('hostile', (fleet) => groupsOf(fleet, 'build'))).toSorted()).toEqual(NAMES.toSorted());
    const [from, against] = NAMES as [string, string];
    const rows = await asked('hostile', (fleet) => askGrowth(fleet, { by: 'build', from, against, minShare: 0 }));
    expect(rows).toEqual([]); // no function is in both
    const { rows: found } = await asked('hostile', (fleet) =>
      askSql(fleet, 'SELECT host, count(*) FROM recordings GROUP BY host'),
    );
    expect(found.toSorted()).toEqual(NAMES.map((name) => [name, 1]).toSorted());
  });
});

test('files.sql lists for the shell what the command counts', async () => {
  const folder = join(root, 'shell');
  const trace = traceOfCalls([{ name: 'work', ns: 1000 }]);
  await addTrace(folder, trace, { build: '1', host: 'a', id: 'a'.repeat(64) });
  await addTrace(folder, trace, { build: '2', host: 'b', id: 'a'.repeat(64) });
  await addTrace(folder, trace, { build: '2', host: 'b', id: 'b'.repeat(64) });
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  await connection.run(`SET VARIABLE ptflame_dir = '${folder}'`);
  for (const file of ['duckdb/files.sql', 'duckdb/tables.sql', 'views.sql']) await connection.run(sqlFile(file));
  const sql = 'SELECT name, total_ns::DOUBLE FROM fleet_functions ORDER BY name';
  const shell = (await connection.runAndReadAll(sql)).getRowsJS();
  expect(shell).toEqual((await asked('shell', (fleet) => askSql(fleet, sql))).rows);
  expect(shell).toContainEqual(['work', 2000]);
});
