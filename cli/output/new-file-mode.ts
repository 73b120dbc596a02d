/**
 * Chooses permissions of output files: only users who may read all inputs may read the output.
 */
import { fstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

const FOR_ALL = 0o666;
const GROUP_BITS = 0o060;
const GROUP_FROM_OTHERS = 3;

/** Returns permissions for a new file, before the umask. `inputs`: paths, "-" is standard input; pipes and devices are ignored. */
export function newFileMode(inputs: readonly string[]): number {
  return inputs.flatMap(filesOf).reduce((mode, stats) => mode & permissionsOf(stats), FOR_ALL);
}

/** For a directory, as written by `perf record --kcore`, also returns the recording in it. */
function filesOf(path: string): Stats[] {
  try {
    const stats = path === '-' ? fstatSync(0) : statSync(path);
    if (stats.isDirectory()) return [stats, statSync(join(path, 'data'))];
    return stats.isFile() ? [stats] : [];
  } catch {
    return []; // opening the input reports the error
  }
}

/** Group permissions apply to the new file only if its group is the same; otherwise those of others do. */
function permissionsOf({ mode, gid }: Stats): number {
  const isOurGroup = gid === process.getegid?.();
  return isOurGroup ? mode : (mode & ~GROUP_BITS) | ((mode << GROUP_FROM_OTHERS) & GROUP_BITS);
}
