/**
 * Tables of all calls, read by DuckDB: added up by function, they are `ptflame report`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { CallsSpool } from '../../cli/output/calls-spool.js';
import { BATCH_ROWS } from '../../src/analysis/call-rows.js';
import { functionsOf } from '../../src/analysis/tree/functions.js';
import { treeOfAllThreads } from '../../src/analysis/tree/reshape.js';
import { type AnalyzeOptions, type Profile, PtflameError } from '../../src/index.js';
import { dsoOf } from '../../src/model/symbol-table.js';
import { recordingTables } from '../../src/parquet/recording-tables.js';
import { ask, type Row, temporaryFolder, writeBytes } from '../helpers/consumers/duckdb.js';
import { RANDOM_TRACES } from '../helpers/random/random-traces.js';
import { times } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText } from '../helpers/traces/load.js';

const folder = temporaryFolder();

/** Analyzes a trace and writes its calls. */
async function writeCalls(
  path: string,
  text: Uint8Array | string,
  options: AnalyzeOptions = {},
  minNs = 0,
): Promise<Profile> {
  const spool = new CallsSpool({ id: null, minNs }, folder);
  const profile = await analyzeText(text, { ...options, callRows: spool.question });
  writeBytes(path, spool.chunks());
  return profile;
}

const profiles = new Map<string, Profile>();

beforeAll(async () => {
  for (const file of traceFiles) {
    const text = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
    const path = join(folder, `${file.replaceAll('/', '-')}.parquet`);
    const profile = await writeCalls(path, text).catch(refused);
    if (profile !== null) profiles.set(path, profile);
  }
});

/** A few damaged traces have no branches or no times. */
function refused(error: unknown): null {
  if (error instanceof PtflameError) return null;
  throw error;
}

const FUNCTIONS = `
  SELECT filename, func, file, count(*) AS calls, count(*) FILTER (NOT complete) AS inferred,
    sum(self_ns)::BIGINT AS selfNs, coalesce(sum(total_ns) FILTER (outermost), 0)::BIGINT AS totalNs,
    coalesce(sum(outside_ns) FILTER (outermost), 0)::BIGINT AS outsideNs,
    coalesce(sum(off_cpu_ns) FILTER (outermost), 0)::BIGINT AS offCpuNs,
    min(duration_ns) FILTER (complete) AS minNs, max(duration_ns) FILTER (complete) AS maxNs`;

function expectedFunctions({ symbols, ...profile }: Profile): Row[] {
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  return functionsOf(treeOfAllThreads(profile), null, true)
    .filter(({ symbol }) => symbols.kind[symbol] !== 3)
    .map(({ symbol, calls, inferred, selfNs, totalNs, outsideNs, offCpuNs, minNs, maxNs }) => ({
      ...{ func: symbols.name[symbol] as string, file: dsoOf(symbols, symbol), calls, inferred, selfNs, totalNs },
      ...{ outsideNs, offCpuNs, minNs: finite(minNs), maxNs: finite(maxNs) },
    }));
}

const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort();

async function functionsByFile(pattern: string): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  const rows = await ask(`${FUNCTIONS} FROM read_parquet('${pattern}', filename = true) GROUP BY ALL`);
  for (const { filename, ...row } of rows) found.set(String(filename), [...(found.get(String(filename)) ?? []), row]);
  return found;
}

test('calls added up by function are those of the report', async () => {
  const found = await functionsByFile(`${folder}/*.parquet`);
  expect(profiles.size).toBeGreaterThan(80);
  for (const [path, profile] of profiles)
    expect(sorted(found.get(path) ?? []), path).toEqual(sorted(expectedFunctions(profile)));
});

test('calls of a window are those of the report of that window', async () => {
  const windows = new Map<string, Profile>();
  const files = traceFiles.filter((file) => /gentrace-(faults|kernel)|boostfiber\.|fcontext-cut\.|threads/.test(file));
  for (const file of files) {
    const text = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
    const { meta } = await analyzeText(text);
    const third = Math.floor((meta.endNs - meta.startNs) / 3);
    const window = { from: { afterStartNs: third }, to: { afterStartNs: 2 * third } };
    const path = join(folder, 'windows', `${file.replaceAll('/', '-')}.parquet`);
    const profile = await writeCalls(path, text, { window }).catch(refused);
    if (profile !== null) windows.set(path, profile);
  }
  const found = await functionsByFile(`${folder}/windows/*.parquet`);
  expect(windows.size).toBeGreaterThan(4);
  for (const [path, profile] of windows)
    expect(sorted(found.get(path) ?? []), path).toEqual(sorted(expectedFunctions(profile)));
});

test.each(RANDOM_TRACES)('calls of random %s are those of the report', async (name, lines) => {
  await fc.assert(
    fc.asyncProperty(lines, async (own) => {
      const path = join(folder, 'random', `${name}.parquet`);
      const profile = await writeCalls(path, own.join('')).catch(refused);
      if (profile === null) return;
      const found = await functionsByFile(path);
      expect(sorted(found.get(path) ?? [])).toEqual(sorted(expectedFunctions(profile)));
    }),
    { numRuns: times(25) },
  );
});

