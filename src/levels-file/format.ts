/**
 * Constants of levels files, for writer and reader; docs/levels-format.md describes them.
 */

export const VERSION = 2;
/** Like that of trace files. */
export const MAGIC = Buffer.from('\x8fPTL\r\n\x1a\n', 'latin1');
export const END_MAGIC = Buffer.from('\x8fEND\r\n\x1a\n', 'latin1');
/** Magic and version. */
export const HEAD_BYTES = 12;
/** Offset and end of the index, SHA-256 of all bytes up to here, magic. */
export const TRAILER_BYTES = 56;
export const HASH_BYTES = 32;

/** Recognizes a levels file by its first bytes. */
export function isLevelsFile(first: Uint8Array): boolean {
  return first.length >= MAGIC.length && MAGIC.equals(first.subarray(0, MAGIC.length));
}
