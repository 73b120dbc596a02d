/**
 * The tables of recordings, read by DuckDB: every number equals that of the profile and of `ptflame report`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { treeOfAllThreads } from '../../src/analysis/tree/reshape.js';
import { reportOf } from '../../src/answers.js';
import { type Profile, PtflameError } from '../../src/index.js';
import { functionHashes, pathHashes } from '../../src/parquet/hashes.js';
import { recordingTables, TABLES } from '../../src/parquet/recording-tables.js';
import { ask, type Row, temporaryFolder, writeBytes } from '../helpers/consumers/duckdb.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText } from '../helpers/traces/load.js';

const folder = temporaryFolder();
const tables = (name: string) => `read_parquet('${folder}/${name}/*.parquet')`;
const profiles = new Map<string, Profile>();

/** Calls of a function by threads of two command names. */
const COMMANDS = `\
server 100/101 [000] 1.000000100: call   401010 work+0x10 => 402000 read_row+0x0
server 100/102 [001] 1.000000100: call   401010 work+0x10 => 402000 read_row+0x0
backup 200/201 [001] 1.000000100: call   401010 work+0x10 => 402000 read_row+0x0
server 100/101 [000] 1.000000110: return 402010 read_row+0x10 => 401015 work+0x15
server 100/102 [001] 1.000000130: return 402010 read_row+0x10 => 401015 work+0x15
backup 200/201 [001] 1.000000170: return 402010 read_row+0x10 => 401015 work+0x15
`;

beforeAll(async () => {
  profiles.set('commands', await analyzeText(COMMANDS, { durations: true }));
  for (const path of traceFiles) {
    const bytes = readFileSync(path);
    const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    const profile = await analyzeText(text, { durations: true }).catch(refused);
    if (profile !== null) profiles.set(path, profile);
  }
  for (const [id, profile] of profiles) {
    const made = recordingTables(id, profile, { build: 'b', host: 'h', input: 'test' });
    for (const name of TABLES) writeBytes(join(folder, name, `${id.replaceAll('/', '-')}.parquet`), made[name]());
  }
});

/** A few damaged traces have no branches or no times. */
function refused(error: unknown): null {
  if (error instanceof PtflameError) return null;
  throw error;
}

function byId(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const { id, ...row } of rows) found.set(String(id), [...(found.get(String(id)) ?? []), row]);
  return found;
}

const byName = (a: Row, b: Row) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

test('functions have the numbers of the report', async () => {
  const answer = byId(
    await ask(`
      SELECT id, name, file AS dso, sum(calls)::BIGINT AS calls, sum(inferred_calls)::BIGINT AS inferred,
        sum(unwound_calls)::BIGINT AS unwound, sum(total_ns)::BIGINT AS totalNs, sum(self_ns)::BIGINT AS selfNs,
        sum(outside_ns)::BIGINT AS outsideNs, sum(outside_self_ns)::BIGINT AS outsideSelfNs,
        sum(on_cpu_ns)::BIGINT AS onCpuNs, sum(inferred_ns)::BIGINT AS inferredNs,
        round(sum(complete_ns) / nullif(sum(calls - inferred_calls), 0), 3)::DOUBLE AS avgNs,
        min(min_ns) AS minNs, max(max_ns) AS maxNs, max(longest_cut_ns) AS longestCutNs
      FROM ${tables('functions')} GROUP BY id, function, name, file`),
  );
  expect(profiles.size).toBeGreaterThan(80);
  for (const [id, profile] of profiles) {
    const expected = reportOf(profile).functions.map(
      ({ isStop, isInlined, p50Ns, p90Ns, p99Ns, srcline, inferredBy, entry, ...numbers }) => {
        const { userNs, kernelNs, interruptNs, offCpuNs, asideNs, ...row } = numbers;
        return row;
      },
    );
    expect((answer.get(id) ?? []).sort(byName), id).toEqual(expected.sort(byName));
  }
});

