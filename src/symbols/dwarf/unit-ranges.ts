/**
 * Finds the addresses of the code of a unit, or of one of its entries (DWARF 5, 2.17 and 7.25; before, `.debug_ranges`).
 */
import { ByteReader, DwarfFault, type WorkBudget } from './byte-reader.js';
import type { AttributeValue } from './forms.js';
import type { DebugSections } from './sections.js';
import { offsetOf } from './unit-values.js';
import { Attribute, type Unit } from './units.js';

export type OnRange = (start: number, end: number) => void;

/** Base address selection in `.debug_ranges`: the largest address, which is inexact as a number. */
const LARGEST_ADDRESS = 2 ** 64 - 2 ** 12;

/** What it costs to read from the file. */
const READ_STEPS = 10;

export class UnitRanges {
  private readonly sections: DebugSections;
  private readonly budget: WorkBudget;

  constructor(sections: DebugSections, budget: WorkBudget) {
    this.sections = sections;
    this.budget = budget;
  }

  /** Calls `onRange` for each range of an entry, by default the unit itself; `end` is exclusive. @throws DwarfFault */
  each(unit: Unit, onRange: OnRange, entry = unit.attributes): void {
    const ranges = entry.get(Attribute.Ranges);
    if (ranges !== undefined) return this.eachListed(unit, ranges, this.lowOf(unit, unit.attributes) ?? 0, onRange);
    const low = this.lowOf(unit, entry);
    const high = entry.get(Attribute.HighPc);
    if (low === null || high === undefined) return;
    if (high.kind === 'number') onRange(low, low + high.value);
    else onRange(low, this.addressOf(unit, high) ?? low);
  }

  private eachListed(unit: Unit, ranges: AttributeValue, base: number, onRange: OnRange): void {
    const offset = this.listOffset(unit, ranges);
    const name = unit.version >= 5 ? '.debug_rnglists' : '.debug_ranges';
    const reader = new ByteReader(this.sections.whole(name), offset);
    if (unit.version >= 5) this.eachOfList(reader, unit, base, onRange);
    else this.eachPair(reader, base, onRange);
  }

  private listOffset({ attributes, offsetBytes }: Unit, ranges: AttributeValue): number {
    if (ranges.kind === 'offset' || ranges.kind === 'number') return ranges.value;
    if (ranges.kind !== 'rangesIndex') throw new DwarfFault('ranges have an unknown form');
    const base = offsetOf(attributes.get(Attribute.RnglistsBase)) ?? 0;
    const at = base + ranges.value * offsetBytes;
    return base + this.sections.window('.debug_rnglists', at, offsetBytes).unsigned(offsetBytes);
  }

  private eachPair(reader: ByteReader, first: number, onRange: OnRange): void {
    let base = first;
    for (;;) {
      this.budget.spend();
      const [start, end] = [reader.u64(), reader.u64()];
      if (start === 0 && end === 0) return;
      if (start >= LARGEST_ADDRESS) base = end;
      else onRange(base + start, base + end);
    }
  }

  private eachOfList(reader: ByteReader, unit: Unit, first: number, onRange: OnRange): void {
    let base = first;
    const indexed = () => this.addressAt(unit, reader.uleb());
    for (;;) {
      this.budget.spend();
      const kind = reader.u8();
      if (kind === 0) return;
      if (kind === 1) base = indexed();
      else if (kind === 5) base = reader.u64();
      else {
        const start = kind === 2 || kind === 3 ? indexed() : kind === 4 ? base + reader.uleb() : reader.u64();
        onRange(start, rangeEnd(kind, reader, start, base, indexed));
      }
    }
  }

  private lowOf(unit: Unit, entry: Unit['attributes']): number | null {
    return this.addressOf(unit, entry.get(Attribute.LowPc));
  }

  private addressOf(unit: Unit, value: AttributeValue | undefined): number | null {
    if (value?.kind === 'address') return value.value;
    return value?.kind === 'addressIndex' ? this.addressAt(unit, value.value) : null;
  }

  private addressAt({ attributes, addressBytes }: Unit, index: number): number {
    this.budget.spend(READ_STEPS);
    const base = offsetOf(attributes.get(Attribute.AddrBase) ?? attributes.get(Attribute.GnuAddrBase)) ?? 0;
    return this.sections.window('.debug_addr', base + index * addressBytes, addressBytes).unsigned(addressBytes);
  }
}

function rangeEnd(kind: number, reader: ByteReader, start: number, base: number, indexed: () => number): number {
  switch (kind) {
    case 2: // startx_endx
      return indexed();
    case 3: // startx_length
    case 7: // start_length
      return start + reader.uleb();
    case 4: // offset_pair
      return base + reader.uleb();
    case 6: // start_end
      return reader.u64();
    default:
      throw new DwarfFault('unknown kind of range');
  }
}
