/**
 * Rows of numbers that grow: one row is one frame, or one open call of pairing.
 */
import { resized } from '../../model/columns.js';

/** Memory for rows: the same bytes as integers and as floating-point numbers, which may move when it grows. */
export interface Rows {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
  /** Doubles the number of rows. */
  grow(): void;
}

/** Rows in memory of their own. */
export class OwnRows implements Rows {
  floats: Float64Array;
  ints: Int32Array;

  constructor(bytes: number) {
    this.floats = new Float64Array(bytes / Float64Array.BYTES_PER_ELEMENT);
    this.ints = new Int32Array(this.floats.buffer);
  }

  grow(): void {
    this.floats = resized(this.floats, 2 * this.floats.length);
    this.ints = new Int32Array(this.floats.buffer);
  }
}
