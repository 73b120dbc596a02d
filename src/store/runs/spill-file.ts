/**
 * Room for numbers on a disk, where memory is short: written one behind the other, read from anywhere.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PtflameError } from '../../model/errors.js';

const OWNER_ONLY = 0o600;
const BLOCK_LENGTH = 256 * 1024; // numbers: 1 MiB
const BYTES = Int32Array.BYTES_PER_ELEMENT;

const NO_ROOM = 'there is no room left';
const WHY: Readonly<Record<string, string>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EFBIG: NO_ROOM,
  ENOENT: 'there is no such directory',
  ENOTDIR: 'it is no directory',
  EACCES: 'it may not be written',
  EROFS: 'it may not be written',
};

export class SpillFile {
  /** Other threads of this program read by it, too. */
  readonly fd: number;
  private readonly directory: string;
  private readonly block = new Int32Array(BLOCK_LENGTH);
  private buffered = 0;
  private written = 0;

  /**
   * `directory`: null for where the system keeps temporary files.
   *
   * @throws PtflameError TEMPORARY_FILE
   */
  constructor(directory: string | null) {
    this.directory = directory ?? tmpdir();
    try {
      this.fd = openUnseen(this.directory);
    } catch (cause) {
      throw this.fault(cause);
    }
  }

  /** Where the next number will stand. */
  get length(): number {
    return this.written + this.buffered;
  }

  /** @throws PtflameError TEMPORARY_FILE, if the disk is full, say */
  append(numbers: Int32Array): void {
    for (let at = 0; at < numbers.length; ) {
      const part = numbers.subarray(at, at + BLOCK_LENGTH - this.buffered);
      this.block.set(part, this.buffered);
      this.buffered += part.length;
      at += part.length;
      if (this.buffered === BLOCK_LENGTH) this.flush();
    }
  }

  /** Before anything is read. */
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
    const why = WHY[(cause as NodeJS.ErrnoException).code ?? ''] ?? String(cause);
    return new PtflameError(
      'TEMPORARY_FILE',
      `cannot keep what does not fit into memory in ${this.directory}: ${why}`,
      {
        hint: 'name a place with more room: --temp-dir DIR; or allow more memory: --memory 8G',
        cause,
      },
    );
  }
}

/** A file without a name: whatever ends the program, nothing of it is left behind. */
function openUnseen(directory: string): number {
  const path = join(directory, `ptflame-${crypto.randomUUID()}`);
  const fd = openSync(path, 'wx+', OWNER_ONLY);
  unlinkSync(path);
  return fd;
}

function writeAll(fd: number, numbers: Int32Array, position: number): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
}

/** What this thread read last. */
let lastRead = new Int32Array();

/** Numbers of a spill file, read by any thread of this program; good until the next are read. */
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
