/**
 * Asks DuckDB about Parquet files.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll } from 'vitest';

export type Row = Record<string, string | number | boolean | null>;

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });

/** Returns the rows of an answer. Whole numbers become numbers: cast hashes to text. */
export async function ask(sql: string): Promise<Row[]> {
  const connection = await instance.connect();
  const answer = await connection.runAndReadAll(sql);
  const rows = answer.getRowObjectsJS().map((row) => {
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
  });
  connection.closeSync();
  return rows as Row[];
}

function plain(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  if (BigInt(number) !== value) throw new Error(`${value} is not exact as a number`);
  return number;
}

/** A temporary directory, removed after the tests of a file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ptflame-parquet-'));
  afterAll(() => rm(path, { recursive: true }));
  return path;
}

/** Writes a file and the directories around it. */
export function writeBytes(path: string, chunks: Iterable<Uint8Array>): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat([...chunks]));
}
