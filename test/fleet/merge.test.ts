/**
 * Merged profiles: what they draw is the sum of what their parts draw, to the nanosecond, from profiles and from tables.
 */

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { reportLines } from '../../cli/commands/report.js';
import { reportOf } from '../../src/answers.js';
import { renderPprof } from '../../src/export/pprof.js';
import { ProfileSum } from '../../src/fleet/merge-profiles.js';
import { mergeTables } from '../../src/fleet/merge-tables.js';
import { askSql } from '../../src/fleet/questions.js';
import {
  type Profile,
  PtflameError,
  qualitySummary,
  renderFolded,
  renderHtml,
  renderJson,
  renderSvg,
} from '../../src/index.js';
import { threadChoices, titleOf } from '../../src/page/view/threads.js';
import { selectThreads } from '../../src/pipeline/profile/read-profile.js';
import { parseProfile } from '../../src/profile-file/read.js';
import type { FunctionRow } from '../../src/questions/report/schema.js';
import { viewsOf } from '../helpers/browser/page-views.js';
import { readPprof } from '../helpers/checks/files/pprof-file.js';
import { rendered } from '../helpers/checks/rendered.js';
import { ask, temporaryFolder } from '../helpers/consumers/duckdb.js';
import { addProfile, addTrace, fileOf, openTestFleet, traceOfCalls } from '../helpers/consumers/fleet-folder.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const root = temporaryFolder();

/** Losses, fibers, kernel, threads, exceptions. */
const FILES = traceFiles.filter((file) =>
  /gentrace-(faults|kernel|ties)|boostfiber\.|fcontext-cut\.|threads|overflow|cpp\.perf/.test(file),
);

/** `files`: of the profiles. Default: one for all, such as for windows of one trace. */
function mergeProfiles(profiles: readonly Profile[], by: 'comm' | 'host', files: readonly string[] = []): Profile {
  const sum = new ProfileSum(by);
  for (const [at, profile] of profiles.entries()) sum.add(profile, files[at] ?? 'perf.data');
  return sum.build();
}

const folded = (profile: Profile) => [...renderFolded(profile, { by: 'comm' })].join('');
const json = (profile: Profile) => [...renderJson(profile)].join('');
/** Lines without time only say that a path was called. */
const timed = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.endsWith(' 0'))
    .map((line) => line.replace(/^(unknown|no command name: perf.data)(?=;| )/, ''))
    .sort();

