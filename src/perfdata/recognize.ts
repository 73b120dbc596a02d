/**
 * Recognizes recordings, packs and what gzip compressed by their first bytes.
 */
import { beginsWith, latin1Bytes } from '../codec/bytes.js';
import { gunzipFirst } from '../host/zip.js';

export const RECORDING_MAGIC = latin1Bytes('PERFILE2');

/** `first`: the first bytes of a file. */
export function isRecording(first: Uint8Array): boolean {
  return beginsWith(first, RECORDING_MAGIC);
}

export const GZIP_MAGIC = Uint8Array.of(0x1f, 0x8b);

/** `first`: the first bytes of a file. */
export function isGzip(first: Uint8Array): boolean {
  return beginsWith(first, GZIP_MAGIC);
}

/** More than enough for a name; gzip limits how much they can unpack to. */
const FIRST_BYTES = 1024;
const MAX_UNPACKED_BYTES = 1032 * FIRST_BYTES;

/** `first`: some hundred bytes. A pack is compressed with gzip, and its first file is the manifest. */
export function isPack(first: Uint8Array): boolean {
  if (!isGzip(first)) return false;
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
