/**
 * A file that was checked, and can be opened again as long as it is unchanged.
 */
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { SAFE_READ } from './open-below.js';

export interface CheckedFile {
  /** With all links resolved. */
  readonly path: string;
  /** Device, inode, size, and the times of its last changes. */
  readonly identity: string;
}

export async function checkedFile(file: FileHandle): Promise<CheckedFile> {
  return { path: await readlink(`/proc/self/fd/${file.fd}`), identity: await identityOf(file) };
}

/** The caller must close it. @throws Error if the file was replaced or written to */
export async function openChecked({ path, identity }: CheckedFile): Promise<FileHandle> {
  const file = await open(path, SAFE_READ);
  if ((await identityOf(file)) === identity) return file;
  await file.close();
  throw new Error('it has changed meanwhile');
}

async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
