/**
 * Writes bytes to a growing buffer, and integers as LEB128: seven bits per byte, the lowest first.
 */
import { resized } from '../model/columns.js';

/** 2^7; a byte of at least this value continues in the next byte. */
export const SEVEN_BITS = 128;
const LOW_BITS = SEVEN_BITS - 1;
/** Enough for 2^53. */
export const MAX_COUNT_BYTES = 8;
/** Bit operations work below this. */
const MAX_BITWISE = 2 ** 31;

/** Writes a non-negative integer. Returns the offset after it. */
export function putCount(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= MAX_BITWISE; rest = Math.floor(rest / SEVEN_BITS)) bytes[next++] = (rest % SEVEN_BITS) | SEVEN_BITS;
  for (; rest >= SEVEN_BITS; rest >>>= 7) bytes[next++] = (rest & LOW_BITS) | SEVEN_BITS;
  bytes[next++] = rest;
  return next;
}

export class ByteWriter {
  protected bytes = new Uint8Array(1024);
  protected length = 0;

  /** Writes a non-negative integer. */
  count(value: number): void {
    this.reserve(MAX_COUNT_BYTES);
    this.length = putCount(this.bytes, this.length, value);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The bytes written so far; shares memory with the writer. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes space for this many more bytes. */
  protected reserve(count: number): void {
    if (this.length + count > this.bytes.length) this.bytes = resized(this.bytes, 2 * (this.length + count));
  }
}
