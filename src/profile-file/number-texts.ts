/**
 * Writes columns of numbers as text, in pieces.
 */
import { MAX_NUMBER_BYTES, putAscii, putNumber } from '../model/text.js';

type Column = Float64Array | Int32Array;

const PIECE_ROWS = 4 * 1024;
const COMMA = 0x2c;

export class NumberTexts {
  /** A new decoder for each column would take longer than the numbers. */
  private readonly decoder = new TextDecoder();
  private readonly bytes = new Uint8Array(PIECE_ROWS * (MAX_NUMBER_BYTES + 1));

  *pieces(values: Column): Generator<string> {
    for (let from = 0; from < values.length; from += PIECE_ROWS)
      yield this.decoder.decode(this.bytes.subarray(0, this.put(values, from)));
  }

  /** Writes a piece. A missing value, such as the shortest of no calls, is written as null. */
  private put(values: Column, from: number): number {
    const { bytes } = this;
    const to = Math.min(values.length, from + PIECE_ROWS);
    let length = 0;
    for (let row = from; row < to; row++) {
      if (row > 0) bytes[length++] = COMMA;
      const value = values[row];
      length = Number.isFinite(value) ? putNumber(bytes, length, value) : putAscii(bytes, length, 'null');
    }
    return length;
  }
}
