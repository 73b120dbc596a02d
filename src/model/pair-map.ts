/**
 * Maps pairs of numbers to numbers: open addressing over typed arrays. Only call trees have a table of their own, which
 * replay's compiled loop reads, too.
 */
import { resized } from './columns.js';
import { NONE } from './units.js';

const COLUMNS = 3; // both numbers of a pair and its value

export class PairMap {
  private slots = new Int32Array(64).fill(NONE);
  private rows = new Int32Array(COLUMNS * 32);
  private length = 0;

  /** Returns NONE if there is no such pair. */
  find(a: number, b: number): number {
    const { slots, rows } = this;
    const mask = slots.length - 1;
    for (let slot = hashOf(a, b) & mask; ; slot = (slot + 1) & mask) {
      const at = COLUMNS * slots[slot];
      if (at < 0) return NONE;
      if (rows[at] === a && rows[at + 1] === b) return rows[at + 2];
    }
  }

  /** Adds a pair that is not in the map. */
  add(a: number, b: number, value: number): void {
    if (COLUMNS * (this.length + 1) > this.rows.length) this.rows = resized(this.rows, 2 * this.rows.length);
    this.rows.set([a, b, value], COLUMNS * this.length);
    this.insert(this.length++);
    if (2 * this.length > this.slots.length) this.grow();
  }

  private insert(row: number): void {
    const mask = this.slots.length - 1;
    let slot = hashOf(this.rows[COLUMNS * row], this.rows[COLUMNS * row + 1]) & mask;
    while (this.slots[slot] !== NONE) slot = (slot + 1) & mask;
    this.slots[slot] = row;
  }

  private grow(): void {
    this.slots = new Int32Array(4 * this.slots.length).fill(NONE);
    for (let row = 0; row < this.length; row++) this.insert(row);
  }
}

export function hashOf(a: number, b: number): number {
  const mixed = Math.imul(a ^ Math.imul(b, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
