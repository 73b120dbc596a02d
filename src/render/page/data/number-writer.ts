/**
 * Numbers in little room: each as its distance from a guess that the reader makes too, seven bits a byte.
 *
 * A value that was guessed is 1, one above by d is 2d + 1, one below by d is 2d; 0 stands before the eight bytes of a number
 * that has no such distance.
 */
import { ByteWriter } from '../../../model/byte-writer.js';

export const GUESSED = 1;
export const NO_DISTANCE = 0;
export const FLOAT_BYTES = 8;
/** Twice of it and one more are exact. */
const LARGEST_DISTANCE = 2 ** 51;

export class NumberWriter extends ByteWriter {
  /** Any number. */
  near(value: number, guess: number): void {
    if (value === guess) return this.count(GUESSED);
    const distance = value - guess;
    if (isExact(value, guess)) return this.count(distance > 0 ? 2 * distance + 1 : -2 * distance);
    this.count(NO_DISTANCE);
    this.float(value);
  }

  /** There is a guess for each value. */
  column(values: ArrayLike<number>, guesses: Float64Array): void {
    for (let row = 0; row < guesses.length; row++) this.near(values[row] as number, guesses[row]);
  }

  /** Rows of something: each is guessed to follow the one before. */
  rows(rows: Int32Array | Float64Array): void {
    let guess = 0;
    for (let at = 0; at < rows.length; at++) {
      this.near(rows[at], guess);
      guess = rows[at] + 1;
    }
  }

  private float(value: number): void {
    const bytes = new Uint8Array(FLOAT_BYTES);
    new DataView(bytes.buffer).setFloat64(0, value);
    this.append(bytes);
  }
}

function isExact(value: number, guess: number): boolean {
  return Number.isSafeInteger(value) && Number.isSafeInteger(guess) && Math.abs(value - guess) <= LARGEST_DISTANCE;
}
