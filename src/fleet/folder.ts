/**
 * Turns a folder of exported tables into the files of each complete recording, and says which files it leaves out.
 * Tables are in TABLE/build=…/host=…/ID.parquet; an export renames its file of `recordings` last.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PtflameError } from '../model/errors.js';
import { compareUtf8 } from '../model/symbol-table.js';

/** The tables that questions are answered from. */
export const TABLES = ['recordings', 'paths', 'functions', 'durations'] as const;
export type Table = (typeof TABLES)[number];

/** A file that is not counted. */
export interface LeftOut {
  /** Relative to the folder. */
  readonly file: string;
  readonly reason: string;
}

/** A recording that has a file in each table. */
export interface PlacedRecording {
  readonly id: string;
  /** "build=1.0/host=web1", the same below each table. */
  readonly place: string;
}

export interface FleetFolder {
  readonly path: string;
  /** By place, then id; each id once. */
  readonly recordings: readonly PlacedRecording[];
  readonly leftOut: readonly LeftOut[];
}

const ID = /^([0-9a-f]{64})\.parquet$/;

const UNFINISHED = 'it is unfinished: its export was killed, or still runs';

/** Returns the path of a recording's file in a table. */
export function tableFile({ path }: Pick<FleetFolder, 'path'>, table: Table, { id, place }: PlacedRecording): string {
  return join(path, table, place, `${id}.parquet`);
}

/** Files without the beginning and the end of a Parquet file are left out; their contents are not read. */
export function readFolder(path: string): FleetFolder {
  const leftOut: LeftOut[] = [];
  const found = new Map(TABLES.map((table) => [table, filesOf(path, table, leftOut)]));
  const [placed, ...others] = TABLES.map((table) => found.get(table) as Placed);
  const firstOf = new Map<string, PlacedRecording>();
  for (const [key, recording] of [...(placed as Placed)].sort(([a], [b]) => compareUtf8(a, b))) {
    const missing = TABLES.slice(1).find((_, at) => !others[at]?.has(key));
    const first = firstOf.get(recording.id);
    if (missing === undefined && first === undefined) firstOf.set(recording.id, recording);
    else leftOut.push({ file: tableFile({ path: '' }, 'recordings', recording), reason: whyNot(missing, first) });
  }
  for (const [at, table] of TABLES.slice(1).entries())
    for (const [key, file] of others[at] as Placed)
      if (!placed?.has(key)) leftOut.push({ file: tableFile({ path: '' }, table, file), reason: UNFINISHED });
  return { path, recordings: [...firstOf.values()], leftOut: inOrder(leftOut) };
}

/** Files of a table by place and id. */
type Placed = ReadonlyMap<string, PlacedRecording>;

function whyNot(missing: Table | undefined, first: PlacedRecording | undefined): string {
  return missing === undefined
    ? `the same recording is in ${first?.place}, and counts once`
    : `it is incomplete: its file in ${missing} is missing or damaged`;
}

export function inOrder(leftOut: readonly LeftOut[]): LeftOut[] {
  return leftOut.toSorted((a, b) => compareUtf8(a.file, b.file));
}

/** Returns the whole files of a table. Folders that do not belong to it are not searched. */
function filesOf(path: string, table: Table, leftOut: LeftOut[]): Placed {
  const files = new Map<string, PlacedRecording>();
  if (table === 'recordings') requireFolder(path, table);
  const partitions = (folder: string, key: string) => namesIn(folder).filter((name) => name.startsWith(key));
  for (const build of partitions(join(path, table), 'build='))
    for (const host of partitions(join(path, table, build), 'host='))
      for (const name of namesIn(join(path, table, build, host))) {
        const place = `${build}/${host}`;
        const id = ID.exec(name)?.[1];
        const reason = id === undefined ? reasonByName(name) : whyNotWhole(join(path, table, place, name));
        if (reason !== null) leftOut.push({ file: join(table, place, name), reason });
        else files.set(`${place}/${id}`, { id: id as string, place });
      }
  return files;
}

function reasonByName(name: string): string {
  return name.startsWith('.') ? UNFINISHED : FOREIGN;
}

/** @throws PtflameError INPUT_UNREADABLE if the table cannot be read, without which nothing counts */
function requireFolder(path: string, table: Table): void {
  try {
    readdirSync(join(path, table));
  } catch (cause) {
    throw new PtflameError('INPUT_UNREADABLE', `${path} is not a folder of recordings that can be read`, {
      hint: 'name the folder of ptflame export RECORDING… --to parquet:DIR',
      cause,
    });
  }
}

/** Returns none of a table that is missing, or of a file in place of a folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort(compareUtf8);
  } catch {
    return [];
  }
}

/** Tells whole Parquet files from others by their first and last bytes; their contents are not read. */
export const FOREIGN = 'ptflame export did not write it';

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const TAIL_BYTES = MAGIC.length + 4;

/** Returns why a file is not a whole Parquet file; null: it is. Exports rename whole files, but copies of them may be cut off. */
export function whyNotWhole(path: string): string | null {
  try {
    const stats = statSync(path); // opening a pipe would wait for its writer
    return stats.isFile() ? whyNotFramed(path, stats.size) : FOREIGN;
  } catch (error) {
    return `it cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

function whyNotFramed(path: string, size: number): string | null {
  const fd = openSync(path, 'r');
  try {
    if (bytesAt(fd, 0, MAGIC.length).toString('latin1') !== MAGIC) return FOREIGN;
    const tail = bytesAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
    const isWhole =
      tail.toString('latin1', TAIL_BYTES - MAGIC.length) === MAGIC &&
      MAGIC.length + tail.readUInt32LE(0) + TAIL_BYTES <= size;
    return isWhole ? null : 'it is cut off: its end is missing';
  } finally {
    closeSync(fd);
  }
}

function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}
