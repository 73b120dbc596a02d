/**
 * Stores runs in large chunks of shared memory, so that workers can read them, and beyond a limit in a temporary file.
 */
import { openRef, openTemporary, type TemporaryFile, temporaryDirectory } from '../host/files.js';
import { assert, PtflameError, systemReason } from '../model/errors.js';
import { type FileRef, type OwnFile, readFully } from '../model/open-file.js';
import { sharableBytes } from '../model/shared-memory.js';
import type { PageFile } from '../model/trace/pages.js';

const NUMBER_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Numbers per chunk (2 MiB). No run is longer. */
export const CHUNK_LENGTH = 512 * 1024;

/** Index of a run's first number over all chunks or, if negative, −1 minus that in the file. */
export type RunAddress = number;

export function isInMemory(address: RunAddress): boolean {
  return address >= 0;
}

/** What a worker needs to read runs; plain data. */
export interface SharedEvents {
  readonly chunks: readonly Int32Array[];
  /** The temporary file; null if nothing was spilled. */
  readonly spilled: FileRef | null;
  /** The file with the blocks of packed threads; null if there are none. */
  readonly packed: PackedFile | null;
  /** Of temporary files; null for the system's. */
  readonly directory: string | null;
}

/** What a worker needs to read blocks; plain data. */
export interface PackedFile {
  readonly ref: FileRef;
  /** In shared memory, from `expectedSites`. */
  readonly expected: Int32Array;
}

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
  private packedFile: OwnFile | null = null;
  private readonly maxChunks: number;
  private readonly directory: string | null;

  constructor({ memoryBytes, directory }: EventMemoryOptions) {
    this.maxChunks = Math.max(1, Math.floor(memoryBytes / (CHUNK_LENGTH * NUMBER_BYTES)));
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
  attachPacked(file: OwnFile, expected: Int32Array): void {
    this.packedFile = file;
    this.packed = { ref: file.ref, expected };
  }

  shared(): SharedEvents {
    const { chunks, packed, directory } = this;
    return { chunks, spilled: this.file?.ref ?? null, packed, directory };
  }

  /** Nothing can be read afterwards. */
  close(): void {
    this.file?.close();
    this.file = null;
    this.packedFile?.close();
    this.packedFile = null;
    this.chunks.length = 0;
  }

  private beginChunk(): void {
    if (this.chunksUsed === this.chunks.length)
      this.chunks.push(new Int32Array(sharableBytes(CHUNK_LENGTH * NUMBER_BYTES)));
    this.chunksUsed++;
    this.used = 0;
  }
}

/** Returns a run. It shares memory with its chunk, or with the next run that is read from the file. */
export function runAt(shared: SharedEvents, address: RunAddress, length: number): Int32Array {
  if (!isInMemory(address)) return readSpilled(shared, -1 - address, length);
  const start = address % CHUNK_LENGTH;
  return shared.chunks[(address - start) / CHUNK_LENGTH].subarray(start, start + length);
}

const BLOCK_LENGTH = 256 * 1024; // numbers: 1 MiB

const NO_SPACE = 'no space left';
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EFBIG: NO_SPACE,
  ENOENT: 'there is no such directory',
  ENOTDIR: 'it is not a directory',
  EACCES: 'it is not writable',
  EROFS: 'it is not writable',
};

/** A temporary file of numbers for when memory is short: appended to, and read at any offset. */
export class SpillFile implements PageFile {
  /** null: nothing was appended. */
  private file: TemporaryFile | null = null;
  private block = new Int32Array(0);
  private buffered = 0;
  private written = 0;

  /** `directory` is null for the system's directory of temporary files. */
  constructor(private readonly directory: string | null) {}

  /** Workers read through it, too; null if nothing was appended. */
  get ref(): FileRef | null {
    return this.file?.ref ?? null;
  }

  /** Index of the next number. */
  get length(): number {
    return this.written + this.buffered;
  }

  /** Returns the index of the first one. @throws PtflameError TEMPORARY_FILE, for example if the disk is full */
  append(numbers: Int32Array): number {
    const start = this.length;
    if (this.block.length === 0) this.block = new Int32Array(BLOCK_LENGTH);
    for (let at = 0; at < numbers.length; ) {
      const part = numbers.subarray(at, at + BLOCK_LENGTH - this.buffered);
      this.block.set(part, this.buffered);
      this.buffered += part.length;
      at += part.length;
      if (this.buffered === BLOCK_LENGTH) this.flush();
    }
    return start;
  }

  /** Reads what was appended at an index. @throws PtflameError TEMPORARY_FILE */
  read(start: number, into: Int32Array): void {
    if (start + into.length > this.written) this.flush();
    readNumbers(this.ref, start, into, this.directory);
  }

  /** Must be called before anything is read. */
  flush(): void {
    if (this.buffered === 0) return;
    try {
      this.file ??= openTemporary(this.directory ?? temporaryDirectory());
      this.file.append(new Uint8Array(this.block.buffer, 0, this.buffered * NUMBER_BYTES));
    } catch (cause) {
      throw temporaryFault('write', this.directory, cause);
    }
    this.written += this.buffered;
    this.buffered = 0;
  }

  close(): void {
    this.file?.close();
    this.file = null;
  }
}

function temporaryFault(what: 'read' | 'write', named: string | null, cause: unknown): PtflameError {
  const directory = named ?? temporaryDirectory();
  const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? systemReason(cause);
  const where = directory === '' ? '' : ` ${what === 'write' ? 'to' : 'in'} ${directory}`; // a page has none
  return new PtflameError('TEMPORARY_FILE', `cannot ${what} temporary data${where}: ${reason}`, {
    hint: 'name a directory with more space: --temp-dir DIR; or allow more memory: --memory 8G',
    cause,
  });
}

/** The numbers read last in this thread. */
let lastRead = new Int32Array();

/** Reads numbers of a spill file, in any thread. Valid until the next call in the same thread. */
function readSpilled(
  { spilled, directory }: Pick<SharedEvents, 'spilled' | 'directory'>,
  start: number,
  length: number,
): Int32Array {
  if (length > lastRead.length) lastRead = new Int32Array(length);
  const numbers = lastRead.subarray(0, length);
  readNumbers(spilled, start, numbers, directory);
  return numbers;
}

function readNumbers(ref: FileRef | null, start: number, into: Int32Array, directory: string | null): void {
  assert(ref !== null, 'spilled numbers without their file');
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  try {
    if (readFully(openRef(ref), bytes, start * NUMBER_BYTES) === bytes.length) return;
  } catch (cause) {
    throw temporaryFault('read', directory, cause);
  }
  throw temporaryFault('read', directory, new Error('it is shorter than what was written to it'));
}
