/**
 * Writes long lists of numbers as text, in chunks of bytes: several times as fast as texts that are joined.
 */
import { MAX_NUMBER_BYTES, putAscii, putNumber } from '../model/text.js';
import type { Nanoseconds } from '../model/units.js';

const CHUNK_BYTES = 64 * 1024;
/** The longest text and number that are added between two checks. */
const SLACK_BYTES = 8 * MAX_NUMBER_BYTES;

const NS_PER_MS = 1e6;
const [ZERO, POINT] = [0x30, 0x2e];

/** Call `take` when it is full. Texts must be short and ASCII. */
export class AsciiWriter {
  private bytes = new Uint8Array(CHUNK_BYTES + SLACK_BYTES);
  private length = 0;

  get isFull(): boolean {
    return this.length >= CHUNK_BYTES;
  }

  /** Returns what was written, and begins anew. */
  take(): Uint8Array {
    const chunk = this.bytes.slice(0, this.length);
    this.length = 0;
    return chunk;
  }

  text(text: string): void {
    this.length = putAscii(this.bytes, this.length, text);
  }

  number(value: number): void {
    this.length = putNumber(this.bytes, this.length, value);
  }

  /** Writes a time in ms, exactly: 1234567 ns are "1.234567". */
  ms(ns: Nanoseconds): void {
    if (ns < 0) this.text('-');
    const whole = Math.floor(Math.abs(ns) / NS_PER_MS);
    this.number(whole);
    let rest = Math.abs(ns) - whole * NS_PER_MS;
    if (rest > 0) this.bytes[this.length++] = POINT;
    for (let unit = NS_PER_MS / 10; rest > 0; unit /= 10) {
      const digit = Math.floor(rest / unit);
      this.bytes[this.length++] = ZERO + digit;
      rest -= digit * unit;
    }
  }
}
