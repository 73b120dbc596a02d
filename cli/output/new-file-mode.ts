/**
 * Who may read what a command writes: nobody who may not read what it was made of.
 */
import { fstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

const FOR_ALL = 0o666;
const GROUP_BITS = 0o060;
const GROUP_FROM_OTHERS = 3;

/** Permissions for a new file, before the umask. `inputs`: paths, "-" is standard input; pipes and devices do not count. */
export function newFileMode(inputs: readonly string[]): number {
  return inputs.flatMap(filesOf).reduce((mode, stats) => mode & permissionsOf(stats), FOR_ALL);
}

/** Of a directory, as `perf record --kcore` makes it, also the recording in it. */
function filesOf(path: string): Stats[] {
  try {
    const stats = path === '-' ? fstatSync(0) : statSync(path);
    if (stats.isDirectory()) return [stats, statSync(join(path, 'data'))];
    return stats.isFile() ? [stats] : [];
  } catch {
    return []; // whoever opens it says why it cannot be read
  }
}

/** What a group may do, the group of the new file may do only if it is the same one, or if everybody may. */
function permissionsOf({ mode, gid }: Stats): number {
  const isOurGroup = gid === process.getegid?.();
  return isOurGroup ? mode : (mode & ~GROUP_BITS) | ((mode << GROUP_FROM_OTHERS) & GROUP_BITS);
}
