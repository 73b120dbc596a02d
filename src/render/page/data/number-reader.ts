/**
 * Bytes of a `NumberWriter` → the numbers. Whatever else there is is damage: it ends in an error, and nothing is made room for
 * that is not there.
 */
import { MOST_DIGITS, SEVEN_BITS } from '../../../model/byte-writer.js';
import { assert } from '../../../model/errors.js';
import { FLOAT_BYTES, GUESSED, NO_DISTANCE } from './number-writer.js';

const LOW_BITS = SEVEN_BITS - 1;

export class NumberReader {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  count(): number {
    const first = this.bytes[this.at++];
    if (first < SEVEN_BITS) return first;
    const second = this.bytes[this.at++];
    const value = (first & LOW_BITS) | ((second & LOW_BITS) << 7);
    return second < SEVEN_BITS ? value : this.longCount(value);
  }

  near(guess: number): number {
    const code = this.count();
    if (code === GUESSED) return guess;
    if (code === NO_DISTANCE) return this.float();
    const distance = Math.floor(code / 2);
    return code & 1 ? guess + distance : guess - distance;
  }

  /** Puts each value into the place of its guess. */
  column(guesses: Float64Array): Float64Array {
    const { bytes } = this;
    for (let row = 0; row < guesses.length; row++)
      if (bytes[this.at] === GUESSED) this.at++;
      else guesses[row] = this.near(guesses[row]);
    return guesses;
  }

  /** So many rows of something that has `bound` rows. */
  rows(length: number, bound: number): Float64Array {
    assert(length <= this.bytes.length - this.at, 'the page has fewer rows than it says');
    const rows = new Float64Array(length);
    let guess = 0;
    for (let at = 0; at < length; at++) {
      const row = this.near(guess);
      assert(row >= 0 && row < bound, 'the page has a row that is none');
      rows[at] = row;
      guess = row + 1;
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

  /** `low`: of the first two bytes. One that is not there has no end. */
  private longCount(low: number): number {
    let value = low;
    for (let bits = 14; bits < 28; bits += 7) {
      const byte = this.bytes[this.at++];
      value |= (byte & LOW_BITS) << bits;
      if (byte < SEVEN_BITS) return value;
    }
    return this.longestCount(value);
  }

  /** Bit operations do not reach any more. */
  private longestCount(low: number): number {
    let value = low;
    for (let weight = 2 ** 28; weight < SEVEN_BITS ** MOST_DIGITS; weight *= SEVEN_BITS) {
      const byte = this.bytes[this.at++];
      value += (byte & LOW_BITS) * weight;
      if (byte < SEVEN_BITS) return value;
    }
    throw new Error('the page ends in the middle of a number');
  }

  private float(): number {
    const { buffer, byteOffset } = this.take(FLOAT_BYTES);
    return new DataView(buffer, byteOffset).getFloat64(0);
  }
}
