/**
 * A temporary file of numbers for when memory is short: appended to, and read at any offset.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PtflameError, systemReason } from '../model/errors.js';

const OWNER_ONLY = 0o600;
const BLOCK_LENGTH = 256 * 1024; // numbers: 1 MiB
const BYTES = Int32Array.BYTES_PER_ELEMENT;

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

export class SpillFile {
  /** Workers read through it, too. */
  readonly fd: number;
  private readonly directory: string;
  private readonly block = new Int32Array(BLOCK_LENGTH);
  private buffered = 0;
  private written = 0;

  /**
   * `directory` is null for the system's directory of temporary files.
   *
   * @throws PtflameError TEMPORARY_FILE
   */
  constructor(directory: string | null) {
    this.directory = directory ?? tmpdir();
    try {
      this.fd = openUnlinked(this.directory);
    } catch (cause) {
      throw this.fault(cause);
    }
  }

  /** Index of the next number. */
  get length(): number {
    return this.written + this.buffered;
  }

  /** @throws PtflameError TEMPORARY_FILE, for example if the disk is full */
  append(numbers: Int32Array): void {
    for (let at = 0; at < numbers.length; ) {
      const part = numbers.subarray(at, at + BLOCK_LENGTH - this.buffered);
      this.block.set(part, this.buffered);
      this.buffered += part.length;
      at += part.length;
      if (this.buffered === BLOCK_LENGTH) this.flush();
    }
  }

  /** Must be called before anything is read. */
  flush(): void {
    try {
      writeAll(this.fd, this.block.subarray(0, this.buffered), this.written * BYTES);
    } catch (cause) {
      throw this.fault(cause);
    }
    this.written += this.buffered;
    this.buffered = 0;
  }

  close(): void {
    closeSync(this.fd);
  }

  private fault(cause: unknown): PtflameError {
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? systemReason(cause);
    return new PtflameError('TEMPORARY_FILE', `cannot write temporary data to ${this.directory}: ${reason}`, {
      hint: 'name a directory with more space: --temp-dir DIR; or allow more memory: --memory 8G',
      cause,
    });
  }
}

/** Opens a file without a name, so that nothing is left behind however the program ends. */
function openUnlinked(directory: string): number {
  const path = join(directory, `ptflame-${crypto.randomUUID()}`);
  const fd = openSync(path, 'wx+', OWNER_ONLY);
  unlinkSync(path);
  return fd;
}

function writeAll(fd: number, numbers: Int32Array, position: number): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
}

/** The numbers read last in this thread. */
let lastRead = new Int32Array();

/** Reads numbers of a spill file, in any thread. Valid until the next call in the same thread. */
export function readSpilled(fd: number, start: number, length: number): Int32Array {
  if (length > lastRead.length) lastRead = new Int32Array(length);
  const numbers = lastRead.subarray(0, length);
  const bytes = new Uint8Array(numbers.buffer, 0, numbers.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, start * BYTES + at);
    if (count === 0) throw new Error('a temporary file is shorter than what was written to it');
    at += count;
  }
  return numbers;
}
