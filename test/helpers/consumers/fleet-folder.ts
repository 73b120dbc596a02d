/**
 * Folders of recordings whose times are known, for questions about many of them.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fleet, openFleet } from '../../../src/fleet/open-fleet.js';
import type { Profile } from '../../../src/index.js';
import { partitionName } from '../../../src/parquet/layout.js';
import { recordingTables, TABLES, type TableName } from '../../../src/parquet/recording-tables.js';
import { analyzeText } from '../traces/load.js';
import { writeBytes } from './duckdb.js';

/** Calls of one thread, one after the other. */
export interface TimedCall {
  readonly name: string;
  readonly ns: number;
}

/** `main` calls each of these functions. */
export function traceOfCalls(calls: readonly TimedCall[], comm = 'app'): string {
  let atNs = 1_000_000_000;
  const line = (what: string, from: string, to: string) =>
    `${comm} 7/7 [000] ${Math.floor(atNs / 1e9)}.${String(atNs % 1e9).padStart(9, '0')}: ${what.padEnd(8)} ${from} => ${to}\n`;
  return calls
    .map(({ name, ns }, index) => {
      const address = (0x500000 + 0x1000 * index).toString(16);
      atNs += 10;
      const begin = line('call', '400010 main+0x10', `${address} ${name}+0x0`);
      atNs += ns;
      return begin + line('return', `${address} ${name}+0x0`, '400015 main+0x15');
    })
    .join('');
}

export interface Recorded {
  readonly build: string | null;
  readonly host: string | null;
  /** Default: a hash of build, host and trace. */
  readonly id?: string;
}

/** Where a recording is below each table. */
export function placeOf({ build, host }: Recorded): string {
  return `${partitionName('build', build)}/${partitionName('host', host)}`;
}

export function fileOf(folder: string, table: TableName, recorded: Recorded, id: string): string {
  return join(folder, table, placeOf(recorded), `${id}.parquet`);
}

/** Adds a trace to a folder, and returns its id. */
export async function addTrace(folder: string, text: string | Uint8Array, recorded: Recorded): Promise<string> {
  return addProfile(folder, await analyzeText(text, { durations: true }), recorded, text);
}

export function addProfile(
  folder: string,
  profile: Profile,
  recorded: Recorded,
  seed: string | Uint8Array,
  input = 'perf.data',
): string {
  const { build, host, id = createHash('sha256').update(`${build}/${host}/`).update(seed).digest('hex') } = recorded;
  const made = recordingTables(id, profile, { build, host, input });
  for (const table of TABLES) writeBytes(fileOf(folder, table, recorded, id), made[table]());
  return id;
}

const SQL = new URL('../../../sql/', import.meta.url);
export const sqlFile = (name: string): string => readFileSync(new URL(name, SQL), 'utf8');

export function openTestFleet(folder: string, options: Parameters<typeof openFleet>[2] = {}): Promise<Fleet> {
  const sql = { tables: sqlFile('duckdb/tables.sql'), views: sqlFile('views.sql') };
  return openFleet(folder, sql, { threads: 2, ...options });
}
