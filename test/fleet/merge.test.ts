/**
 * Merged profiles: what they draw is the sum of what their parts draw, to the nanosecond, from profiles and from tables.
 */

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { reportOf } from '../../src/answers.js';
import { mergeProfiles, mergeTables } from '../../src/fleet.js';
import { type Profile, PtflameError, renderFolded, renderJson } from '../../src/index.js';
import { parseProfile } from '../../src/profile-file/read.js';
import { ask, temporaryFolder } from '../helpers/consumers/duckdb.js';
import { addProfile, addTrace, fileOf, openTestFleet, traceOfCalls } from '../helpers/consumers/fleet-folder.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

const root = temporaryFolder();

/** Losses, fibers, kernel, threads, exceptions. */
const FILES = traceFiles.filter((file) =>
  /gentrace-(faults|kernel|ties)|boostfiber\.|fcontext-cut\.|threads|overflow|cpp\.perf/.test(file),
);

const folded = (profile: Profile) => [...renderFolded(profile, { by: 'comm' })].join('');
const json = (profile: Profile) => [...renderJson(profile)].join('');
/** Lines without time only say that a path was called. */
const timed = (text: string) => text.split('\n').filter((line) => !line.endsWith(' 0'));

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
  expect(reportOf(byBuild).functions).toEqual(reportOf(twice).functions); // with percentiles
  expect(byBuild.quality.totalNs).toBe(2 * profile.quality.totalNs);
  expect(inferredOf(profile)).toBe(115);
  expect(inferredOf(byBuild)).toBe(2 * 115);
  two.close();
});

function inferredOf({ quality }: Profile): number {
  return Object.values(quality.inferredCalls).reduce((sum, calls) => sum + calls, 0);
}

/** The report of each group, without percentiles: tables do not have them by command name. */
function rowsOf(profile: Profile) {
  const { threads = [] } = reportOf(profile, { threads: true });
  return threads.map(({ comm, totalNs, functions }) => {
    return { comm, totalNs, functions: functions.map((row) => ({ ...row, p50Ns: 0, p90Ns: 0, p99Ns: 0 })) };
  });
}

test('neither the order of rows nor callers that lead to themselves, or are missing, lose time', async () => {
  const calls = ['a', 'b', 'c', 'd'].map((name, at) => ({ name, ns: 100 + at }));
  const recorded = { build: '1', host: 'a' };
  const folder = join(root, 'circles');
  const file = fileOf(folder, 'paths', recorded, await addTrace(folder, traceOfCalls(calls), recorded));
  const rewrite = (parent: string) => changeParents(file, parent);
  const merged = async () => {
    const fleet = await openTestFleet(folder);
    const lines = folded(await mergeTables(fleet, 'comm'));
    fleet.close();
    return lines.split('\n').filter((line) => line !== '');
  };
  const before = await merged();
  expect(before).toContain('app;main;a 100');
  await rewrite('parent'); // callees first
  expect(await merged()).toEqual(before);
  await rewrite(`CASE name WHEN 'a' THEN path WHEN 'b' THEN ${pathOf('c')} WHEN 'c' THEN ${pathOf('b')} ELSE 7 END`);
  const after = await merged();
  expect(after).toEqual(
    expect.arrayContaining(['app;a 100', 'app;d 103', expect.stringMatching(/^app;(b;c 102|c;b 101)$/)]),
  );
  const sum = (lines: string[]) => lines.reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
  expect(sum(after)).toBe(sum(before));
});

function pathOf(name: string): string {
  return `(SELECT o.path FROM own AS o WHERE o.name = '${name}')`;
}

test('recordings without complete calls are merged, too', async () => {
  const folder = join(root, 'incomplete');
  const [firstLine] = traceOfCalls([{ name: 'work', ns: 1000 }]).split('\n');
  await addTrace(folder, `${firstLine}\n`, { build: '1', host: 'a' });
  const fleet = await openTestFleet(folder);
  expect((await mergeTables(fleet, 'host')).threads.map(({ comm }) => comm)).toEqual(['a']);
  fleet.close();
});

/** Writes a table of paths with other parents, callees before callers. */
async function changeParents(file: string, parent: string): Promise<void> {
  const [metadata] = await ask(
    `SELECT string_agg(format('"{}": ''{}''', decode(key), decode(value)), ', ') AS keys
    FROM parquet_kv_metadata('${file}')`,
  );
  await ask(`COPY (
      WITH own AS (FROM read_parquet('${file}', hive_partitioning = false))
      SELECT own.* REPLACE (${parent} AS parent) FROM own ORDER BY depth DESC
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
    { comm: null, endNs: 1000 },
    { comm: 'a', endNs: 500 },
    { comm: 'b', endNs: 2000 },
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
