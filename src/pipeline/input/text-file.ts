/**
 * Reads a file of trace text in pieces; the file is open only while it is read.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { PtflameError, unreadableInput } from '../../model/errors.js';
import type { SeekableFile } from './trace-input.js';

export const READ_BYTES = 512 * 1024;
const NOT_OPEN = -1;

/**
 * The bytes of a file, in pieces. Reads are synchronous: an asynchronous read would leave the bytes in the cache of another
 * CPU, which costs more than waiting. A piece is valid only until the next one is read.
 */
export class TextFile implements SeekableFile, AsyncIterable<Uint8Array> {
  /** Valid only while pieces are read. */
  fd = NOT_OPEN;
  readonly sizeBytes: number;
  private readonly path: string;
  private readonly expected: Stats;
  /** Offset of the next piece. */
  private at = 0;

  /** `expected`: the file whose kind was detected. */
  constructor(path: string, expected: Stats) {
    this.path = path;
    this.expected = expected;
    this.sizeBytes = expected.size;
  }

  skipTo(at: number): void {
    this.at = at;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.fd = openFile(this.path);
    try {
      this.refuseReplaced();
      const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
      for (let piece = this.read(buffer); piece.length > 0; piece = this.read(buffer)) {
        this.at += piece.length;
        await setImmediate(); // lets signals and messages of workers arrive
        yield piece;
      }
    } finally {
      closeSync(this.fd);
      this.fd = NOT_OPEN;
    }
  }

  /** A replaced file could be anything, even a pipe on which a read blocks. */
  private refuseReplaced(): void {
    const { dev, ino } = fstatSync(this.fd);
    if (dev === this.expected.dev && ino === this.expected.ino) return;
    throw new PtflameError('INPUT_UNREADABLE', `${this.path} was replaced by another file while inputs were read`, {
      hint: 'try again once it no longer changes',
    });
  }

  private read(buffer: Uint8Array): Uint8Array {
    return buffer.subarray(0, readSync(this.fd, buffer, 0, buffer.length, this.at));
  }
}

/** @throws PtflameError INPUT_UNREADABLE */
export function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
}
