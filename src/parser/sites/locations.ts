/**
 * Numbers the locations that perf prints: addresses with their functions. Open addressing over columns.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import type { Location } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SymbolId } from '../../model/units.js';

const MIN_SLOTS = 1024;

export class Locations {
  private readonly address = float64Column();
  private readonly symbol = int32Column();
  private readonly start = float64Column();
  private slots = new Int32Array(MIN_SLOTS).fill(NONE);

  /** Returns the number of a location; a new one if it was not seen before. `start`: first address of its function, or NaN. */
  numberOf(address: Address, symbol: SymbolId | typeof NONE, start: Address): number {
    const mask = this.slots.length - 1;
    let slot = hashOf(address, symbol, start) & mask;
    for (; this.slots[slot] !== NONE; slot = (slot + 1) & mask)
      if (this.is(this.slots[slot], address, symbol, start)) return this.slots[slot];
    this.address.push(address);
    this.symbol.push(symbol);
    this.start.push(start);
    const { length } = this.address;
    this.slots[slot] = length - 1;
    if (2 * length > this.slots.length) this.grow();
    return length - 1;
  }

  at(number: number): Location {
    return {
      address: this.address.values[number],
      symbol: this.symbol.values[number],
      start: this.start.values[number],
    };
  }

  private is(number: number, address: Address, symbol: number, start: Address): boolean {
    if (this.address.values[number] !== address || this.symbol.values[number] !== symbol) return false;
    const own = this.start.values[number];
    return own === start || (Number.isNaN(own) && Number.isNaN(start));
  }

  private grow(): void {
    this.slots = new Int32Array(4 * this.slots.length).fill(NONE);
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.address.length; number++) {
      const { address, symbol, start } = this.at(number);
      let slot = hashOf(address, symbol, start) & mask;
      while (this.slots[slot] !== NONE) slot = (slot + 1) & mask;
      this.slots[slot] = number;
    }
  }
}

/** Addresses are below 2^53: both halves count. */
function hashOf(address: Address, symbol: number, start: Address): number {
  const low = Math.imul(address | 0, 0x9e3779b1) ^ Math.imul((address / 2 ** 32) | 0, 0x85ebca6b);
  const mixed = Math.imul(low ^ Math.imul(symbol, 0xc2b2ae35) ^ (start | 0), 0x27d4eb2f);
  return mixed ^ (mixed >>> 15);
}
