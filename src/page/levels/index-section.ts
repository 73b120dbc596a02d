/**
 * The index of a levels file: what it was made of, and where everything is. Deflated JSON.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import type { ChunkIndex, ThreadLists } from '../../model/profile/timeline.js';
import type { Tid } from '../../model/units.js';

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

const size = z.number().int().min(0);
const columns = { calls: size.array(), firstNs: z.number().array(), lastNs: z.number().array(), bytes: size.array() };
const areEqual = (index: Readonly<Record<string, readonly number[]>>) =>
  new Set(Object.values(index).map(({ length }) => length)).size === 1;
const chunks = z.object(columns).refine(areEqual);
const functions = z
  .object({ ...columns, firstFunction: z.number().array(), lastFunction: z.number().array() })
  .refine(areEqual);
const SHAPE = z.object({
  key: z.string(),
  page: z.object({ at: size, bytes: size }),
  threads: z.object({ tid: z.number().int(), at: size, levels: chunks.array(), split: chunks, functions }).array(),
});

/** More than the index of 10^9 calls has. */
const MAX_BYTES = 2 ** 28;

export function indexBytes(index: LevelsIndex): Buffer {
  return deflateRawSync(JSON.stringify(index));
}

/** `indexAt`: its offset, where all parts must end. Returns null if it is not an index. */
export function readIndex(bytes: Uint8Array, indexAt: number): LevelsIndex | null {
  try {
    const index = SHAPE.parse(JSON.parse(inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }).toString()));
    const ends = [index.page.at + index.page.bytes, ...index.threads.map(threadEnd)];
    return ends.every((end) => end <= indexAt) ? index : null;
  } catch {
    return null;
  }
}

function threadEnd(thread: IndexedThread): number {
  return listsOf(thread).reduce((end, list) => end + listBytes(list), thread.at);
}

/** Returns the lists of a thread in the order in which the file has them. */
export function listsOf({ levels, split, functions }: ThreadLists): ChunkIndex[] {
  return [...levels, split, functions];
}

/** Returns the size of all chunks of a list. */
function listBytes({ bytes }: ChunkIndex): number {
  return bytes.reduce((sum, own) => sum + own, 0);
}
