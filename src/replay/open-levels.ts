/**
 * The calls that are open while a skeleton is built, as columns.
 */

import { resized } from '../model/columns.js';
import type { Address, FunctionId } from '../model/units.js';

export class OpenLevels {
  depth = 0;
  /** Where each level was called. */
  address = new Float64Array(64);
  /** The function that called it. */
  caller = new Int32Array(64);
  /** How many rows were kept before its call. */
  keptBefore = new Int32Array(64);
  /** 1: its call and its return are kept even if nothing else happens. */
  isLasting = new Uint8Array(64);

  push(address: Address, caller: FunctionId, keptBefore: number, isLasting: boolean): void {
    if (this.depth === this.address.length) this.grow();
    this.address[this.depth] = address;
    this.caller[this.depth] = caller;
    this.keptBefore[this.depth] = keptBefore;
    this.isLasting[this.depth++] = isLasting ? 1 : 0;
  }

  private grow(): void {
    const length = 2 * this.depth;
    this.address = resized(this.address, length);
    this.caller = resized(this.caller, length);
    this.keptBefore = resized(this.keptBefore, length);
    this.isLasting = resized(this.isLasting, length);
  }
}
