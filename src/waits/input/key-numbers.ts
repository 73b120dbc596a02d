/**
 * Numbers the different keys of a column, such as the threads of samples, in the order in which they first come.
 */
import { NONE } from '../../model/units.js';

/** Thread ids are below this (PID_MAX_LIMIT in include/linux/threads.h), so a table finds most keys. */
const TABLE_KEYS = 2 ** 22;

export class KeyNumbers {
  /** By number. */
  readonly keys: number[] = [];
  private readonly table: Int32Array; // by key: one more than its number; 0: none
  private readonly others = new Map<number, number>(); // the same, of other keys

  /** `expected`: the keys that will be added, or most of them. */
  constructor(expected: Int32Array | Float64Array) {
    let largest = 0;
    for (let row = 0; row < expected.length; row++) if (expected[row] > largest) largest = expected[row];
    this.table = new Int32Array(Math.min(largest + 1, TABLE_KEYS));
  }

  /** Returns the number of a key, which it gets if it has none. */
  add(key: number): number {
    const number = this.find(key);
    return number === NONE ? this.addNew(key) : number;
  }

  /** NONE: it was not added. */
  find(key: number): number {
    return key >= 0 && key < this.table.length ? this.table[key] - 1 : (this.others.get(key) ?? NONE);
  }

  private addNew(key: number): number {
    const number = this.keys.push(key) - 1;
    if (key >= 0 && key < this.table.length) this.table[key] = number + 1;
    else this.others.set(key, number);
    return number;
  }
}
