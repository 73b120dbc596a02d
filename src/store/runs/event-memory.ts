/**
 * Where events are kept: one run behind the other in large chunks of shared memory, so that other threads can read them;
 * past a bound, in a temporary file.
 */
import { closeSync } from 'node:fs';
import { assert } from '../../model/errors.js';
import { readSpilled, SpillFile } from './spill-file.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Numbers a chunk has room for: 2 MiB. No run is longer. */
const CHUNK_LENGTH = 512 * 1024;

/** Where a run stands: counted in numbers over all chunks, or, below zero, in the file. */
export type RunAddress = number;

/** What another thread needs to read runs; plain data. */
export interface SharedEvents {
  readonly chunks: readonly Int32Array[];
  /** NO_FILE if nothing was spilled. */
  readonly fd: number;
  /** Where the blocks of packed threads stand; null if there are none. */
  readonly packed: PackedFile | null;
}

/** What another thread needs to read blocks; plain data. */
export interface PackedFile {
  readonly fd: number;
  /** In shared memory, as `expectedSites` has it. */
  readonly expected: Int32Array;
}

const NO_FILE = -1;

export interface EventMemoryOptions {
  /** What may be kept in memory; at least a chunk is. */
  readonly memoryBytes: number;
  /** null: where the system keeps temporary files. */
  readonly directory: string | null;
}

export class EventMemory {
  private readonly chunks: Int32Array[] = [];
  private chunksUsed = 0;
  private used = CHUNK_LENGTH;
  private file: SpillFile | null = null;
  private packed: PackedFile | null = null;
  private readonly maxChunks: number;
  private readonly directory: string | null;

  constructor({ memoryBytes, directory }: EventMemoryOptions) {
    this.maxChunks = Math.max(1, Math.floor(memoryBytes / (CHUNK_LENGTH * BYTES)));
    this.directory = directory;
  }

  /** Whether a run can be kept in memory; if not, what is there has to be spilled first. */
  hasSpaceFor(length: number): boolean {
    return this.used + length <= CHUNK_LENGTH || this.chunksUsed < this.maxChunks;
  }

  /** Keeps a copy of a run that there is room for. */
  add(run: Int32Array): RunAddress {
    assert(run.length <= CHUNK_LENGTH, 'a run that is longer than a chunk');
    if (this.used + run.length > CHUNK_LENGTH) this.beginChunk();
    const chunk = this.chunksUsed - 1;
    this.chunks[chunk].set(run, this.used);
    this.used += run.length;
    return chunk * CHUNK_LENGTH + this.used - run.length;
  }

  /** Writes runs to the file, one behind the other; where they stand there, as one run. */
  spill(places: readonly RunAddress[], lengths: readonly number[]): RunAddress {
    this.file ??= new SpillFile(this.directory);
    const start = this.file.length;
    const shared = this.shared();
    for (const [run, place] of places.entries()) this.file.append(runAt(shared, place, lengths[run]));
    return -1 - start;
  }

  /** All that was in memory has been spilled: it is used again. */
  clear(): void {
    this.file?.flush();
    this.chunksUsed = 0;
    this.used = CHUNK_LENGTH;
  }

  /** Packed threads are read from it; it is closed with the memory. */
  attachPacked(packed: PackedFile): void {
    this.packed = packed;
  }

  shared(): SharedEvents {
    return { chunks: this.chunks, fd: this.file?.fd ?? NO_FILE, packed: this.packed };
  }

  /** Nothing can be read any more. */
  close(): void {
    this.file?.close();
    this.file = null;
    if (this.packed) closeSync(this.packed.fd);
    this.packed = null;
    this.chunks.length = 0;
  }

  private beginChunk(): void {
    if (this.chunksUsed === this.chunks.length)
      this.chunks.push(new Int32Array(new SharedArrayBuffer(CHUNK_LENGTH * BYTES)));
    this.chunksUsed++;
    this.used = 0;
  }
}

/** A run; it shares memory with where it is kept, or with the next one that is read from the file. */
export function runAt({ chunks, fd }: SharedEvents, place: RunAddress, length: number): Int32Array {
  if (place < 0) return readSpilled(fd, -1 - place, length);
  const start = place % CHUNK_LENGTH;
  return chunks[(place - start) / CHUNK_LENGTH].subarray(start, start + length);
}
