/**
 * Hashes of functions or call paths → the rows that have them.
 */
import { NONE } from '../../model/units.js';

/** 64-bit hashes as two numbers each, which are compared faster than BigInts. */
export type HashWords = Int32Array;

export function hashWords({ buffer, byteOffset, length }: BigInt64Array): HashWords {
  return new Int32Array(buffer, byteOffset, 2 * length);
}

/** Finds rows by their hash: open addressing; the keys are read from the column of hashes. */
export class HashRows {
  private readonly hashes: HashWords;
  private readonly slots: Int32Array;

  /** `rows`: those that can be found; each has a hash of its own. */
  constructor(hashes: HashWords, rows: Int32Array) {
    this.hashes = hashes;
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * rows.length + 1))).fill(NONE);
    for (const row of rows) this.slots[this.slotOf(hashes, row)] = row;
  }

  /** Returns the row that has the hash of a row of another column; NONE: there is none. */
  find(hashes: HashWords, at: number): number {
    return this.slots[this.slotOf(hashes, at)];
  }

  /** Returns the slot of a hash, or the free one where it would be. */
  private slotOf(hashes: HashWords, at: number): number {
    const [low, high] = [hashes[2 * at], hashes[2 * at + 1]];
    const mask = this.slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const row = this.slots[slot];
      if (row === NONE || (this.hashes[2 * row] === low && this.hashes[2 * row + 1] === high)) return slot;
    }
  }
}
