/**
 * Reads the bytes of a `NumberWriter`. Anything else throws a `FileFault`, before memory is allocated for missing data.
 */
import { MAX_COUNT_BYTES, SEVEN_BITS } from './byte-writer.js';
import { FileFault } from './file-fault.js';
import { type ByteOrder, FLOAT_BYTES, GUESSED, NO_DISTANCE } from './number-writer.js';

const LOW_BITS = SEVEN_BITS - 1;
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

export class NumberReader {
  private at = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly what: string;
  private readonly isLittleEndian: boolean;

  /** `what` names the data in messages. */
  constructor(bytes: Uint8Array, what: string, order: ByteOrder = 'little-endian') {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.what = what;
    this.isLittleEndian = order === 'little-endian';
  }

  /** Reads a non-negative integer. A missing byte reads as one that continues in the next. */
  count(): number {
    const first = this.bytes[this.at++];
    if (first < SEVEN_BITS) return first;
    const second = this.bytes[this.at++];
    const value = (first & LOW_BITS) | ((second & LOW_BITS) << 7);
    return second < SEVEN_BITS ? value : this.longCount(value);
  }

  /** Reads a number written near the same guess. */
  near(guess: number): number {
    const code = this.count();
    if (code === NO_DISTANCE) return this.float();
    const distance = Math.floor(code / 2);
    return code & 1 ? guess + distance : guess - distance;
  }

  /** Likewise for a whole number that is exact, as times are. */
  wholeNear(guess: number): number {
    const value = this.near(guess);
    if (Number.isSafeInteger(value)) return value;
    throw this.fault(`has the number ${value} where only whole ones below 2^53 can be`);
  }

  /** Likewise for an address or a size; NaN: unknown. */
  wholeOrUnknownNear(guess: number): number {
    const value = this.near(guess);
    if (Number.isNaN(value) || Number.isInteger(value)) return value;
    throw this.fault(`has the number ${value} where only whole ones can be`);
  }

  /** Likewise for an integer within bounds. */
  nearWithin(guess: number, min: number, max: number): number {
    return this.within(this.near(guess), min, max);
  }

  countWithin(min: number, max: number): number {
    return this.within(this.count(), min, max);
  }

  /** Reads the number of items that follow, each of at least `minBytes`: more than fit in the rest are refused. */
  length(minBytes = 1): number {
    return this.countWithin(0, (this.bytes.length - this.at) / minBytes);
  }

  /** Refuses a number of values that the rest cannot have, before memory is allocated for them. */
  expectRows(count: number): void {
    if (!Number.isInteger(count) || count < 0) throw this.fault(`has the impossible number ${count}`);
    this.expectBytes(count);
  }

  /** Replaces each guess with its value. */
  guessed(guesses: Float64Array): Float64Array {
    const { bytes } = this;
    for (let row = 0; row < guesses.length; row++)
      if (bytes[this.at] === GUESSED) this.at++;
      else guesses[row] = this.near(guesses[row]);
    return guesses;
  }

  /** Reads `length` row numbers below `bound`. */
  rows(length: number, bound: number): Float64Array {
    this.expectBytes(length);
    const rows = new Float64Array(length);
    let guess = 0;
    for (let at = 0; at < length; at++) {
      rows[at] = this.nearWithin(guess, 0, bound - 1);
      guess = rows[at] + 1;
    }
    return rows;
  }

  text(): string {
    const length = this.length();
    this.at += length;
    return DECODER.decode(this.bytes.subarray(this.at - length, this.at));
  }

  end(): void {
    if (this.at !== this.bytes.length) throw this.fault('continues after its end');
  }

  fault(what: string): FileFault {
    return new FileFault('damaged', `${this.what} ${what}`);
  }

  /** Continues after the first two bytes, whose value is `low`. */
  private longCount(low: number): number {
    let value = low;
    for (let bits = 14; bits < 28; bits += 7) {
      const byte = this.bytes[this.at++];
      value |= (byte & LOW_BITS) << bits;
      if (byte < SEVEN_BITS) return value;
    }
    return this.longestCount(value);
  }

  /** Continues where bit operations overflow. */
  private longestCount(low: number): number {
    let value = low;
    for (let weight = 2 ** 28; weight < SEVEN_BITS ** MAX_COUNT_BYTES; weight *= SEVEN_BITS) {
      const byte = this.bytes[this.at++];
      value += (byte & LOW_BITS) * weight;
      if (byte < SEVEN_BITS) return value;
    }
    throw this.fault(this.at > this.bytes.length ? 'ends in the middle' : 'has a number that does not end');
  }

  private float(): number {
    this.expectBytes(FLOAT_BYTES);
    this.at += FLOAT_BYTES;
    return this.view.getFloat64(this.at - FLOAT_BYTES, this.isLittleEndian);
  }

  private expectBytes(count: number): void {
    if (this.at + count > this.bytes.length) throw this.fault('ends in the middle');
  }

  private within(value: number, min: number, max: number): number {
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw this.fault(`has the impossible number ${value}`);
  }
}
