/**
 * Reads a levels file: all of it is checked once, then its parts are read as they are stored.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Tid } from '../model/units.js';
import { END_MAGIC, HASH_BYTES, HEAD_BYTES, isLevelsFile, MAGIC, TRAILER_BYTES, VERSION } from './format.js';
import { type IndexedThread, type LevelsIndex, listBytes, listsOf, type Part, readIndex } from './index-section.js';

/** Instead of a level: calls in pieces, or all calls by function. */
export type ChunkListName = number | 'split' | 'functions';

/** Why a file is not used: `other`: it is not a levels file; `stale`: it was made of something else, or by another ptflame. */
export type Unusable = 'other' | 'damaged' | 'stale';

export class LevelsFile {
  readonly page: Part;
  private readonly threads: ReadonlyMap<Tid, IndexedThread>;
  private readonly file: FileHandle;

  constructor(file: FileHandle, { page, threads }: LevelsIndex) {
    this.file = file;
    this.page = page;
    this.threads = new Map(threads.map((thread) => [thread.tid, thread]));
  }

  /** By tid. */
  get all(): readonly IndexedThread[] {
    return [...this.threads.values()];
  }

  thread(tid: Tid): IndexedThread | null {
    return this.threads.get(tid) ?? null;
  }

  /** Returns where consecutive chunks are; null if there are none of these numbers. */
  chunks(tid: Tid, list: ChunkListName, first: number, last: number): Part | null {
    const thread = this.threads.get(tid);
    const index = thread && (typeof list === 'number' ? thread.levels[list] : thread[list]);
    if (thread === undefined || index === undefined || first > last || last >= index.bytes.length) return null;
    const lists = listsOf(thread);
    const before = lists.slice(0, lists.indexOf(index));
    const at = before.reduce((sum, own) => sum + listBytes(own), thread.at) + sumOf(index.bytes, 0, first);
    return { at, bytes: sumOf(index.bytes, first, last + 1) };
  }

  read({ at, bytes }: Part): Promise<Buffer | null> {
    return bytesAt(this.file, at, bytes);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/** Checks all of a file. `key`: of what it must have been made. */
export async function readLevels(file: FileHandle, key: string): Promise<LevelsFile | Unusable> {
  const { size } = await file.stat();
  const head = await bytesAt(file, 0, HEAD_BYTES);
  if (head === null || !isLevelsFile(head)) return 'other';
  if (head.readUInt32LE(MAGIC.length) !== VERSION) return 'stale';
  const trailer = await bytesAt(file, size - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer === null || !END_MAGIC.equals(trailer.subarray(TRAILER_BYTES - END_MAGIC.length))) return 'damaged';
  const hashAt = size - TRAILER_BYTES + 16;
  if (!(await hashUpTo(file, hashAt)).equals(trailer.subarray(16, 16 + HASH_BYTES))) return 'damaged';
  const [indexAt, indexEnd] = [Number(trailer.readBigUInt64LE(0)), Number(trailer.readBigUInt64LE(8))];
  if (indexAt > indexEnd || indexEnd !== size - TRAILER_BYTES) return 'damaged';
  const index = readIndex((await bytesAt(file, indexAt, indexEnd - indexAt)) ?? Buffer.alloc(0), indexAt);
  if (index === null) return 'damaged';
  return index.key === key ? new LevelsFile(file, index) : 'stale';
}

const READ_BYTES = 2 ** 20;

async function hashUpTo(file: FileHandle, end: number): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let at = 0; at < end; at += READ_BYTES)
    hash.update((await bytesAt(file, at, Math.min(READ_BYTES, end - at))) ?? '');
  return hash.digest();
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

function sumOf(values: readonly number[], from: number, to: number): number {
  return values.slice(from, to).reduce((sum, value) => sum + value, 0);
}
