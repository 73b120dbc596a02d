/**
 * The cache of elfutils' debuginfod client: `BUILDID/executable`, `BUILDID/debuginfo`. An empty file means that no server has it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type FileKind = 'executable' | 'debuginfo';

/** After this time, servers are asked again for a file that they did not have. */
const MISS_MS = 600_000;
const BUILD_ID = /^(?:[0-9a-f]{2}){4,64}$/;

/** Returns null if it is not a build id, which becomes part of a path and of a URL. */
export function cachePath(cache: string, buildId: string, kind: FileKind): string | null {
  return BUILD_ID.test(buildId) ? join(cache, buildId, kind) : null;
}

/** Returns whether the cache has the file, knows that no server has it, or does not know. */
export async function cacheState(path: string, nowMs: number): Promise<'present' | 'absent' | 'unknown'> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return 'unknown';
  if (found.size > 0) return 'present';
  return nowMs - found.mtimeMs < MISS_MS ? 'absent' : 'unknown';
}

/** Notes that no server has a file. */
export async function addMiss(path: string): Promise<void> {
  await replace(path, async (temporary) => {
    await writeFile(temporary, '');
    return true;
  });
}

/** Writes a file under another name, and moves it into place if `write` returns true. */
export async function replace(path: string, write: (temporary: string) => Promise<boolean>): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const isWritten = await write(temporary);
    if (isWritten) await rename(temporary, path);
    return isWritten;
  } finally {
    await rm(temporary, { force: true });
  }
}
