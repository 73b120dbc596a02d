/**
 * Recognizes recordings and packs by their first bytes.
 */
import { beginsWith, latin1Bytes } from '../codec/bytes.js';
import { gunzipFirst } from '../host/zip.js';

const MAGIC = [...'PERFILE2'].map((character) => character.charCodeAt(0));

/** `first`: the first bytes of a file. */
export function isRecording(first: Uint8Array): boolean {
  return MAGIC.every((byte, at) => first[at] === byte);
}

const GZIP = [0x1f, 0x8b];
/** More than enough for a name; gzip limits how much they can unpack to. */
const FIRST_BYTES = 1024;
const MAX_UNPACKED_BYTES = 1032 * FIRST_BYTES;

/** `first`: some hundred bytes. A pack is compressed with gzip, and its first file is the manifest. */
export function isPack(first: Uint8Array): boolean {
  if (!GZIP.every((byte, at) => first[at] === byte)) return false;
  const text = gunzipFirst(first.subarray(0, FIRST_BYTES), MAX_UNPACKED_BYTES);
  return text !== null && beginsWith(text, MANIFEST_NAME);
}

// Paths in a pack, which is a tar archive compressed with gzip.

/** The first file, which describes the contents. */
export const MANIFEST = 'ptflame-pack.json';
/** As it is in the archive. */
const MANIFEST_NAME = latin1Bytes(`${MANIFEST}\0`);
export const PACK_PATHS = {
  /** A file, or the directory that `perf record --kcore` writes. */
  recording: 'recording',
  /** Root of the packed binaries: each has its original path below it. */
  root: 'root',
  /** perf's cache by build id, for the vdso. With --symfs, perf looks for the vdso nowhere else. */
  buildIdCache: 'root/.debug',
  kallsyms: 'kallsyms',
} as const;
