/**
 * Bytes that grow, and whole numbers in them: seven bits a byte, the lowest first, as files of ours have them.
 */
import { resized } from '../model/columns.js';

/** A byte of this size or more goes on in the next. */
export const SEVEN_BITS = 128;
const LOW_BITS = SEVEN_BITS - 1;
/** Of seven bits: enough for 2^53. */
export const MAX_COUNT_BYTES = 8;
/** Bit operations reach so far. */
const MOST_BITS = 2 ** 31;

/** Writes a whole number that is not negative; gives the place behind it. */
export function putCount(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= MOST_BITS; rest = Math.floor(rest / SEVEN_BITS)) bytes[next++] = (rest % SEVEN_BITS) | SEVEN_BITS;
  for (; rest >= SEVEN_BITS; rest >>>= 7) bytes[next++] = (rest & LOW_BITS) | SEVEN_BITS;
  bytes[next++] = rest;
  return next;
}

export class ByteWriter {
  private bytes = new Uint8Array(1024);
  private length = 0;

  /** A whole number that is not negative. */
  count(value: number): void {
    this.reserve(MAX_COUNT_BYTES);
    this.length = putCount(this.bytes, this.length, value);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** What was written; shares memory with the writer. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(room: number): void {
    if (this.length + room > this.bytes.length) this.bytes = resized(this.bytes, 2 * (this.length + room));
  }
}
