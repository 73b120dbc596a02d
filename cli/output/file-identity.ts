/**
 * Resolves paths through links and mounts and identifies the files that they lead to. Synchronous: for these few calls, a worker of
 * Node's pool would take longer.
 */
import { type BigIntStats, fstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

const MAX_LINKS = 40;

/** Resolves symbolic links; the target need not exist. */
export function realTarget(path: string, links = 0): string {
  const directory = realpathSync.native(dirname(path));
  const link = orNull(() => readlinkSync(path));
  if (link === null) return join(directory, basename(path));
  if (links === MAX_LINKS) throw new Error('its symbolic links form a loop');
  return realTarget(isAbsolute(link) ? link : `${directory}/${link}`, links + 1);
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export function statOrNull(path: string): Stats | null {
  return orNull(() => statSync(path));
}

function bigStatOrNull(path: string): BigIntStats | null {
  return orNull(() => statSync(path, { bigint: true }));
}

/** Device and inode, equal for every name and every mount of a file. 64 bits, more than a number holds. */
function inodeId({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Returns the same id for every path to one file. The id of a missing file is its directory and name. */
export function fileId(path: string): string | null {
  const stats = bigStatOrNull(path);
  if (stats !== null) return idOrNull(stats);
  const target = orNull(() => realTarget(path));
  const parent = target && bigStatOrNull(dirname(target));
  return parent && `${inodeId(parent)}/${basename(target)}`;
}

/** Returns the id of an open file: 0 is standard input, 1 standard output; null if it is closed. */
export function openFileId(fd: number): string | null {
  const stats = orNull(() => fstatSync(fd, { bigint: true }));
  return stats && idOrNull(stats);
}

/** Returns null for devices and sockets, which may be read and written at the same time. */
function idOrNull(stats: BigIntStats): string | null {
  return stats.isFile() || stats.isDirectory() || stats.isFIFO() ? inodeId(stats) : null;
}

/** Returns the ids of the directories above a file, up to the root. */
export function directoryIds(path: string): (string | null)[] {
  const target = orNull(() => realTarget(path));
  if (target === null || statOrNull(dirname(target))?.isDirectory() !== true) return [];
  const directories = [dirname(target)];
  for (let at = dirname(target); at !== dirname(at); ) directories.push((at = dirname(at)));
  return directories.map(fileId);
}
