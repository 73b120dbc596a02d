/**
 * Writes compact numbers and texts: each number as its distance from a guess that the reader makes, too, as LEB128.
 *
 * A distance d ≥ 0 is written as 2d + 1, d < 0 as −2d; 0 precedes the eight bytes of a number without such a distance.
 */
import { ByteWriter } from './byte-writer.js';

/** The distance 0. */
export const GUESSED = 1;
export const NO_DISTANCE = 0;
export const FLOAT_BYTES = 8;
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
    const distance = value - guess;
    if (isExact(value, guess)) return this.count(distance >= 0 ? 2 * distance + 1 : -2 * distance);
    this.count(NO_DISTANCE);
    this.float(value);
  }

  /** Writes each value near its own guess. A correct guess takes one byte, even if it is not an integer. */
  guessed(values: ArrayLike<number>, guesses: Float64Array): void {
    for (let row = 0; row < guesses.length; row++)
      if (values[row] === guesses[row]) this.count(GUESSED);
      else this.near(values[row], guesses[row]);
  }

  /** Writes row numbers; each is guessed to follow the previous one. */
  rows(rows: Int32Array | Float64Array): void {
    let guess = 0;
    for (let at = 0; at < rows.length; at++) {
      this.near(rows[at], guess);
      guess = rows[at] + 1;
    }
  }

  text(text: string): void {
    const bytes = ENCODER.encode(text);
    this.count(bytes.length);
    this.append(bytes);
  }

  private float(value: number): void {
    const bytes = new Uint8Array(FLOAT_BYTES);
    new DataView(bytes.buffer).setFloat64(0, value, this.isLittleEndian);
    this.append(bytes);
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
