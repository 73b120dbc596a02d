/**
 * Numbers and texts in little room: each number as its distance from a guess that the reader makes too, seven bits a byte.
 *
 * Distance d ≥ 0 is 2d + 1, d < 0 is −2d; 0 stands before the eight bytes of a number that has no such distance.
 */
import { ByteWriter } from './byte-writer.js';

/** The distance 0. */
export const GUESSED = 1;
export const NO_DISTANCE = 0;
export const FLOAT_BYTES = 8;
/** Twice of it and one more are exact. */
const LARGEST_DISTANCE = 2 ** 51;

/** Of numbers that have no distance; trace files are little-endian, the data of a page is big-endian. */
export type ByteOrder = 'little-endian' | 'big-endian';

const ENCODER = new TextEncoder();

export class NumberWriter extends ByteWriter {
  private readonly isLittleEndian: boolean;

  constructor(order: ByteOrder = 'little-endian') {
    super();
    this.isLittleEndian = order === 'little-endian';
  }

  /** Any number. */
  near(value: number, guess: number): void {
    const distance = value - guess;
    if (isExact(value, guess)) return this.count(distance >= 0 ? 2 * distance + 1 : -2 * distance);
    this.count(NO_DISTANCE);
    this.float(value);
  }

  /** Each near a guess of its own; one that was guessed takes a byte, even if it is no whole number. */
  guessed(values: ArrayLike<number>, guesses: Float64Array): void {
    for (let row = 0; row < guesses.length; row++)
      if (values[row] === guesses[row]) this.count(GUESSED);
      else this.near(values[row], guesses[row]);
  }

  /** Rows of something: each is guessed to follow the one before. */
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
    Math.abs(value - guess) <= LARGEST_DISTANCE
  );
}
