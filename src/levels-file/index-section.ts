/**
 * The index of a levels file: what it was made of, and where everything is. Deflated JSON.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import type { ChunkIndex, ChunkLists } from '../model/timeline/call-chunks.js';
import type { Tid } from '../model/units.js';

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

/** `at`: of its first chunk; the others follow, level by level, then those of `split`. */
export interface IndexedThread extends ChunkLists {
  readonly tid: Tid;
  readonly at: number;
}

const size = z.number().int().min(0);
const chunks = z
  .object({ calls: size.array(), firstNs: z.number().array(), lastNs: z.number().array(), bytes: size.array() })
  .refine(({ calls, firstNs, lastNs, bytes }) =>
    [firstNs, lastNs, bytes].every((column) => column.length === calls.length),
  );
const SHAPE = z.object({
  key: z.string(),
  page: z.object({ at: size, bytes: size }),
  threads: z.object({ tid: z.number().int(), at: size, levels: chunks.array(), split: chunks }).array(),
});

/** More than any index has. */
const MAX_BYTES = 2 ** 30;

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

function threadEnd({ at, levels, split }: IndexedThread): number {
  return [...levels, split].reduce((end, list) => end + listBytes(list), at);
}

/** Returns the size of all chunks of a list. */
export function listBytes({ bytes }: ChunkIndex): number {
  return bytes.reduce((sum, own) => sum + own, 0);
}
