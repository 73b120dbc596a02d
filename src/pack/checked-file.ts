/**
 * A file that was looked at and found good, to be read later: as long as it is the same.
 */
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { SAFE_READ } from './open-below.js';

export interface CheckedFile {
  /** Without a link on the way. */
  readonly path: string;
  /** Device, inode, size, and the times of its last changes. */
  readonly identity: string;
}

export async function checkedFile(file: FileHandle): Promise<CheckedFile> {
  return { path: await readlink(`/proc/self/fd/${file.fd}`), identity: await identityOf(file) };
}

/** The caller closes it. @throws Error if it is another file now, or was written to */
export async function openChecked({ path, identity }: CheckedFile): Promise<FileHandle> {
  const file = await open(path, SAFE_READ);
  if ((await identityOf(file)) === identity) return file;
  await file.close();
  throw new Error('it was changed meanwhile');
}

async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
