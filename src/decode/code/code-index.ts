/**
 * Finds mappings by address among thousands, as generated code has: rows of small mappings by region of the address space, rows
 * of the few large ones in a list.
 */
import type { Address } from '../../model/units.js';

export interface AddressRange {
  readonly start: Address;
  /** Exclusive. */
  readonly end: Address;
}

const REGION_BYTES = 64 * 1024;
const NO_ROWS: readonly number[] = [];

export class CodeIndex {
  /** Of the mappings added so far: the row of the next one. */
  length = 0;
  private readonly large: number[] = [];
  private readonly regions = new Map<number, number[]>();

  add(code: AddressRange): void {
    const row = this.length++;
    if (code.end - code.start > REGION_BYTES) {
      this.large.push(row);
      return;
    }
    for (const region of regionsOf(code)) {
      const rows = this.regions.get(region);
      if (rows === undefined) this.regions.set(region, [row]);
      else rows.push(row);
    }
  }

  /** Returns lists of ascending rows; a mapping that holds the address is in one of them. */
  near(address: Address): readonly [readonly number[], readonly number[]] {
    return [this.large, this.regions.get(Math.floor(address / REGION_BYTES)) ?? NO_ROWS];
  }

  /** Returns the rows of mappings that may overlap one; all of them for a large one. */
  *around(code: AddressRange): Generator<number> {
    if (code.end - code.start > REGION_BYTES) {
      for (let row = 0; row < this.length; row++) yield row;
      return;
    }
    yield* this.large;
    for (const region of regionsOf(code)) yield* this.regions.get(region) ?? NO_ROWS;
  }
}

function* regionsOf({ start, end }: AddressRange): Generator<number> {
  for (let region = Math.floor(start / REGION_BYTES); region * REGION_BYTES < end; region++) yield region;
}
