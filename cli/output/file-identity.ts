/**
 * A path → the place on the disk that it leads to, whatever links and mounts are on the way.
 */
import { type BigIntStats, fstatSync, type Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';

const MOST_LINKS = 40;

/** The path itself, or what its symbolic links lead to, which need not exist yet. */
export async function realTarget(path: string, links = 0): Promise<string> {
  const directory = await realpath(dirname(path));
  const link = await readlink(path).catch(() => null);
  if (link === null) return join(directory, basename(path));
  if (links === MOST_LINKS) throw new Error('its symbolic links lead in a circle');
  return realTarget(isAbsolute(link) ? link : `${directory}/${link}`, links + 1);
}

export async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** Device and inode: the same by every name and every mount; 64 bits, more than a number holds. */
function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** The same text for every path to one file; a file that does not exist is told by its directory and its name. */
export async function fileId(path: string): Promise<string | null> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  if (stats !== null) return idUnlessDevice(stats);
  const target = await realTarget(path).catch(() => null);
  const parent = target && (await stat(dirname(target), { bigint: true }).catch(() => null));
  return parent && `${idOf(parent)}/${basename(target)}`;
}

/** Of an open file: 0 is standard input, 1 standard output. */
export function openFileId(fd: number): string | null {
  try {
    return idUnlessDevice(fstatSync(fd, { bigint: true }));
  } catch {
    return null; // it is closed
  }
}

/** null for a device or a socket: whoever reads and writes one of those means to. */
function idUnlessDevice(stats: BigIntStats): string | null {
  return stats.isFile() || stats.isDirectory() || stats.isFIFO() ? idOf(stats) : null;
}

/** The directories that a file lies in, up to the root. */
export async function directoryIds(path: string): Promise<(string | null)[]> {
  const target = await realTarget(path).catch(() => null);
  if (target === null || (await statOrNull(dirname(target)))?.isDirectory() !== true) return [];
  const directories = [dirname(target)];
  for (let at = dirname(target); at !== dirname(at); ) directories.push((at = dirname(at)));
  return Promise.all(directories.map(fileId));
}
