/**
 * A file of trace text, opened when it is read: its bytes in pieces.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { PtflameError, unreadableInput } from '../../model/errors.js';
import type { SeekableFile } from './trace-input.js';

export const READ_BYTES = 512 * 1024;
const NOT_OPEN = -1;

/**
 * The bytes of a file, in pieces. They are read right here: another thread would leave them in the cache of another
 * processor, which costs more than the waiting. A piece is good until the next one is asked for.
 */
export class TextFile implements SeekableFile, AsyncIterable<Uint8Array> {
  /** Only while pieces are read. */
  fd = NOT_OPEN;
  readonly sizeBytes: number;
  private readonly path: string;
  private readonly looked: Stats;
  /** Where the next piece begins. */
  private at = 0;

  /** `looked`: what the file was when its kind was told. */
  constructor(path: string, looked: Stats) {
    this.path = path;
    this.looked = looked;
    this.sizeBytes = looked.size;
  }

  skipTo(at: number): void {
    this.at = at;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.fd = openFile(this.path);
    try {
      this.refuseOther();
      const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
      for (let piece = this.read(buffer); piece.length > 0; piece = this.read(buffer)) {
        this.at += piece.length;
        await setImmediate(); // lets others have their turn: a signal, threads that woke
        yield piece;
      }
    } finally {
      closeSync(this.fd);
      this.fd = NOT_OPEN;
    }
  }

  /** Whoever replaced it meanwhile may have put anything there, also what a read would wait for. */
  private refuseOther(): void {
    const { dev, ino } = fstatSync(this.fd);
    if (dev === this.looked.dev && ino === this.looked.ino) return;
    throw new PtflameError('INPUT_UNREADABLE', `${this.path} was replaced by another file while inputs were read`, {
      hint: 'run it again when nobody writes there',
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