test('more calls than a row group has, and times of more than 32 bits, are those of the report', async () => {
  const time = (ns: number) => `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;
  const lines = [`7 [000] ${time(1e9)}: call 400000 main+0x0 => 500000 f+0x0\n`];
  const rounds = BATCH_ROWS + 10;
  for (let round = 0; round < rounds; round++) {
    const ns = 2e9 + 10 * round + (round > rounds / 2 ? 5e9 : 0);
    lines.push(`7 [000] ${time(ns)}: call 500008 f+0x8 => 60000${round % 2} ${round % 2 ? 'odd' : 'even'}+0x0\n`);
    lines.push(`7 [000] ${time(ns + 7)}: return 60000${round % 2} ${round % 2 ? 'odd' : 'even'}+0x0 => 50000c f+0xc\n`);
  }
  lines.push(`7 [000] ${time(9e9)}: return 500010 f+0x10 => 400005 main+0x5\n`);
  const path = join(folder, 'groups', 'groups.parquet');
  const profile = await writeCalls(path, lines.join(''));
  const found = await functionsByFile(path);
  expect(sorted(found.get(path) ?? [])).toEqual(sorted(expectedFunctions(profile)));
  const [{ groups, rows }] = await ask(`
    SELECT count(DISTINCT row_group_id) AS groups, sum(row_group_num_rows) FILTER (column_id = 0)::BIGINT AS rows
    FROM parquet_metadata('${path}')`);
  expect({ groups, rows }).toEqual({ groups: 2, rows: rounds + 2 });
  const [{ first, last }] = await ask(
    `SELECT min(start_ns) AS first, max(duration_ns) AS last FROM '${path}' WHERE func = 'f'`,
  );
  expect({ first, last }).toEqual({ first: 1e9, last: 8e9 });
});

test('threads are whole in the order in which they are added, wherever workers kept their rows', async () => {
  const text = gunzipSync(readFileSync('fixtures/demo/threads.perf.txt.gz'));
  const spool = new CallsSpool({ id: null, minNs: 0 }, folder);
  const { onThread } = spool.question;
  const kept: Parameters<typeof onThread>[0][] = [];
  await analyzeText(text, { callRows: { ...spool.question, onThread: (groups) => kept.push(groups) } });
  expect(kept.length).toBe(5);
  for (const groups of kept.toReversed()) onThread(groups);
  writeBytes(join(folder, 'reversed.parquet.reversed'), spool.chunks());
  const all = `read_parquet('${folder}/fixtures-demo-threads.perf.txt.gz.parquet')`;
  const reversed = `read_parquet('${folder}/reversed.parquet.reversed')`;
  expect(await ask(`FROM ${all} EXCEPT ALL FROM ${reversed}`)).toEqual([]);
  expect(await ask(`FROM ${reversed} EXCEPT ALL FROM ${all}`)).toEqual([]);
});

test('calls that are shorter than asked are left out, and the others are as before', async () => {
  const text = gunzipSync(readFileSync('fixtures/demo/threads.perf.txt.gz'));
  const path = join(folder, 'long.parquet.long');
  await writeCalls(path, text, {}, 1000);
  const all = `read_parquet('${folder}/fixtures-demo-threads.perf.txt.gz.parquet')`;
  expect(await ask(`FROM ${all} WHERE duration_ns >= 1000 EXCEPT ALL FROM read_parquet('${path}')`)).toEqual([]);
  const [{ kept }] = await ask(`SELECT count(*) AS kept FROM read_parquet('${path}')`);
  expect(await ask(`SELECT count(*) AS kept FROM ${all} WHERE duration_ns >= 1000`)).toEqual([{ kept }]);
});

test('calls have the paths of the table of paths, and are within the calls that made them', async () => {
  const text = gunzipSync(readFileSync('fixtures/truth/gentrace-faults.perf.txt.gz'));
  const path = `read_parquet('${folder}/fixtures-truth-gentrace-faults.perf.txt.gz.parquet')`;
  const profile = await analyzeText(text, { durations: true });
  const made = recordingTables('id', profile, { build: null, host: null, input: 'test' });
  writeBytes(join(folder, 'paths.other'), made.paths());
  const [whole] = await ask(`
    SELECT count(*) AS paths, sum(calls)::BIGINT AS calls, sum(self_ns)::BIGINT AS self
    FROM read_parquet('${folder}/paths.other') WHERE calls > 0`);
  const [joined] = await ask(`
    SELECT count(*) AS paths, sum(c.calls)::BIGINT AS calls, sum(c.self)::BIGINT AS self FROM (
      SELECT path, func, file, depth, count(*) AS calls, sum(self_ns) AS self FROM ${path} GROUP BY ALL) AS c
    JOIN (SELECT path, name, file, depth, sum(self_ns) AS self FROM read_parquet('${folder}/paths.other') GROUP BY ALL) AS p
      ON c.path = p.path AND c.func = p.name AND c.file IS NOT DISTINCT FROM p.file AND c.depth = p.depth AND c.self = p.self`);
  expect(joined).toEqual(whole);
  const outside = await ask(`
    SELECT c.call FROM ${path} AS c LEFT JOIN ${path} AS p ON c.tid = p.tid AND c.parent = p.call
    WHERE c.parent IS NOT NULL AND (p.call IS NULL OR p.depth + 1 <> c.depth OR c.start_ns < p.start_ns)`);
  expect(outside).toEqual([]);
});
