/**
 * Finds what `record --waits` writes next to a recording: wakings of the whole machine, and formats of events.
 */
import { lstat, open } from 'node:fs/promises';
import { checkedFile } from './checked-file.js';
import { SAFE_READ } from './open-below.js';
import type { PackedFile } from './write-pack.js';

/** The end of their names, and how they begin. */
export const SIDE_FILES: Readonly<Record<string, RegExp>> = {
  '.wakes.data': /^(?:PERFILE2|2ELIFREP)/,
  '.formats': /^event [\w-]+:[\w-]+\n/,
};
const HEAD_BYTES = 256;

/**
 * Returns those of a recording, under `name`. Next to an untrusted recording, these files may be or link to anything: only
 * files of the recording's owner are packed, and only if they begin as expected.
 */
export async function sideFiles(recording: string, uid: number, name: string): Promise<PackedFile[]> {
  const files = Object.entries(SIDE_FILES).map(async ([ending, beginning]) => {
    const path = `${recording.replace(/\/+$/, '')}${ending}`;
    return (await sideFile(path, uid, beginning)).map((source) => ({ source, name: `${name}${ending}` }));
  });
  return (await Promise.all(files)).flat();
}

async function sideFile(path: string, uid: number, beginning: RegExp) {
  const isFile = await lstat(path).then(
    (stats) => stats.isFile(), // opening a device may have side effects
    () => false,
  );
  if (!isFile) return [];
  const file = await open(path, SAFE_READ).catch(() => null);
  if (file === null) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const isOurs = (await file.stat()).uid === uid && beginning.test(buffer.toString('latin1', 0, bytesRead));
    return isOurs ? [await checkedFile(file)] : [];
  } finally {
    await file.close();
  }
}
