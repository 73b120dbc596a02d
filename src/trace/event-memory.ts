/**
 * Stores runs in large chunks of shared memory, so that workers can read them, and beyond a limit in a temporary file.
 */
import { closeSync } from 'node:fs';
import { assert } from '../model/errors.js';
import { readSpilled, SpillFile } from './spill-file.js';

const BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Numbers per chunk (2 MiB). No run is longer. */
const CHUNK_LENGTH = 512 * 1024;

/** Index of a run's first number over all chunks or, if negative, −1 minus that in the file. */
export type RunAddress = number;

/** What a worker needs to read runs; plain data. */
export interface SharedEvents {
  readonly chunks: readonly Int32Array[];
  /** NO_FILE if nothing was spilled. */
  readonly fd: number;
  /** The file with the blocks of packed threads; null if there are none. */
  readonly packed: PackedFile | null;
}

/** What a worker needs to read blocks; plain data. */
export interface PackedFile {
  readonly fd: number;
  /** In shared memory, from `expectedSites`. */
  readonly expected: Int32Array;
}

const NO_FILE = -1;

export interface EventMemoryOptions {
  /** Memory limit; at least one chunk is kept. */
  readonly memoryBytes: number;
  /** null for the system's directory of temporary files. */
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

  /** Returns whether a run fits in memory; if not, all runs must be spilled first. */
  hasSpaceFor(length: number): boolean {
    return this.used + length <= CHUNK_LENGTH || this.chunksUsed < this.maxChunks;
  }

  /** Copies a run that fits. */
  add(run: Int32Array): RunAddress {
    assert(run.length <= CHUNK_LENGTH, 'a run that is longer than a chunk');
    if (this.used + run.length > CHUNK_LENGTH) this.beginChunk();
    const chunk = this.chunksUsed - 1;
    this.chunks[chunk].set(run, this.used);
    this.used += run.length;
    return chunk * CHUNK_LENGTH + this.used - run.length;
  }

  /** Writes runs to the file, one after another. Returns the address of all of them as one run. */
  spill(addresses: readonly RunAddress[], lengths: readonly number[]): RunAddress {
    this.file ??= new SpillFile(this.directory);
    const start = this.file.length;
    const shared = this.shared();
    for (const [run, address] of addresses.entries()) this.file.append(runAt(shared, address, lengths[run]));
    return -1 - start;
  }

  /** Reuses the memory after everything in it was spilled. */
  clear(): void {
    this.file?.flush();
    this.chunksUsed = 0;
    this.used = CHUNK_LENGTH;
  }

  /** Sets the file of packed threads, which is closed together with the memory. */
  attachPacked(packed: PackedFile): void {
    this.packed = packed;
  }

  shared(): SharedEvents {
    return { chunks: this.chunks, fd: this.file?.fd ?? NO_FILE, packed: this.packed };
  }

  /** Nothing can be read afterwards. */
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

/** Returns a run. It shares memory with its chunk, or with the next run that is read from the file. */
export function runAt({ chunks, fd }: SharedEvents, address: RunAddress, length: number): Int32Array {
  if (address < 0) return readSpilled(fd, -1 - address, length);
  const start = address % CHUNK_LENGTH;
  return chunks[(address - start) / CHUNK_LENGTH].subarray(start, start + length);
}
