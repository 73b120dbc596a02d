/**
 * Writes and reads compact numbers and texts: each number as its distance from a guess that the reader makes, too, as LEB128.
 *
 * A distance d ≥ 0 is written as 2d + 1, d < 0 as −2d; 0 precedes the eight bytes of a number without such a distance.
 */
import { resized } from '../model/columns.js';
import { FileFault } from './file-fault.js';

// Writes bytes to a growing buffer, and integers as LEB128: seven bits per byte, the lowest first.

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

class ByteWriter {
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

/** The distance 0. */
export const GUESSED = 1;
export const NO_DISTANCE = 0;
export const FLOAT_BYTES = 8;
/** Of a number near a guess. */
const MAX_NEAR_BYTES = Math.max(MAX_COUNT_BYTES, 1 + FLOAT_BYTES);
/** Space is made for so many rows at a time. */
const SLICE_ROWS = 1024;
/** Twice this plus one is exact. */
const MAX_DISTANCE = 2 ** 51;

/** Of numbers written as eight bytes; trace files are little-endian, the data of a page is big-endian. */
export type ByteOrder = 'little-endian' | 'big-endian';

const ENCODER = new TextEncoder();

export class NumberWriter extends ByteWriter {
  private readonly isLittleEndian: boolean;

  constructor(order: ByteOrder = 'little-endian') {
    super();
    this.isLittleEndian = order === 'little-endian';
  }

  /** Writes any number. */
  near(value: number, guess: number): void {
    this.reserve(MAX_NEAR_BYTES);
    this.length = this.putNear(this.length, value, guess);
  }

  /** Writes each value near its own guess. A correct guess takes one byte, even if it is not an integer. */
  guessed(values: ArrayLike<number>, guesses: Float64Array): void {
    for (let from = 0; from < guesses.length; from += SLICE_ROWS)
      this.guessedSlice(values, guesses, from, Math.min(guesses.length, from + SLICE_ROWS));
  }

  private guessedSlice(values: ArrayLike<number>, guesses: Float64Array, from: number, to: number): void {
    this.reserve((to - from) * MAX_NEAR_BYTES);
    const { bytes } = this;
    let at = this.length;
    for (let row = from; row < to; row++)
      if (values[row] === guesses[row]) bytes[at++] = GUESSED;
      else at = this.putNear(at, values[row], guesses[row]);
    this.length = at;
  }

  /** Writes row numbers; each is guessed to follow the previous one. */
  rows(rows: Int32Array | Float64Array): void {
    let guess = 0;
    for (let from = 0; from < rows.length; from += SLICE_ROWS) {
      const to = Math.min(rows.length, from + SLICE_ROWS);
      this.reserve((to - from) * MAX_NEAR_BYTES);
      let at = this.length;
      for (let row = from; row < to; row++) {
        at = this.putNear(at, rows[row], guess);
        guess = rows[row] + 1;
      }
      this.length = at;
    }
  }

  text(text: string): void {
    const bytes = ENCODER.encode(text);
    this.count(bytes.length);
    this.append(bytes);
  }

  /** There must be `MAX_NEAR_BYTES` left. Returns the offset after the number. */
  private putNear(at: number, value: number, guess: number): number {
    const { bytes } = this;
    const distance = value - guess;
    if (isExact(value, guess)) return putCount(bytes, at, distance >= 0 ? 2 * distance + 1 : -2 * distance);
    bytes[at] = NO_DISTANCE;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setFloat64(at + 1, value, this.isLittleEndian);
    return at + 1 + FLOAT_BYTES;
  }
}

function isExact(value: number, guess: number): boolean {
  return (
    Number.isSafeInteger(value) &&
    Number.isSafeInteger(guess) &&
    !Object.is(value, -0) &&
    Math.abs(value - guess) <= MAX_DISTANCE
  );
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads the bytes of a `NumberWriter`. Anything else throws a `FileFault`, before memory is allocated for missing data.
 */
export class NumberReader {
  private at = 0;
  private readonly view: DataView;
  private readonly isLittleEndian: boolean;

  /** `what` names the data in messages. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly what: string,
    order: ByteOrder = 'little-endian',
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
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