function read(file: string): Buffer {
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const PARTS = 3;

async function windowsOf(bytes: Uint8Array, whole: Profile): Promise<Profile[]> {
  const length = whole.meta.endNs - whole.meta.startNs;
  const borders = Array.from({ length: PARTS - 1 }, (_, part) => Math.floor((length * (part + 1)) / PARTS) + part);
  const parts: Profile[] = [];
  for (let part = 0; part < PARTS; part++) {
    const from = part === 0 ? null : { afterStartNs: borders[part - 1] as number };
    const to = part === PARTS - 1 ? null : { afterStartNs: borders[part] as number };
    const profile = await analyzeText(bytes, { durations: true, window: { from, to } }).catch(nothingThere);
    if (profile !== null) parts.push(profile);
  }
  return parts;
}

function nothingThere(error: unknown): null {
  if (error instanceof PtflameError && error.code === 'NOTHING_SELECTED') return null;
  throw error;
}

test('windows of one trace are the whole trace, to the nanosecond, from profiles and from tables', async () => {
  for (const [at, file] of FILES.entries()) {
    const bytes = read(file);
    const whole = await analyzeText(bytes, { durations: true });
    const parts = await windowsOf(bytes, whole);
    expect(timed(folded(mergeProfiles(parts, 'comm'))), file).toEqual(timed(folded(whole)));
    const folder = join(root, `windows${at}`);
    for (const [row, part] of parts.entries()) addProfile(folder, part, { build: 'b', host: 'h' }, `${row}`);
    const fleet = await openTestFleet(folder);
    expect(timed(folded(await mergeTables(fleet, 'comm'))), file).toEqual(timed(folded(whole)));
    fleet.close();
  }
});

test('the trees of tables are those of profiles: all columns', async () => {
  const profile = await analyzeText(fixture('demo/threads.perf.txt.gz'), { durations: true });
  const [once, twice] = [mergeProfiles([profile], 'comm'), mergeProfiles([profile, profile], 'comm')];
  const folder = join(root, 'columns');
  addProfile(folder, profile, { build: '1', host: 'a' }, 'demo');
  const one = await openTestFleet(folder);
  expect(rowsOf(await mergeTables(one, 'comm'))).toEqual(rowsOf(once));
  one.close();
  addProfile(folder, profile, { build: '2', host: 'b' }, 'demo');
  const two = await openTestFleet(folder);
  expect(rowsOf(await mergeTables(two, 'comm'))).toEqual(rowsOf(twice));
  const byBuild = await mergeTables(two, 'build');
  expect(byBuild.threads.map(({ comm }) => comm)).toEqual(['1', '2']);
  expect(reportOf(byBuild).functions).toEqual(withoutReasons(reportOf(twice).functions)); // with percentiles
  expect(byBuild.quality.totalNs).toBe(2 * profile.quality.totalNs);
  expect(inferredOf(profile)).toBe(115);
  expect(inferredOf(byBuild)).toBe(2 * 115);
  two.close();
});

function inferredOf({ quality }: Profile): number {
  return Object.values(quality.inferredCalls).reduce((sum, calls) => sum + calls, 0);
}

/** Tables do not have why time is inferred. */
function withoutReasons(rows: readonly FunctionRow[]): FunctionRow[] {
  return rows.map(({ inferredBy: _, ...row }) => row);
}

/** The report of each group, without percentiles: tables do not have them by command name. */
function rowsOf(profile: Profile) {
  const { threads = [] } = reportOf(profile, { threads: true });
  return threads.map(({ comm, totalNs, functions }) => {
    return {
      comm,
      totalNs,
      functions: withoutReasons(functions).map((row) => ({ ...row, p50Ns: 0, p90Ns: 0, p99Ns: 0 })),
    };
  });
}

const NUMBERED = ['a', 'b', 'c', 'd'].map((name, at) => ({ name, ns: 100 + at }));
const [WEB, DB] = [
  { build: '1', host: 'web' },
  { build: '1', host: 'db' },
];

async function mergedLines(folder: string, by: 'comm' | 'host' = 'comm'): Promise<string[]> {
  const fleet = await openTestFleet(folder);
  try {
    const lines = folded(await mergeTables(fleet, by));
    return lines.split('\n').filter((line) => line !== '');
  } finally {
    fleet.close();
  }
}

test('the order of rows does not matter', async () => {
  const folder = join(root, 'order');
  const file = fileOf(folder, 'paths', WEB, await addTrace(folder, traceOfCalls(NUMBERED), WEB));
  const before = await mergedLines(folder);
  expect(before).toContain('app;main;a 100');
  await rewrite(file, ''); // callees first
  expect(await mergedLines(folder)).toEqual(before);
});

const pathOf = (name: string) => `(SELECT o.path FROM own AS o WHERE o.name = '${name}')`;
const ofA = (column: string, value: string) => `CASE name WHEN 'a' THEN ${value} ELSE ${column} END AS ${column}`;
const IMPOSSIBLE = 'a row is impossible:';

test.each([
  ['a caller that is itself', 'paths', ofA('parent', 'path'), 'the caller of a is not there, or calls it in a circle'],
  ['a caller that is missing', 'paths', ofA('parent', '7'), 'the caller of a is not there, or calls it in a circle'],
  [
    'a circle of two',
    'paths',
    `CASE name WHEN 'a' THEN ${pathOf('b')} WHEN 'b' THEN ${pathOf('a')} ELSE parent END AS parent, 3 AS depth`,
    'is damaged: ',
  ],
  ['two paths with one caller and function', 'paths', ofA('function', pathFunction('b')), 'about the calls of'],
  ['a first function below another', 'paths', ofA('parent', 'NULL'), 'not (parent IS NULL) = (depth < 2)'],
  ['a negative time', 'paths', ofA('self_ns', '-5'), `${IMPOSSIBLE} self_ns is -5`],
  ['a negative shortest call', 'paths', ofA('min_ns', '-1'), `${IMPOSSIBLE} min_ns is -1`],
  ['no calls', 'paths', ofA('calls', 'NULL'), `${IMPOSSIBLE} calls is NULL`],
  ['no function', 'paths', ofA('function', 'NULL'), `${IMPOSSIBLE} function is NULL`],
  ['a number beyond 2^53', 'paths', ofA('complete_ns', '9007199254740993'), 'complete_ns is 9007199254740993'],
  [
    'more inferred calls than calls',
    'paths',
    ofA('inferred_calls', '9'),
    'not inferred_calls + unwound_calls <= calls',
  ],
  ['a shortest call of none', 'paths', ofA('inferred_calls', '1'), 'not (min_ns IS NULL)'],
  ['rows of another recording', 'paths', `'x' AS id`, `${IMPOSSIBLE} id is x`],
  ['fractions', 'paths', '0.5::DOUBLE AS self_ns', 'its column self_ns is of type DOUBLE/'],
  ['a function without a name', 'functions', ofA('name', 'NULL'), `${IMPOSSIBLE} name is NULL`],
  ['two functions with one number', 'functions', `1::BIGINT AS "function"`, 'it contradicts itself about the function'],
  ['two numbers of one function', 'functions', ofA('"function"', '1'), ' about the function a'],
  ['a negative duration', 'durations', '-1::BIGINT AS bucket_low_ns', `${IMPOSSIBLE} bucket_low_ns is -1`],
  ['a command name that is a number', 'paths', '7 AS comm', 'its column comm is of type INT32/'],
  ['a file that is bytes', 'functions', `'x'::BLOB AS file`, 'its column file is of type BYTE_ARRAY/'],
  ['a host that is a number', 'recordings', '7 AS host', 'its column host is of type INT32/'],
  ['a flag that is a text', 'recordings', `'x' AS has_switches`, 'its column has_switches is of type BYTE_ARRAY/'],
  ['a line before the first', 'functions', `'a.c' AS source_file, 0::INTEGER AS source_line`, 'source_line > 0'],
  ['a function that is nowhere', 'paths', ofA('function', '7'), 'it has functions that the table functions lacks'],
  ['durations of nothing', 'durations', '7::BIGINT AS "function"', 'it has functions that the table functions lacks'],
  ['calls beyond all sums', 'functions', ofA('calls', `${Number.MAX_SAFE_INTEGER}`), 'its calls add up to more than'],
  ['less than nothing recorded', 'recordings', '-1::BIGINT AS total_ns', `${IMPOSSIBLE} total_ns is -1`],
] as const)('tables with %s are refused, and the file is named', async (what, table, columns, message) => {
  const folder = join(root, what.replaceAll(' ', '-'));
  await addTrace(folder, traceOfCalls(NUMBERED), WEB);
  const file = fileOf(folder, table, DB, await addTrace(folder, traceOfCalls(NUMBERED), DB));
  await rewrite(file, columns);
  const refused = await mergedLines(folder, table === 'durations' ? 'host' : 'comm').catch((error) => error);
  expect(refused).toBeInstanceOf(PtflameError);
  expect(refused).toMatchObject({ code: 'INPUT_UNREADABLE', message: expect.stringContaining(message) });
  expect(refused.message).toContain(file);
});

test('a file has one recording', async () => {
  const folder = join(root, 'twice');
  const file = fileOf(folder, 'recordings', WEB, await addTrace(folder, traceOfCalls(NUMBERED), WEB));
  await rewrite(file, '', '(FROM own UNION ALL FROM own) AS own');
  await expect(mergedLines(folder)).rejects.toThrow(`${file} is damaged: it has 2 rows, not one`);
  await rewrite(file, '', '(FROM own LIMIT 0) AS own');
  await expect(mergedLines(folder)).rejects.toThrow(`${file} is damaged: it has 0 rows, not one`);
});

test.each([
  ['recordings', 'duration_ns'],
  ['paths', 'self_ns'],
] as const)('more time than a profile holds is refused: %s', async (table, column) => {
  const folder = join(root, `long-${table}`);
  await addTrace(folder, traceOfCalls(NUMBERED), WEB);
  const file = fileOf(folder, table, DB, await addTrace(folder, traceOfCalls(NUMBERED), DB));
  await rewrite(file, `${Number.MAX_SAFE_INTEGER} AS ${column}`);
  await expect(mergedLines(folder)).rejects.toThrow(`104 days (2^53 ns): ${file} has the longest`);
});

function pathFunction(name: string): string {
  return `(SELECT o."function" FROM own AS o WHERE o.name = '${name}')`;
}

test('queries of paths are refused likewise, before one that follows callers would go on forever', async () => {
  const folder = join(root, 'walk');
  const file = fileOf(folder, 'paths', WEB, await addTrace(folder, traceOfCalls(NUMBERED), WEB));
  await rewrite(file, ofA('parent', 'path'));
  const fleet = await openTestFleet(folder);
  const walk = `WITH RECURSIVE up AS (SELECT path, parent FROM paths
    UNION ALL SELECT p.path, p.parent FROM up JOIN paths AS p ON p.path = up.parent) SELECT count(*) FROM up`;
  await expect(askSql(fleet, walk)).rejects.toThrow(`${file} is damaged: the caller of a is not there`);
  fleet.close();
});

test('recordings without complete calls are merged, too', async () => {
  const folder = join(root, 'incomplete');
  const [firstLine] = traceOfCalls([{ name: 'work', ns: 1000 }]).split('\n');
  await addTrace(folder, `${firstLine}\n`, { build: '1', host: 'a' });
  const fleet = await openTestFleet(folder);
  expect((await mergeTables(fleet, 'host')).threads.map(({ comm }) => comm)).toEqual(['a']);
  fleet.close();
});

/** Writes a table with other values in some columns, callees before callers. */
async function rewrite(file: string, columns: string, rows = 'own'): Promise<void> {
  const [metadata] = await ask(
    `SELECT string_agg(format('"{}": ''{}''', decode(key), decode(value)), ', ') AS keys
    FROM parquet_kv_metadata('${file}')`,
  );
  await ask(`COPY (
      WITH own AS (FROM read_parquet('${file}', hive_partitioning = false))
      SELECT own.* ${columns === '' ? '' : `REPLACE (${columns})`} FROM ${rows} ${file.includes('/paths/') ? 'ORDER BY depth DESC' : ''}
    ) TO '${file}.new' (FORMAT parquet, KV_METADATA {${metadata?.keys}})`);
  renameSync(`${file}.new`, file);
}

test('threads of one name are one; of profiles from two hosts, each host is one', async () => {
  const profile = await analyzeText(traceOfCalls([{ name: 'work', ns: 1000 }], 'app'));
  const other = await analyzeText(traceOfCalls([{ name: 'work', ns: 500 }], 'tool'));
  const recorded = (own: Profile, host: string): Profile => {
    const known = { kernel: null, cpu: null, perf: null, command: null, startedAt: null };
    return { ...own, meta: { ...own.meta, recorded: { ...known, host } } };
  };
  const comms = mergeProfiles([profile, other, profile], 'comm');
  expect(comms.threads.map(({ tid, comm, endNs }) => ({ tid, comm, endNs }))).toEqual([
    { tid: 1, comm: 'app', endNs: 2000 },
    { tid: 2, comm: 'tool', endNs: 500 },
  ]);
  const hosts = mergeProfiles([recorded(profile, 'b'), recorded(other, 'a'), recorded(profile, 'b'), profile], 'host');
  expect(hosts.threads.map(({ comm, endNs }) => ({ comm, endNs }))).toEqual([
    { comm: 'a', endNs: 500 },
    { comm: 'b', endNs: 2000 },
    { comm: 'unknown host: perf.data', endNs: 1000 },
  ]);
});

test('the order of the profiles does not matter, and the result is a profile that can be read and merged again', async () => {
  const profiles = [];
  for (const file of FILES.slice(0, 4)) profiles.push(await analyzeText(read(file), { durations: true }));
  const merged = json(mergeProfiles(profiles, 'comm'));
  expect(json(mergeProfiles(profiles.toReversed(), 'comm'))).toBe(merged);
  const again = parseProfile(Buffer.from(merged), 'merged.json');
  expect(folded(again)).toBe(folded(mergeProfiles(profiles, 'comm')));
  expect(again.quality.lostNs).toBe(profiles.reduce((sum, { quality }) => sum + quality.lostNs, 0));
  const [left, right] = [mergeProfiles(profiles.slice(0, 2), 'comm'), mergeProfiles(profiles.slice(2), 'comm')];
  expect(folded(mergeProfiles([left, right], 'comm'))).toBe(folded(again));
});

/** Two programs whose only thread has one id, as decoded without names. */
async function namelessPrograms(): Promise<Profile[]> {
  const texts = [500, 700].map((ns) => traceOfCalls([{ name: `work${ns}`, ns }], '').replaceAll(' 7/7 ', '7 '));
  return Promise.all(texts.map((text) => analyzeText(text, { durations: true })));
}

test('two programs that have one thread id stay apart, from profiles and from tables', async () => {
  const programs = await namelessPrograms();
  expect(programs.map(({ threads: [thread] }) => [thread?.tid, thread?.comm])).toEqual([
    [7, null],
    [7, null],
  ]);
  const merged = mergeProfiles(programs, 'comm', ['a.json', 'b.json']);
  const groups = [
    { comm: 'no command name: a.json', endNs: 500 },
    { comm: 'no command name: b.json', endNs: 700 },
  ];
  expect(merged.threads.map(({ comm, endNs }) => ({ comm, endNs }))).toEqual(groups);
  const again = mergeProfiles([merged, merged], 'comm', ['m.json', 'n.json']); // groups keep their names
  expect(again.threads.map(({ comm }) => comm)).toEqual(groups.map(({ comm }) => comm));
  expect(again.meta.merged).toEqual({ recordings: 4, by: 'comm' });
  const hosts = mergeProfiles([merged], 'host', ['m.json']);
  expect(hosts.threads.map(({ comm }) => comm)).toEqual(['unknown host: m.json']);
  const folder = join(root, 'nameless');
  for (const [at, profile] of programs.entries())
    addProfile(folder, profile, { build: null, host: null }, `${at}`, `${at}.data`);
  const fleet = await openTestFleet(folder);
  for (const [by, unknown] of [
    ['comm', 'no command name'],
    ['host', 'unknown host'],
    ['build', 'unknown build'],
  ] as const) {
    const { threads } = await mergeTables(fleet, by);
    expect(threads.map(({ comm, endNs }) => ({ comm, endNs }))).toEqual([
      { comm: `${unknown}: 0.data`, endNs: 500 },
      { comm: `${unknown}: 1.data`, endNs: 700 },
    ]);
  }
  fleet.close();
});

test('nothing calls a sum recorded, or a group a thread with an id', async () => {
  const merged = mergeProfiles(await namelessPrograms(), 'comm', ['a.json', 'b.json']);
  const read = parseProfile(Buffer.from(json(merged)), 'merged.json');
  expect(read.meta.merged).toEqual({ recordings: 2, by: 'comm' });
  const lines = [...renderFolded(read, { by: 'thread' })].join('').split('\n');
  expect(lines).toContain('no command name: a.json;main;work500 500');
  expect(qualitySummary(read).line).toMatch(/^4 events of 2 recordings; nothing lost/);
  const svg = [...renderSvg(read)].join('');
  expect(svg).toContain('2 recordings added up · 2 command names · 1.2 µs of wall-clock time in total');
  const page = await rendered(renderHtml(read));
  expect(page.toString()).toContain('2 recordings added up · 2 command names · ');
  for (const picture of [svg, page.toString()]) expect(picture).not.toMatch(/µs recorded|2 threads/);
  const views = viewsOf(read);
  expect(views.threads.map(titleOf)).toEqual(['no command name: a.json', 'no command name: b.json']);
  expect(threadChoices(views.threads, false)[0]).toMatchObject({ name: 'All command names', which: '2 command names' });
  const report = [...reportLines(reportOf(read, { threads: true }), [], 100, 0)].join('\n');
  expect(report).toMatch(/^1.2 µs of 2 command names, 2 recordings added up: /);
  expect(report).toContain('\ncommand name no command name: a.json: 500 ns, ');
  expect(report).not.toContain('thread 1');
  const { labels } = readPprof(await rendered(renderPprof(read)));
  expect([...labels]).toEqual(['comm=no command name: a.json', 'comm=no command name: b.json']);
  expect(() => selectThreads(read, { tids: [1] })).toThrow('a merged profile has groups of threads, not their ids');
});
