/**
 * A folder of exported recordings: what is in it already, and where new files go.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TableName } from '../../src/exports.js';
import { PtflameError } from '../../src/profiles.js';
import { statOrNull } from '../output/file-identity.js';
import { whyUnwritable } from '../output/write-chunks.js';

/** Returns the partition that has a recording, "build=v1/host=web1"; null: none has. */
export function partitionOf(folder: string, id: string): string | null {
  const table = join(folder, 'recordings');
  for (const build of directoriesIn(table, 'build='))
    for (const host of directoriesIn(join(table, build), 'host=')) {
      const partition = join(build, host);
      if (isComplete(tablePath(folder, 'recordings', partition, id))) return partition;
    }
  return null;
}

export function tablePath(folder: string, table: TableName, partition: string, id: string): string {
  return join(folder, table, partition, `${id}.parquet`);
}

/** Makes the directory of a file. @throws PtflameError OUTPUT_UNWRITABLE */
export function makeDirectory(path: string): void {
  const directory = dirname(path);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot create ${directory}: ${whyUnwritable(cause)}`, {
      hint: 'choose another folder with --to parquet:DIR',
      cause,
    });
  }
}

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const TAIL_BYTES = 8;

/** Whether a file is Parquet to its end. Ours are whole once they have their name, but copies of them may not be. */
export function isComplete(path: string): boolean {
  if (statOrNull(path)?.isFile() !== true) return false;
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const [head, tail] = [Buffer.alloc(MAGIC.length), Buffer.alloc(TAIL_BYTES)];
    readSync(fd, head, 0, head.length, 0);
    readSync(fd, tail, 0, tail.length, Math.max(0, size - TAIL_BYTES));
    const isFramed = head.toString('latin1') === MAGIC && tail.toString('latin1', MAGIC.length) === MAGIC;
    return isFramed && tail.readUInt32LE(0) + MAGIC.length + TAIL_BYTES <= size;
  } finally {
    closeSync(fd);
  }
}

/** In the order of their names. */
function directoriesIn(path: string, prefix: string): string[] {
  if (statOrNull(path)?.isDirectory() !== true) return [];
  return readdirSync(path)
    .filter((name) => name.startsWith(prefix))
    .sort();
}
