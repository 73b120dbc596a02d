/**
 * Is a file a pack?
 */
import { constants, gunzipSync } from 'node:zlib';
import { MANIFEST } from './places.js';

const GZIP = [0x1f, 0x8b];
/** What so few bytes can hold; more is not looked at. */
const MOST_BYTES = 1024 * 1024;

/** Told by its first bytes, some hundred of them: compressed by gzip, and a manifest stands first. */
export function isPack(first: Uint8Array): boolean {
  if (!GZIP.every((byte, at) => first[at] === byte)) return false;
  try {
    const text = gunzipSync(first, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_BYTES });
    return text.toString('latin1', 0, MANIFEST.length + 1) === `${MANIFEST}\0`;
  } catch {
    return false;
  }
}
