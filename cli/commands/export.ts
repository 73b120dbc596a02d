/**
 * `ptflame export`: writes the tables of recordings into a folder that other tools read as one.
 */
import { basename, join } from 'node:path';
import { partitionName, recordingTables, TABLES, type TableName } from '../../src/exports.js';
import { type Profile, PtflameError } from '../../src/profiles.js';
import { formatBytes, formatMany } from '../../src/text.js';
import { isComplete, makeDirectory, partitionOf, tablePath } from '../export/folder.js';
import { recordingId } from '../export/recording-id.js';
import { openInputs } from '../input/open-inputs.js';
import { loadTimedProfile } from '../input/traces.js';
import type { ExportOptions } from '../options/export.js';
import { statOrNull } from '../output/file-identity.js';
import { openOutput, type Result, writeAll } from '../output/outputs.js';
import { notifyQuality } from '../quality/lines.js';
import { notifier } from '../terminal/notify.js';

/** One after the other. What the folder has already is not read again. */
export async function exportRecordings(options: ExportOptions, signal: AbortSignal): Promise<void> {
  partitionPart('build', options.build ?? null);
  for (const path of options.inputs) await exportRecording(path, options, signal);
}

async function exportRecording(path: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const { directory: folder } = options.to;
  const id = await recordingId(path, options, signal);
  const known = partitionOf(folder, id);
  const missing = TABLES.filter((table) => known === null || !isComplete(tablePath(folder, table, known, id)));
  const say = notifier(options.quiet);
  if (missing.length === 0) return say(`kept ${path}: ${tablePath(folder, 'recordings', known as string, id)} exists`);
  const inputs = await openInputs([path], options, signal);
  const profile = await loadTimedProfile(inputs, options, { trees: 'apart', durations: true }, signal);
  const about = { build: options.build ?? null, host: hostOf(profile, options), input: basename(path) };
  const partition = known ?? join(partitionPart('build', about.build), partitionPart('host', about.host));
  const tables = recordingTables(id, profile, about);
  const written = await writeTables(missing, (table) => tablePath(folder, table, partition, id), tables, path);
  const size = written.reduce((sum, file) => sum + (statOrNull(file)?.size ?? 0), 0);
  say(`exported ${path}: ${formatMany(missing.length, 'table')}, ${formatBytes(size)}, ${written.at(-1)}`);
  await notifyQuality(profile, options);
}

/** Returns the files that were written. */
async function writeTables(
  names: readonly TableName[],
  pathOf: (table: TableName) => string,
  tables: ReturnType<typeof recordingTables>,
  input: string,
): Promise<string[]> {
  const files: string[] = [];
  const results: Result[] = [];
  for (const name of names) {
    const path = pathOf(name);
    makeDirectory(path);
    files.push(path);
    results.push({ output: await openOutput(path, [input]), chunks: tables[name] });
  }
  await writeAll(results);
  return files;
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
