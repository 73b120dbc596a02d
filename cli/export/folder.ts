/**
 * A folder of exported recordings: what is in it already, and where new files go.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { whyNotWhole } from '../../src/fleet/folder.js';
import { PtflameError } from '../../src/model/errors.js';
import type { TableName } from '../../src/parquet/recording-tables.js';
import { shellWords } from '../../src/render/visible-text.js';
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

/**
 * Checks that a folder can be filled before the work begins. It may be missing, but what contains it may not: a mistyped
 * path should not become a tree of folders.
 *
 * @throws PtflameError OUTPUT_UNWRITABLE
 */
export function requireFolder(folder: string): void {
  const stats = statOrNull(folder);
  if (stats?.isDirectory()) return;
  if (stats !== null) throw cannotCreate(folder, 'it is a file');
  const parent = dirname(resolve(folder));
  if (statOrNull(parent)?.isDirectory()) return;
  throw cannotCreate(
    folder,
    `${parent} does not exist`,
    `make it first: mkdir -p ${shellWords([parent])}; or ${OTHER_FOLDER}`,
  );
}

/** Makes the directory of a file in a folder. @throws PtflameError OUTPUT_UNWRITABLE */
export function makeDirectory(path: string): void {
  const directory = dirname(path);
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw cannotCreate(directory, whyUnwritable(cause), OTHER_FOLDER, cause);
  }
}

function cannotCreate(directory: string, why: string, hint = OTHER_FOLDER, cause?: unknown): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `cannot create the folder ${directory}: ${why}`, { hint, cause });
}

/** In the order of their names. */
function directoriesIn(path: string, prefix: string): string[] {
  if (statOrNull(path)?.isDirectory() !== true) return [];
  return readdirSync(path)
    .filter((name) => name.startsWith(prefix))
    .sort();
}
