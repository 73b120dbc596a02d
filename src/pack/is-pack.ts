/**
 * Is a file a pack?
 */
import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { MANIFEST } from './places.js';

const FIRST_BYTES = 4096;
const GZIP = [0x1f, 0x8b];

/** Told by the first bytes: compressed by gzip, and a manifest stands first. */
export async function isPack(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    const first = buffer.subarray(0, bytesRead);
    if (!GZIP.every((byte, at) => first[at] === byte)) return false;
    const text = gunzipSync(first, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * FIRST_BYTES });
    return text.toString('latin1', 0, MANIFEST.length + 1) === `${MANIFEST}\0`;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
