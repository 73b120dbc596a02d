/**
 * Writes compact numbers and texts: each number as its distance from a guess that the reader makes, too, as LEB128.
 *
 * A distance d ≥ 0 is written as 2d + 1, d < 0 as −2d; 0 precedes the eight bytes of a number without such a distance.
 */
import { ByteWriter, MAX_COUNT_BYTES, putCount } from './byte-writer.js';

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