test('paths have the numbers of the call tree of all threads', async () => {
  const answer = byId(
    await ask(`
      SELECT id, path::VARCHAR AS path, any_value(name) AS name, any_value(depth) AS depth,
        sum(calls)::BIGINT AS calls, sum(inferred_calls)::BIGINT AS inferred, sum(unwound_calls)::BIGINT AS unwound,
        sum(self_ns)::BIGINT AS selfNs, sum(inferred_ns)::BIGINT AS inferredNs, sum(complete_ns)::BIGINT AS completeNs,
        max(longest_cut_ns) AS longestCutNs, min(min_ns) AS minNs, max(max_ns) AS maxNs
      FROM ${tables('paths')} GROUP BY id, path`),
  );
  for (const [id, profile] of profiles) {
    const sort = (rows: Row[]) => rows.sort((a, b) => (String(a['path']) < String(b['path']) ? -1 : 1));
    expect(sort(answer.get(id) ?? []), id).toEqual(sort(expectedPaths(profile)));
  }
});

function expectedPaths(profile: Profile): Row[] {
  const tree = treeOfAllThreads(profile);
  const path = pathHashes(tree, functionHashes(profile.symbols));
  const depth = new Int32Array(tree.length);
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  const rows: Row[] = [];
  for (let node = 0; node < tree.length; node++) {
    if (node > 0) depth[node] = depth[tree.parent[node]] + 1;
    if (node === 0 && tree.selfNs[node] === 0) continue;
    rows.push({
      path: String(path[node]),
      name: node === 0 ? '[thread]' : profile.symbols.name[tree.symbol[node]],
      depth: depth[node],
      calls: tree.calls[node],
      inferred: tree.inferredCalls[node],
      unwound: tree.unwoundCalls[node],
      selfNs: tree.selfNs[node],
      inferredNs: tree.inferredNs[node],
      completeNs: tree.completeNs[node],
      longestCutNs: tree.longestCutNs[node] || null,
      minNs: finite(tree.minNs[node]),
      maxNs: finite(tree.maxNs[node]),
    });
  }
  return rows;
}

test('each path and command name has one row, below the row of its parent', async () => {
  expect(await ask(`SELECT id, comm, path FROM ${tables('paths')} GROUP BY ALL HAVING count(*) > 1`)).toEqual([]);
  const orphans = await ask(`
    SELECT name FROM ${tables('paths')} AS p WHERE parent IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${tables('paths')} AS q WHERE q.id = p.id AND q.comm IS NOT DISTINCT FROM p.comm
        AND q.path = p.parent AND q.depth + 1 = p.depth)`);
  expect(orphans).toEqual([]);
});

test('the hashes are what the documentation says', async () => {
  const hashOf = (bytes: string) => `('0x' || left(sha256(${bytes}), 16))::UBIGINT`;
  const signed = (unsigned: string) =>
    `(${unsigned}::HUGEINT - CASE WHEN ${unsigned} >= 9223372036854775808 THEN 18446744073709551616 ELSE 0 END)`;
  const hex = (column: string) => `unhex(lpad(to_hex(${column}), 16, '0'))`;
  const wrong = await ask(`
    SELECT name FROM ${tables('paths')} WHERE kind <> 'thread' AND (
      function <> ${signed(hashOf(`strlen(name) || ':' || name || coalesce(file, '')`))}
      OR path <> ${signed(hashOf(`${hex('coalesce(parent, 0)')} || ${hex('function')}`))})`);
  expect(wrong).toEqual([]);
});

