/**
 * Finds the addresses of the code of a unit, or of one of its entries (DWARF 5, 2.17 and 7.25; before, `.debug_ranges`).
 */
import { ByteReader, DwarfFault } from './byte-reader.js';
import type { AttributeValue } from './forms.js';
import { offsetOf } from './unit-values.js';
import { Attribute, type Unit } from './units.js';

export type OnRange = (start: number, end: number) => void;

/** Base address selection in `.debug_ranges`: the largest address, which is inexact as a number. */
const LARGEST_ADDRESS = 2 ** 64 - 2 ** 12;

/** Calls `onRange` for each range of an entry, by default the unit itself; `end` is exclusive. @throws DwarfFault */
export function eachRange(unit: Unit, onRange: OnRange, entry = unit.attributes): void {
  const ranges = entry.get(Attribute.Ranges);
  if (ranges !== undefined) return eachListed(unit, ranges, onRange);
  const low = addressOf(unit, entry.get(Attribute.LowPc));
  const high = entry.get(Attribute.HighPc);
  if (low === null || high === undefined) return;
  if (high.kind === 'number') onRange(low, low + high.value);
  else onRange(low, addressOf(unit, high) ?? low);
}

function eachListed(unit: Unit, ranges: AttributeValue, onRange: OnRange): void {
  const home = homeOf(unit);
  const base = addressOf(home, home.attributes.get(Attribute.LowPc)) ?? 0;
  if (unit.version >= 5) {
    const lists = unit.file.sections.whole('.debug_rnglists');
    return eachOfList(new ByteReader(lists, listAt(unit, ranges)), unit, base, onRange);
  }
  // before DWARF 5, the lists of a split unit are in the binary, from an offset on
  const first = unit.split === null ? 0 : (offsetOf(home.attributes.get(Attribute.GnuRangesBase)) ?? 0);
  const lists = home.file.sections.whole('.debug_ranges');
  eachPair(new ByteReader(lists, first + (offsetOf(ranges) ?? Number.NaN)), unit, base, onRange);
}

/** Addresses of a split unit are in the binary, and where is said there. */
function homeOf(unit: Unit): Unit {
  return unit.split?.skeleton ?? unit;
}

function listAt({ file, attributes, offsetBytes, split }: Unit, ranges: AttributeValue): number {
  const offset = offsetOf(ranges);
  if (offset !== null) return (split?.ranges ?? 0) + offset;
  if (ranges.kind !== 'rangesIndex') throw new DwarfFault('ranges have an unknown form');
  // the offsets of a .dwo follow the header: length, version, two sizes, number of offsets
  const base =
    split === null ? (offsetOf(attributes.get(Attribute.RnglistsBase)) ?? 0) : split.ranges + 2 * offsetBytes + 4;
  const at = base + ranges.value * offsetBytes;
  return base + file.sections.window('.debug_rnglists', at, offsetBytes).unsigned(offsetBytes);
}

function eachPair(reader: ByteReader, { file }: Unit, first: number, onRange: OnRange): void {
  let base = first;
  for (;;) {
    file.sections.budget.spend();
    const [start, end] = [reader.u64(), reader.u64()];
    if (start === 0 && end === 0) return;
    if (start >= LARGEST_ADDRESS) base = end;
    else onRange(base + start, base + end);
  }
}

function eachOfList(reader: ByteReader, unit: Unit, first: number, onRange: OnRange): void {
  let base = first;
  const indexed = () => addressAt(unit, reader.uleb());
  for (;;) {
    unit.file.sections.budget.spend();
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

function addressOf(unit: Unit, value: AttributeValue | undefined): number | null {
  if (value?.kind === 'address') return value.value;
  return value?.kind === 'addressIndex' ? addressAt(unit, value.value) : null;
}

function addressAt(unit: Unit, index: number): number {
  const { file, attributes, addressBytes } = homeOf(unit);
  const base = offsetOf(attributes.get(Attribute.AddrBase) ?? attributes.get(Attribute.GnuAddrBase)) ?? 0;
  return file.sections.window('.debug_addr', base + index * addressBytes, addressBytes).unsigned(addressBytes);
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
