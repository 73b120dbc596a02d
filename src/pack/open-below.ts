/**
 * A path below a root → the regular file there, opened: nothing else is opened, no link leads out of the root, and what was checked is
 * what is read.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export type OpenFailure = 'missing' | 'outside' | 'unreadable';

/** A link that was put there meanwhile is not followed, and a pipe does not keep us waiting. */
export const SAFE_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The caller closes it. */
export async function openBelow(root: string, path: string): Promise<FileHandle | OpenFailure> {
  try {
    const top = await realpath(root);
    const real = await realpath(join(root, path));
    if (!isBelow(real, top)) return 'outside';
    if (!(await lstat(real)).isFile()) return 'missing'; // opening a device may do something
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

/** Directories on the way may have become links since; the kernel knows where an open file is. */
async function isAt(file: FileHandle, real: string): Promise<boolean> {
  return (await file.stat()).isFile() && (await readlink(`/proc/self/fd/${file.fd}`)) === real;
}
