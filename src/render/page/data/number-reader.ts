/**
 * Bytes of a `NumberWriter` → the numbers. Whatever else there is is damage: it ends in an error, and nothing is made room for
 * that is not there.
 */
import { assert } from '../../../model/errors.js';
import { FLOAT_BYTES, GUESSED, MOST_DIGITS, type NextRow, NO_DISTANCE, SEVEN_BITS } from './number-writer.js';

export class NumberReader {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  count(): number {
    const first = this.bytes[this.at++];
    return first < SEVEN_BITS ? first : this.longCount(first);
  }

  near(guess: number): number {
    const code = this.count();
    if (code === GUESSED) return guess;
    if (code === NO_DISTANCE) return this.float();
    return code % 2 === 1 ? guess + (code - 1) / 2 : guess - code / 2;
  }

  /** Puts each value into the place of its guess. */
  column(guesses: Float64Array): Float64Array {
    for (let row = 0; row < guesses.length; row++) guesses[row] = this.near(guesses[row]);
    return guesses;
  }

  /** Rows of something that has `bound` rows. */
  rows(length: number, next: NextRow, bound: number): Int32Array {
    assert(length <= this.bytes.length - this.at, 'the page has fewer rows than it says');
    const rows = new Int32Array(length);
    let last = -1;
    for (let at = 0; at < length; at++) {
      last = this.near(next(last));
      assert(Number.isInteger(last) && last >= 0 && last < bound, 'the page has a row that is none');
      rows[at] = last;
    }
    return rows;
  }

  /** Shares memory with what is read. */
  take(length: number): Uint8Array {
    assert(length <= this.bytes.length - this.at, 'the page ends in the middle');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  end(): void {
    assert(this.at === this.bytes.length, 'the page goes on behind its end');
  }

  private longCount(first: number): number {
    let value = first % SEVEN_BITS;
    let byte = first;
    for (let weight = SEVEN_BITS; byte >= SEVEN_BITS; weight *= SEVEN_BITS) {
      assert(weight < SEVEN_BITS ** MOST_DIGITS, 'the page has a number that does not end');
      byte = this.bytes[this.at++];
      value += (byte % SEVEN_BITS) * weight;
    }
    assert(!Number.isNaN(value), 'the page ends in the middle'); // a byte that is not there is no number
    return value;
  }

  private float(): number {
    const { buffer, byteOffset } = this.take(FLOAT_BYTES);
    return new DataView(buffer, byteOffset).getFloat64(0);
  }
}
