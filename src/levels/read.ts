/**
 * Reads a levels file: all of it is checked once, and each part again when it is read.
 *
 * Only the file that this user made of this trace is read at all: anyone could compute a mere hash of a page of their own.
 */
import { createHash, createHmac } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { PtflameError } from '../model/errors.js';
import type { ChunkIndex } from '../model/profile/timeline.js';
import type { Tid } from '../model/units.js';
import {
  END_MAGIC,
  HEAD_BYTES,
  type IndexedThread,
  isLevelsFile,
  type LevelsIndex,
  listsOf,
  MAC_BYTES,
  MAGIC,
  MARK_AT,
  markOf,
  type Origin,
  type Part,
  TRAILER_BYTES,
  VERSION,
} from './format.js';

/** Instead of a level: calls in pieces, or all calls by function. */
export type ChunkListName = number | 'split' | 'functions';

/**
 * Why a file is not used.
 *
 * `other`: it is not a levels file; `foreign`: it is of another trace, or somebody else made it; `stale`: this user made it of
 * this trace, with other options or another ptflame.
 */
export type Unusable = 'other' | 'foreign' | 'damaged' | 'stale';

/** Parts are checked block by block. */
export const BLOCK_BYTES = 64 * 1024;

export class LevelsFile {
  readonly page: Part;
  /** The index of all threads, by tid, as JSON. */
  readonly indexJson: Buffer;
  private readonly threads: ReadonlyMap<Tid, ThreadChunksAt>;

  constructor(
    private readonly file: CheckedFile,
    { page, threads }: LevelsIndex,
  ) {
    this.page = page;
    this.threads = new Map(threads.map((thread) => [thread.tid, chunksAt(thread)]));
    const separated = [...this.threads.values()].flatMap(({ json }) => [COMMA, json]).slice(1);
    this.indexJson = Buffer.concat([Buffer.from('['), ...separated, Buffer.from(']')]);
  }

  /** Returns the index of a thread, as JSON. */
  threadJson(tid: Tid): Buffer | null {
    return this.threads.get(tid)?.json ?? null;
  }

  /** Returns where consecutive chunks are; null if there are none of these numbers. */
  chunks(tid: Tid, list: ChunkListName, first: number, last: number): Part | null {
    const at = this.threads.get(tid)?.lists.get(list);
    if (at === undefined || first > last || last >= at.length - 1) return null;
    const [start, end] = [at[first] as number, at[last + 1] as number];
    return { at: start, bytes: end - start };
  }

  /** @throws PtflameError INPUT_UNREADABLE if the file was changed after it was opened */
  read({ at, bytes }: Part): Promise<Buffer> {
    return this.file.read(at, bytes);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

const COMMA = Buffer.from(',');

/** `lists`: the offset of each chunk, and the end of the last. */
interface ThreadChunksAt {
  readonly json: Buffer;
  readonly lists: ReadonlyMap<ChunkListName, Float64Array>;
}

function chunksAt(thread: IndexedThread): ThreadChunksAt {
  const names = [...thread.levels.keys(), 'split', 'functions'] as const;
  let end = thread.at;
  const lists = listsOf(thread).map(({ bytes }, list) => {
    const at = Float64Array.from([0, ...bytes], (own) => (end += own));
    return [names[list] as ChunkListName, at] as const;
  });
  return { json: Buffer.from(JSON.stringify(thread)), lists: new Map(lists) };
}

/** Checks all of a file, and closes it if it is not used. */
export async function readLevels(
  file: FileHandle,
  origin: Origin,
  signal?: AbortSignal,
): Promise<LevelsFile | Unusable> {
  const read = await readOwn(file, origin, signal);
  if (typeof read === 'string') await file.close();
  return read;
}

async function readOwn(file: FileHandle, origin: Origin, signal?: AbortSignal): Promise<LevelsFile | Unusable> {
  const { size } = await file.stat();
  const head = await bytesAt(file, 0, HEAD_BYTES);
  if (head === null || !isLevelsFile(head)) return 'other';
  if (!head.subarray(MARK_AT).equals(markOf(origin))) return 'foreign';
  if (head.readUInt32LE(MAGIC.length) !== VERSION) return 'stale';
  const trailer = await bytesAt(file, size - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer === null || !END_MAGIC.equals(trailer.subarray(TRAILER_BYTES - END_MAGIC.length))) return 'damaged';
  const [indexAt, indexEnd] = [Number(trailer.readBigUInt64LE(0)), Number(trailer.readBigUInt64LE(8))];
  if (indexAt > indexEnd || indexEnd !== size - TRAILER_BYTES) return 'damaged';
  const expected = trailer.subarray(16, 16 + MAC_BYTES);
  const checked = await checkAll(file, indexEnd + 16, origin.secret, expected, signal);
  const index = checked && readIndex(await checked.read(indexAt, indexEnd - indexAt), indexAt);
  if (checked === null || index === null) return 'damaged';
  return index.key === origin.key ? new LevelsFile(checked, index) : 'stale';
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

/** `indexAt`: its offset, where all parts must end. Returns null if it is not an index. */
function readIndex(bytes: Uint8Array, indexAt: number): LevelsIndex | null {
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

/** Returns the size of all chunks of a list. */
function listBytes({ bytes }: ChunkIndex): number {
  return bytes.reduce((sum, own) => sum + own, 0);
}

/** Reads the bytes before `end` once, for the keyed hash of them all and for the hashes of blocks. Returns null if it is another. */
async function checkAll(
  file: FileHandle,
  end: number,
  secret: Uint8Array,
  expected: Uint8Array,
  signal?: AbortSignal,
): Promise<CheckedFile | null> {
  const mac = createHmac('sha256', secret);
  const hashes: Buffer[] = [];
  for (let at = 0; at < end; at += BLOCK_BYTES) {
    signal?.throwIfAborted();
    const block = await bytesAt(file, at, Math.min(BLOCK_BYTES, end - at));
    if (block === null) return null;
    mac.update(block);
    hashes.push(hashOf(block));
  }
  return mac.digest().equals(expected) ? new CheckedFile(file, end, hashes) : null;
}

/** An open file of which only those bytes are read that were there when it was checked. */
class CheckedFile {
  constructor(
    private readonly file: FileHandle,
    private readonly end: number,
    private readonly hashes: readonly Buffer[],
  ) {}

  async read(at: number, length: number): Promise<Buffer> {
    const blocks: Buffer[] = [];
    const first = Math.floor(at / BLOCK_BYTES);
    for (let block = first; block * BLOCK_BYTES < at + length; block++) blocks.push(await this.block(block));
    const start = at - first * BLOCK_BYTES;
    return Buffer.concat(blocks).subarray(start, start + length);
  }

  private async block(block: number): Promise<Buffer> {
    const at = block * BLOCK_BYTES;
    const bytes = await bytesAt(this.file, at, Math.min(BLOCK_BYTES, this.end - at));
    if (bytes !== null && hashOf(bytes).equals(this.hashes[block] as Buffer)) return bytes;
    throw new PtflameError('INPUT_UNREADABLE', 'the levels file was changed while it was served', {
      hint: 'end ptflame serve and start it again',
    });
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Returns null if the file does not have them. */
async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer | null> {
  if (at < 0) return null;
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) return null;
    done += bytesRead;
  }
  return bytes;
}
