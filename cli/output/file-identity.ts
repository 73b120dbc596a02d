/**
 * Resolves paths through links and mounts and identifies the files that they lead to.
 */
import { type BigIntStats, fstatSync, type Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';

const MAX_LINKS = 40;

/** Resolves symbolic links; the target need not exist. */
export async function realTarget(path: string, links = 0): Promise<string> {
  const directory = await realpath(dirname(path));
  const link = await readlink(path).catch(() => null);
  if (link === null) return join(directory, basename(path));
  if (links === MAX_LINKS) throw new Error('its symbolic links form a loop');
  return realTarget(isAbsolute(link) ? link : `${directory}/${link}`, links + 1);
}

export async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** Device and inode, equal for every name and every mount of a file. 64 bits, more than a number holds. */
function inodeId({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Returns the same id for every path to one file. The id of a missing file is its directory and name. */
export async function fileId(path: string): Promise<string | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  if (stats !== null) return idOrNull(stats);
  const target = await realTarget(path).catch(() => null);
  const parent = target && (await stat(dirname(target), { bigint: true }).catch(() => null));
  return parent && `${inodeId(parent)}/${basename(target)}`;
}

/** Returns the id of an open file: 0 is standard input, 1 standard output. */
export function openFileId(fd: number): string | null {
  try {
    return idOrNull(fstatSync(fd, { bigint: true }));
  } catch {
    return null; // it is closed
  }
}

/** Returns null for devices and sockets, which may be read and written at the same time. */
function idOrNull(stats: BigIntStats): string | null {
  return stats.isFile() || stats.isDirectory() || stats.isFIFO() ? inodeId(stats) : null;
}

/** Returns the ids of the directories above a file, up to the root. */
export async function directoryIds(path: string): Promise<(string | null)[]> {
  const target = await realTarget(path).catch(() => null);
  if (target === null || (await statOrNull(dirname(target)))?.isDirectory() !== true) return [];
  const directories = [dirname(target)];
  for (let at = dirname(target); at !== dirname(at); ) directories.push((at = dirname(at)));
  return Promise.all(directories.map(fileId));
}
