/**
 * Constants of levels files, for writer and reader; docs/levels-format.md describes them.
 */
import { createHmac } from 'node:crypto';

export const VERSION = 3;
/** Like that of trace files. */
export const MAGIC = Buffer.from('\x8fPTL\r\n\x1a\n', 'latin1');
export const END_MAGIC = Buffer.from('\x8fEND\r\n\x1a\n', 'latin1');
/** A keyed hash: only who knows the secret of a user can make it. */
export const MAC_BYTES = 32;
/** Magic, version, mark. */
export const HEAD_BYTES = 12 + MAC_BYTES;
export const MARK_AT = 12;
/** Offset and end of the index, keyed hash of all bytes up to here, magic. */
export const TRAILER_BYTES = 24 + MAC_BYTES;

/** What a levels file is made of, and by whom. */
export interface Origin {
  /** Known only to the user whose levels files are trusted. */
  readonly secret: Uint8Array;
  /** Hash of the trace file. */
  readonly trace: string;
  /** Identifies everything that the contents depend on. */
  readonly key: string;
}

/** Returns the mark of all files that this user made of this trace, whatever the version and the options. */
export function markOf({ secret, trace }: Origin): Buffer {
  return createHmac('sha256', secret).update(`levels of ${trace}`).digest();
}

/** Recognizes a levels file by its first bytes. */
export function isLevelsFile(first: Uint8Array): boolean {
  return first.length >= MAGIC.length && MAGIC.equals(first.subarray(0, MAGIC.length));
}