test('percentiles of durations are those of the report', async () => {
  const answer = byId(
    await ask(`
      WITH merged AS (
        SELECT id, function, bucket_low_ns, bucket_high_ns, sum(calls) AS calls FROM ${tables('durations')} GROUP BY ALL
      ), running AS (
        SELECT *, sum(calls) OVER f AS up_to, sum(calls) OVER (PARTITION BY id, function) AS "all"
        FROM merged WINDOW f AS (PARTITION BY id, function ORDER BY bucket_low_ns)
      ), at99 AS (
        SELECT id, function, min((bucket_low_ns + bucket_high_ns) // 2) AS ns FROM running
        WHERE up_to >= greatest(1, ceil(0.99 * "all")) GROUP BY ALL
      ), named AS (
        SELECT id, function, name, file, min(min_ns) AS min_ns, max(max_ns) AS max_ns
        FROM ${tables('functions')} GROUP BY ALL
      )
      SELECT id, name, file AS dso, least(greatest(ns, min_ns), max_ns)::BIGINT AS p99Ns
      FROM named LEFT JOIN at99 USING (id, function)`),
  );
  for (const [id, profile] of profiles) {
    const expected = reportOf(profile).functions.map(({ name, dso, p99Ns }) => ({ name, dso, p99Ns }));
    expect((answer.get(id) ?? []).sort(byName), id).toEqual(expected.sort(byName));
  }
});

test('recordings have a row each, with the sums of the trace', async () => {
  const rows = await ask(`
    SELECT id, build, host, threads, events, total_ns AS totalNs, lost_ns AS lostNs, has_switches AS hasSwitches,
      duration_ns AS durationNs, schema FROM ${tables('recordings')} ORDER BY id`);
  const expected = [...profiles].map(([id, profile]) => {
    const { durationNs, totalNs, threads, hasSwitches } = reportOf(profile).trace;
    const { events, lostNs } = profile.quality;
    const sums = { threads, events, totalNs, lostNs, hasSwitches, durationNs };
    return { id, build: 'b', host: 'h', ...sums, schema: 1 };
  });
  expect(rows).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
});

const HOSTILE = [
  "'; DROP TABLE paths; --",
  'a "b"',
  'line\nbreak',
  'NUL \0 in it',
  '',
  '\u{202e}bidi',
  '漢字🚀',
  'x'.repeat(20_000),
];

test('threads of one command name are added up, and others apart', async () => {
  const rows = await ask(`
    SELECT comm, name, calls, min_ns, max_ns FROM ${tables('functions')} WHERE id = 'commands' AND name = 'read_row' ORDER BY comm`);
  expect(rows).toEqual([
    { comm: 'backup', name: 'read_row', calls: 1, min_ns: 70, max_ns: 70 },
    { comm: 'server', name: 'read_row', calls: 2, min_ns: 10, max_ns: 30 },
  ]);
});

test('hostile names stay text', async () => {
  const traced = await analyzeText(
    HOSTILE.map((_, at) => `7 [000] 1.00000${at}000: call 400000 main+0x0 => ${at + 1}00000 f${at}+0x0\n`).join(''),
  );
  const hostile = (name: string) => HOSTILE[Number(/^f(\d)$/.exec(name)?.[1])] ?? name;
  const symbols = { ...traced.symbols, name: traced.symbols.name.map(hostile) };
  const threads = traced.threads.map((thread) => ({ ...thread, comm: HOSTILE[0] as string }));
  const made = recordingTables('hostile', { ...traced, symbols, threads }, { build: null, host: null, input: '\0' });
  for (const name of TABLES) writeBytes(join(folder, 'hostile', `${name}.parquet`), made[name]());
  const names = await ask(`SELECT name FROM '${folder}/hostile/functions.parquet' WHERE name <> 'main' ORDER BY name`);
  expect(names.map(({ name }) => name).sort()).toEqual([...HOSTILE].sort());
  expect(await ask(`SELECT DISTINCT comm FROM '${folder}/hostile/paths.parquet'`)).toEqual([{ comm: HOSTILE[0] }]);
  expect(await ask(`SELECT input FROM '${folder}/hostile/recordings.parquet'`)).toEqual([{ input: '\0' }]);
});
