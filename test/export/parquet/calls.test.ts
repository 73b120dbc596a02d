/**
 * Tables of all calls, read by DuckDB: added up by function, they are `ptflame report`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { treeOfAllThreads } from '../../../src/analysis/tree/all-threads.js';
import { functionsOf } from '../../../src/analysis/tree/functions.js';
import { CallsFile } from '../../../src/exports.js';
import { type AnalyzeOptions, type Profile, PtflameError } from '../../../src/index.js';
import { dsoOf } from '../../../src/model/names/symbol-order.js';
import { ask, type Row, temporaryFolder, writeBytes } from '../../helpers/consumers/duckdb.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { analyzeText } from '../../helpers/traces/load.js';

const folder = temporaryFolder();

/** Analyzes a trace and writes its calls. */
async function writeCalls(path: string, text: Uint8Array | string, options: AnalyzeOptions = {}): Promise<Profile> {
  const file = new CallsFile(null, {});
  const parts = [file.head()];
  const onThread: NonNullable<AnalyzeOptions['callRows']>['onThread'] = (groups) => {
    file.add(groups);
    parts.push(...groups.parts);
  };
  const profile = await analyzeText(text, { ...options, callRows: { id: null, onThread } });
  writeBytes(path, [...parts, file.end()]);
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
