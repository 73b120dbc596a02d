/**
 * Is a file a pack?
 */
import { constants, gunzipSync } from 'node:zlib';
import { MANIFEST } from './pack-paths.js';

const GZIP = [0x1f, 0x8b];
/** More than enough for a name; what they are at most when unpacked, gzip bounds. */
const FIRST_BYTES = 1024;
const MAX_UNPACKED_BYTES = 1032 * FIRST_BYTES;

/** Told by its first bytes, some hundred of them: compressed by gzip, and a manifest stands first. */
export function isPack(first: Uint8Array): boolean {
  if (!GZIP.every((byte, at) => first[at] === byte)) return false;
  try {
    const text = gunzipSync(first.subarray(0, FIRST_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_UNPACKED_BYTES,
    });
    return text.toString('latin1', 0, MANIFEST.length + 1) === `${MANIFEST}\0`;
  } catch {
    return false;
  }
}
