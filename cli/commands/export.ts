/**
 * `ptflame export`: writes the tables of recordings into a folder that other tools read as one.
 */

import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { whyNotWhole } from '../../src/fleet/folder.js';
import { PtflameError, unreadableInput } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { partitionName } from '../../src/parquet/layout.js';
import { recordingTables, TABLES, type TableName } from '../../src/parquet/recording-tables.js';
import { wakingsPath } from '../../src/perfdata/beside.js';
import { dataFilePath } from '../../src/perfdata/open-recording.js';
import { formatBytes, formatMany } from '../../src/render/format.js';
import { openInputs } from '../input/open-inputs.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { loadTimedProfile, requireTraces } from '../input/traces.js';
import { INPUTS, reading, selection, shown, srcline, windowed } from '../options/shared.js';
import { path, text } from '../options/values.js';
import { CallsSpool } from '../output/calls-spool.js';
import { makeFolders, requireFolder } from '../output/folders.js';
import { whatWrites } from '../output/formats.js';
import { notifyQuality } from '../output/lines.js';
import { openOutput, type Result, writeAll } from '../output/outputs.js';
import { statOrNull } from '../output/refuse-overwriting.js';
import { notifier } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** "parquet:DIR" → the directory. */
const target = z.string().transform((text, context) => {
  const directory = /^parquet:(.+)$/s.exec(text)?.[1];
  const isFolder = directory !== undefined && statOrNull(directory)?.isDirectory() === true;
  const other = isFolder || /^parquet:./.test(directory ?? '') ? null : whatWrites(directory ?? text);
  if (directory !== undefined && other === null) return { format: 'parquet' as const, directory };
  const meant =
    other ??
    (/^(?!parquet$)[\w./-]+$/.test(text) ? `did you mean parquet:${text}?` : 'such as parquet:/var/lib/profiles');
  context.addIssue({ code: 'custom', message: `must be parquet:DIR, a folder: ${meant}` });
  return z.NEVER;
});

/** The options of `ptflame export`. */
export const ExportOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    to: flag(target, 'the format and the folder: parquet:DIR, tables in Parquet files', {
      value: 'TARGET',
      common: 'parquet:DIR, the folder of the tables',
    }),
    build: flag(text.optional(), 'the build of the program that was recorded', { value: 'NAME', common: true }),
    host: flag(text.optional(), 'the machine that was recorded (default: as the recording names it)', {
      value: 'NAME',
      common: true,
    }),
  }),
  ...group('Output', {
    calls: flag(z.boolean().default(false), 'also a table of all calls, 20 to 40 bytes for each', {
      common: 'also a table of all calls',
    }),
  }),
  ...srcline(),
  ...shown(),
  ...reading(),
});
export type ExportOptions = z.infer<typeof ExportOptions>;

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
  requireFolder(options.to.directory, OTHER_FOLDER);
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
      makeFolders(dirname(path), OTHER_FOLDER);
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

/**
 * A folder of exported recordings: what is in it already, and where new files go.
 *
 * Returns the partition that has a recording, "build=v1/host=web1"; null: none has.
 */
function partitionOf(folder: string, id: string): string | null {
  const table = join(folder, 'recordings');
  for (const build of directoriesIn(table, 'build='))
    for (const host of directoriesIn(join(table, build), 'host=')) {
      const partition = join(build, host);
      if (whyNotWhole(tablePath(folder, 'recordings', partition, id)) === null) return partition;
    }
  return null;
}

function tablePath(folder: string, table: TableName, partition: string, id: string): string {
  return join(folder, table, partition, `${id}.parquet`);
}

const OTHER_FOLDER = 'choose another folder with --to parquet:DIR';

/** In the order of their names. */
function directoriesIn(path: string, prefix: string): string[] {
  if (statOrNull(path)?.isDirectory() !== true) return [];
  return readdirSync(path)
    .filter((name) => name.startsWith(prefix))
    .sort();
}

/** Options that select a part: each part is a recording of its own, as windows of one trace add up. */
const PARTS = [...Object.keys({ ...windowed(), ...selection() }), 'root', 'inside'] as (keyof ExportOptions)[];

/**
 * The files of a recording and the part that is selected → its id, which is the same wherever and however often it is exported.
 *
 * Returns 64 hex digits: of one file of which all is selected, its SHA-256.
 *
 * @throws PtflameError INPUT_KIND for a stream, INPUT_UNREADABLE
 */
async function recordingId(path: string, options: ExportOptions, signal: AbortSignal): Promise<string> {
  const hashes: string[] = [];
  for (const file of filesOf(path, options)) hashes.push(await fileHash(file, signal));
  const parts = PARTS.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]);
  if (hashes.length === 1 && parts.length === 0) return hashes[0];
  return createHash('sha256')
    .update(JSON.stringify([hashes, parts], patternText))
    .digest('hex');
}

function patternText(_key: string, value: unknown): unknown {
  return value instanceof RegExp ? String(value) : value;
}

/** Returns the recording, then that of wakings next to it. */
function filesOf(path: string, { wakes }: ExportOptions): string[] {
  const stats = path === '-' ? null : statOrNull(path);
  if (path === '-' || stats?.isFIFO())
    throw new PtflameError('INPUT_KIND', `${path === '-' ? 'standard input' : path} is a stream, not a file`, {
      hint: 'export names tables by the hash of the file: write the stream to a file first',
    });
  if (stats === null) return [path];
  const side = wakes ?? wakingsPath(path);
  const data = dataFilePath(path);
  if (stats.isDirectory() && statOrNull(data) === null)
    throw new PtflameError('INPUT_UNREADABLE', `${path} is a directory`, { hint: 'pass the files in it' });
  return [data, ...(statOrNull(side)?.isFile() ? [side] : [])];
}

async function fileHash(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path, { highWaterMark: 2 ** 20, signal })) hash.update(part);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadableInput(path, error);
  }
  return hash.digest('hex');
}
