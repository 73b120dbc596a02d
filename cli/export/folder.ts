/**
 * A folder of exported recordings: what is in it already, and where new files go.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TableName, whyNotWhole } from '../../src/exports.js';
import { PtflameError } from '../../src/profiles.js';
import { statOrNull } from '../output/file-identity.js';
import { whyUnwritable } from '../output/unwritable.js';

/** Returns the partition that has a recording, "build=v1/host=web1"; null: none has. */
export function partitionOf(folder: string, id: string): string | null {
  const table = join(folder, 'recordings');
  for (const build of directoriesIn(table, 'build='))
    for (const host of directoriesIn(join(table, build), 'host=')) {
      const partition = join(build, host);
      if (whyNotWhole(tablePath(folder, 'recordings', partition, id)) === null) return partition;
    }
  return null;
}

export function tablePath(folder: string, table: TableName, partition: string, id: string): string {
  return join(folder, table, partition, `${id}.parquet`);
}

export const OTHER_FOLDER = 'choose another folder with --to parquet:DIR';

/** Makes the directory of a file. @throws PtflameError OUTPUT_UNWRITABLE */
export function makeDirectory(path: string): void {
  const directory = dirname(path);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot create ${directory}: ${whyUnwritable(cause)}`, {
      hint: OTHER_FOLDER,
      cause,
    });
  }
}

/** In the order of their names. */
function directoriesIn(path: string, prefix: string): string[] {
  if (statOrNull(path)?.isDirectory() !== true) return [];
  return readdirSync(path)
    .filter((name) => name.startsWith(prefix))
    .sort();
}
