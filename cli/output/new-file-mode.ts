/**
 * Chooses permissions of output files: only users who may read all inputs may read the output.
 */
import { fstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { statOrNull } from './refuse-overwriting.js';

const FOR_ALL = 0o666;
/** Whoever writes a file may read it and write it again, even if the input is read-only. */
const FOR_OWNER = 0o600;
const GROUP_BITS = 0o060;
const GROUP_FROM_OTHERS = 3;

/** Returns permissions for a new file, before the umask. `inputs`: paths, "-" is standard input; pipes and devices are ignored. */
export function newFileMode(inputs: readonly string[]): number {
  return inputs.flatMap(filesOf).reduce((mode, stats) => mode & (permissionsOf(stats) | FOR_OWNER), FOR_ALL);
}

/** For a directory, also returns the recording in it (`perf record --kcore`), or all files below it (exported tables). */
function filesOf(path: string): Stats[] {
  try {
    const stats = path === '-' ? fstatSync(0) : statSync(path);
    if (!stats.isDirectory()) return stats.isFile() ? [stats] : [];
    const data = statOrNull(join(path, 'data'));
    return [stats, ...(data?.isFile() ? [data] : filesBelow(path))];
  } catch {
    return []; // opening the input reports the error
  }
}

/** Links are not followed: they may form a circle. */
function filesBelow(path: string): Stats[] {
  const files = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => statSync(join(parentPath, name)));
}

/** Group permissions apply to the new file only if its group is the same; otherwise those of others do. */
function permissionsOf({ mode, gid }: Stats): number {
  const isOurGroup = gid === process.getegid?.();
  return isOurGroup ? mode : (mode & ~GROUP_BITS) | ((mode << GROUP_FROM_OTHERS) & GROUP_BITS);
}
