/**
 * `ptflame export`: writes the tables of recordings into a folder that other tools read as one.
 */

import { basename, join } from 'node:path';
import { whyNotWhole } from '../../src/fleet/folder.js';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { partitionName } from '../../src/parquet/layout.js';
import { recordingTables, TABLES, type TableName } from '../../src/parquet/recording-tables.js';
import { formatBytes, formatMany } from '../../src/render/format.js';
import { makeDirectory, OTHER_FOLDER, partitionOf, requireFolder, tablePath } from '../export/folder.js';
import { recordingId } from '../export/recording-id.js';
import { openInputs } from '../input/open-inputs.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { loadTimedProfile, requireTraces } from '../input/traces.js';
import { ExportOptions } from '../options/export.js';
import { CallsSpool } from '../output/calls-spool.js';
import { statOrNull } from '../output/file-identity.js';
import { notifyQuality } from '../output/lines.js';
import { openOutput, type Result, writeAll } from '../output/outputs.js';
import { notifier } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { INPUTS } from './arguments.js';

export const command = defineCommand({
  details:
    'Each input is one recording. Tables are Parquet files, which DuckDB, ClickHouse, Spark and others read: docs/parquet.md. What the folder has already is kept.',
  examples: [
    ['ptflame export perf.data --to parquet:fleet --build v1.2', 'functions, call paths and durations of a recording'],
    ['ptflame export *.data --to parquet:fleet --host web1', 'of several'],
  ],
  arguments: [
    {
      ...INPUTS,
      placeholder: 'RECORDING',
      description: 'a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or text of perf script',
    },
  ],
  schema: ExportOptions,
  run: exportRecordings,
});

/** One after the other. What the folder has already is not read again. */
export async function exportRecordings(options: ExportOptions, signal: AbortSignal): Promise<void> {
  partitionPart('build', options.build ?? null);
  requireFolder(options.to.directory);
  for (const path of options.inputs) {
    await refuseOtherKind(path);
    await exportRecording(path, options, signal);
  }
}

async function exportRecording(path: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const { directory: folder } = options.to;
  const id = await recordingId(path, options, signal);
  const known = partitionOf(folder, id);
  const wanted: readonly TableName[] = options.calls ? ['calls', ...TABLES] : TABLES;
  const missing = wanted.filter((table) => known === null || whyNotWhole(tablePath(folder, table, known, id)) !== null);
  const say = notifier(options.quiet);
  if (missing.length === 0) return say(`kept ${path}: ${tablePath(folder, 'recordings', known as string, id)} exists`);
  const calls = missing.includes('calls') ? new CallsSpool({ id, minNs: 0 }, options.tempDir) : null;
  const profile = await loadRecording(path, options, calls, signal);
  const about = { build: options.build ?? null, host: hostOf(profile, options), input: basename(path) };
  const partition = known ?? join(partitionPart('build', about.build), partitionPart('host', about.host));
  const tables = { ...recordingTables(id, profile, about), calls: () => calls?.chunks() ?? [] };
  const files = missing.map((table) => ({ path: tablePath(folder, table, partition, id), chunks: tables[table] }));
  await writeTables(files, path);
  const size = files.reduce((sum, file) => sum + (statOrNull(file.path)?.size ?? 0), 0);
  say(`exported ${path}: ${formatMany(files.length, 'table')}, ${formatBytes(size)}, ${files.at(-1)?.path}`);
  await notifyQuality(profile, options);
}

async function loadRecording(
  path: string,
  options: ExportOptions,
  calls: CallsSpool | null,
  signal: AbortSignal,
): Promise<Profile> {
  const inputs = await openInputs([path], options, signal);
  const wanted = { trees: 'apart', durations: true, ...(calls && { callRows: calls.question }) } as const;
  return loadTimedProfile(calls ? await requireTraces(inputs) : inputs, options, wanted, signal);
}

interface TableFile extends Pick<Result, 'chunks'> {
  readonly path: string;
}

/** In their order: none gets its name unless all were written. */
async function writeTables(files: readonly TableFile[], input: string): Promise<void> {
  const results: Result[] = [];
  try {
    for (const { path, chunks } of files) {
      makeDirectory(path);
      results.push({ output: await openOutput(path, [input]), chunks });
    }
    await writeAll(results);
  } catch (error) {
    if (!(error instanceof PtflameError) || error.code !== 'OUTPUT_UNWRITABLE') throw error;
    throw new PtflameError(error.code, error.message, { hint: OTHER_FOLDER, cause: error });
  }
}

function hostOf({ meta }: Profile, { host }: ExportOptions): string | null {
  return host ?? (meta.recorded?.host || null);
}

function partitionPart(key: 'build' | 'host', value: string | null): string {
  const part = partitionName(key, value);
  if (part !== null) return part;
  throw new PtflameError(
    'BAD_OPTION',
    `the name of the ${key} is too long for a directory: ${value?.length} characters`,
    {
      hint: `pass a shorter one: --${key} NAME`,
    },
  );
}
