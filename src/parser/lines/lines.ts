/**
 * Splits a stream of bytes into chunks of whole lines.
 */
import { joined } from '../../codec/bytes.js';

/** perf's lines have a few hundred bytes, with long template names a few thousand. Longer ones are garbage. */
export const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Splits a stream at line ends; keeps at most one unfinished line. */
export class LineCutter {
  private carry: Uint8Array = new Uint8Array(0);
  /** True while the unfinished line is too long to be kept. */
  isSkipping = false;
  /** Dropped lines not yet returned by `takeOverlong`. */
  private overlong = 0;

  /** Returns the lines that `bytes` completes, each with its newline, including one begun earlier. */
  cut(bytes: Uint8Array): Uint8Array[] {
    const start = this.isSkipping ? this.resumeAfterOverlong(bytes) : 0;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const whole = end > start ? this.completed(bytes.subarray(start, end)) : [];
    // not slice(): on a buffer of Node it copies nothing, and the caller may reuse its bytes
    if (end > start) this.carry = new Uint8Array(bytes.subarray(end));
    else if (!this.isSkipping) this.carry = joined([this.carry, bytes.subarray(start)]);
    this.dropOverlongCarry();
    return whole;
  }

  /** Copies only the line begun earlier. */
  private completed(lines: Uint8Array): Uint8Array[] {
    if (this.carry.length === 0) return [lines];
    const first = lines.indexOf(NEWLINE) + 1;
    const pieces = [joined([this.carry, lines.subarray(0, first)]), lines.subarray(first)];
    return pieces.filter(({ length }) => length > 0);
  }

  /** Returns the text after the last newline: a line that was cut off. */
  rest(): Uint8Array {
    return this.carry;
  }

  /** Returns how many lines were dropped for their length since the last call. */
  takeOverlong(): number {
    const count = this.overlong;
    this.overlong = 0;
    return count;
  }

  private dropOverlongCarry(): void {
    if (this.carry.length <= MAX_LINE_BYTES) return;
    this.carry = new Uint8Array(0);
    this.isSkipping = true;
    this.overlong++;
  }

  private resumeAfterOverlong(bytes: Uint8Array): number {
    const newline = bytes.indexOf(NEWLINE);
    if (newline === -1) return bytes.length;
    this.isSkipping = false;
    return newline + 1;
  }
}
