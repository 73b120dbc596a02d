/**
 * The memory of a call tree that is being built: a row for each node, and a table that finds children.
 */
import { ReusedColumn, resized } from '../columns.js';
import { NONE } from '../units.js';

/**
 * Row layout of a node: what nearly every event reads or changes is one cache line of 64 bytes, links first. The kernel
 * of replay changes the same rows (src/replay/wasm/layout.ts).
 */
export const Link = { Parent: 0, Symbol: 1, LastChild: 2, NextCalled: 3 } as const;
export const LINKS = 16;
export const Sum = { Calls: 2, SelfNs: 3, CompleteNs: 4, MinNs: 5, MaxNs: 6, InferredNs: 7 } as const;
export const SUMS = 8;

const FIRST_NODES = 256;

export interface TreeMemory {
  readonly sums: Float64Array;
  /** The same memory as `sums`. */
  readonly links: Int32Array;
  /** The table: nodes, or NONE. Its length is a power of two. */
  readonly slots: Int32Array;
  /** Doubles the number of nodes. */
  growRows(): void;
  /** Makes the table this long, and empty. */
  clearSlots(length: number): void;
}

export class OwnTreeMemory implements TreeMemory {
  sums = new Float64Array(FIRST_NODES * SUMS);
  links = new Int32Array(this.sums.buffer);
  slots = new Int32Array(0);
  private readonly reusedSlots = new ReusedColumn(new Int32Array(0));

  growRows(): void {
    this.sums = resized(this.sums, 2 * this.sums.length);
    this.links = new Int32Array(this.sums.buffer);
  }

  clearSlots(length: number): void {
    this.slots = this.reusedSlots.filled(length, NONE);
  }
}
