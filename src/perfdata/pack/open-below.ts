/**
 * Opens regular files below a root: opens nothing else, follows no link out of the root, and ensures that the file that was
 * checked is the one that is read.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export type OpenFailure = 'missing' | 'outside' | 'unreadable';

/** Does not follow a link that was put there meanwhile, and does not block on a pipe. */
export const SAFE_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The caller must close it. */
export async function openBelow(root: string, path: string): Promise<FileHandle | OpenFailure> {
  try {
    const top = await realpath(root);
    const real = await realpath(join(root, path));
    if (!isBelow(real, top)) return 'outside';
    if (!(await lstat(real)).isFile()) return 'missing'; // opening a device may have side effects
    const file = await open(real, SAFE_READ);
    if (await isAt(file, real)) return file;
    await file.close();
    return 'outside';
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['EACCES', 'EPERM'].includes(code) ? 'unreadable' : 'missing';
  }
}

function isBelow(path: string, top: string): boolean {
  return path.startsWith(top.endsWith('/') ? top : `${top}/`);
}

/** Directories in the path may have become links meanwhile; the kernel knows the path of an open file. */
async function isAt(file: FileHandle, real: string): Promise<boolean> {
  return (await file.stat()).isFile() && (await readlink(`/proc/self/fd/${file.fd}`)) === real;
}
