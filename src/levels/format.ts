/**
 * What a levels file has, for writer and reader; docs/files.md describes it.
 */
import { createHmac } from 'node:crypto';
import type { ChunkIndex, ThreadLists } from '../model/profile/timeline.js';
import type { Tid } from '../model/units.js';

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

/** The index: what the file was made of, and where everything is. Deflated JSON. */
export interface LevelsIndex {
  /** Identifies what the file was made of: anything else has another key. */
  readonly key: string;
  readonly page: Part;
  readonly threads: readonly IndexedThread[];
}

export interface Part {
  readonly at: number;
  readonly bytes: number;
}

/** `at`: of its first chunk; the others follow, in the order of `listsOf`. */
export interface IndexedThread extends ThreadLists {
  readonly tid: Tid;
  readonly at: number;
}

/** Returns the lists of a thread in the order in which the file has them. */
export function listsOf({ levels, split, functions }: ThreadLists): ChunkIndex[] {
  return [...levels, split, functions];
}
