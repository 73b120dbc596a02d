/**
 * Recognizes packs.
 */
import { constants, gunzipSync } from 'node:zlib';
import { MANIFEST } from './pack-paths.js';

const GZIP = [0x1f, 0x8b];
/** More than enough for a name; gzip limits how much they can unpack to. */
const FIRST_BYTES = 1024;
const MAX_UNPACKED_BYTES = 1032 * FIRST_BYTES;

/** `first`: some hundred bytes. A pack is compressed with gzip, and its first file is the manifest. */
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
