/**
 * Lists the units of `.debug_info` with what their first entry says: where their code and their line table are (DWARF 5, 7.5.1).
 * `inline-chains.ts` reads the other entries.
 */
import type { ElfFile } from '../elf-file.js';
import { ByteReader, DwarfFault } from './byte-reader.js';
import { Abbreviations, type AbbreviationTable, type AttributeValue, readForm, type UnitSizes } from './forms.js';
import { type DebugReading, DebugSections, NO_FILES } from './reading.js';

export interface Unit extends UnitSizes {
  readonly file: DebugFile;
  readonly offsetBytes: number;
  /** Offsets in `.debug_info`: of its header, of its first entry, and of its end. */
  readonly at: number;
  readonly entriesAt: number;
  readonly end: number;
  readonly abbreviations: AbbreviationTable;
  readonly attributes: ReadonlyMap<number, AttributeValue>;
  /** What the two halves of a split unit have in common; null: it is not split. */
  readonly id: bigint | null;
  /** null: the unit is complete, or the half of a split one that is in the binary. */
  readonly split: SplitPart | null;
}

/** The other half of a split unit. In a package, the sections of many files are one after the other: offsets of this one's. */
export interface SplitPart {
  readonly skeleton: Unit;
  readonly info: number;
  readonly abbreviations: number;
  readonly textOffsets: number;
  readonly ranges: number;
}

export const Attribute = {
  Name: 0x03,
  StmtList: 0x10,
  LowPc: 0x11,
  HighPc: 0x12,
  CompDir: 0x1b,
  AbstractOrigin: 0x31,
  Specification: 0x47,
  Ranges: 0x55,
  LinkageName: 0x6e,
  StrOffsetsBase: 0x72,
  AddrBase: 0x73,
  RnglistsBase: 0x74,
  DwoName: 0x76,
  MipsLinkageName: 0x2007,
  GnuDwoName: 0x2130,
  GnuDwoId: 0x2131,
  GnuRangesBase: 0x2132,
  GnuAddrBase: 0x2133,
} as const;

export const WANTED: ReadonlySet<number> = new Set(Object.values(Attribute));
export const INFO = '.debug_info';
/** A partial unit has entries that others refer to. */
const UnitType = { Compile: 1, Partial: 3, Skeleton: 4, SplitCompile: 5 } as const;
const WITH_CODE: ReadonlySet<number> = new Set(Object.values(UnitType));
const WITH_ID: ReadonlySet<number> = new Set([UnitType.Skeleton, UnitType.SplitCompile]);
const MIN_VERSION = 2;
const MAX_VERSION = 5;
/** The only size of addresses in x86-64 binaries. */
const ADDRESS_BYTES = 8;
/** A unit's header and its first entry, unless that has long texts. */
const HEAD_BYTES = 1024;
const LONG_HEAD_BYTES = 64 * 1024;
/** Of a header without its length, with the code of an entry. */
const MIN_UNIT_BYTES = 8;
/** What it costs to read them. */
const UNIT_STEPS = 200;
/** What a unit takes while it is known. */
const UNIT_BYTES = 4000;

/** A file with debug information. */
export class DebugFile {
  readonly sections: DebugSections;
  private readonly abbreviations: Abbreviations;
  private listed: Unit[] | null = null;
  private alternate: DebugFile | null | undefined;

  /** `suffix`: `.dwo` for the sections of split units. */
  constructor(
    elf: ElfFile,
    readonly reading: DebugReading,
    suffix: '' | '.dwo' = '',
  ) {
    this.sections = new DebugSections(elf, reading, suffix);
    this.abbreviations = new Abbreviations(this.sections);
  }

  /** All units but those of types, in their order, as far as they can be read. */
  get units(): readonly Unit[] {
    if (this.listed === null) {
      const units: Unit[] = (this.listed = []);
      this.sections.budget.orNull(() =>
        this.eachUnit((unit) => {
          this.sections.budget.hold(UNIT_BYTES);
          units.push(unit);
        }),
      );
    }
    return this.listed;
  }

  /** The file with what this one and others have in common; null: there is none, or it is missing. */
  get shared(): DebugFile | null {
    if (this.alternate === undefined) {
      const elf = this.reading.others.shared();
      this.alternate = elf && new DebugFile(elf, { ...this.reading, others: NO_FILES });
    }
    return this.alternate;
  }

  /**
   * A unit that cannot be read is left out. `part`: they are split; then they end at `to`. Ends when `onUnit` returns true.
   * @throws DwarfFault
   */
  eachUnit(onUnit: (unit: Unit) => unknown, part: SplitPart | null = null, to = this.sections.lengthOf(INFO)): void {
    const { sections } = this;
    for (let at = part?.info ?? 0; at < to; ) {
      sections.budget.spend(UNIT_STEPS);
      const head = sections.window(INFO, at, HEAD_BYTES);
      const length = head.unitLength();
      if (length < MIN_UNIT_BYTES) throw new DwarfFault('a unit is too short');
      const end = at + head.at + length;
      const unit = this.unitIn(head, at, end, part) ?? this.longUnit(at, end, part);
      if (unit !== null && onUnit(unit) === true) return;
      at = end;
    }
  }

  /** Most first entries are short. */
  private longUnit(at: number, end: number, part: SplitPart | null): Unit | null {
    if (end - at <= HEAD_BYTES) return null;
    const head = this.sections.window(INFO, at, LONG_HEAD_BYTES);
    head.unitLength();
    return this.unitIn(head, at, end, part);
  }

  private unitIn(head: ByteReader, at: number, end: number, part: SplitPart | null): Unit | null {
    const reader = new ByteReader(head.bytes.subarray(0, end - at), head.at);
    reader.offsetBytes = head.offsetBytes;
    return this.sections.budget.orNull(() => this.readUnit(reader, at, end, part));
  }

  /** The reader is after the length. Returns null for units without code: those of types. */
  private readUnit(reader: ByteReader, at: number, end: number, split: SplitPart | null): Unit | null {
    const { offsetBytes } = reader;
    const version = reader.u16();
    if (version < MIN_VERSION || version > MAX_VERSION) return null;
    const type = version === MAX_VERSION ? reader.u8() : UnitType.Compile;
    const sizedFirst = version === MAX_VERSION ? reader.u8() : 0;
    const tableAt = reader.offset() + (split?.abbreviations ?? 0);
    const addressBytes = version === MAX_VERSION ? sizedFirst : reader.u8();
    if (addressBytes !== ADDRESS_BYTES || !WITH_CODE.has(type)) return null;
    let id = WITH_ID.has(type) ? reader.big() : null;
    const sizes = { version, addressBytes };
    const entriesAt = at + reader.at;
    const attributes = new Map<number, AttributeValue>();
    const abbreviations = this.abbreviations.table(tableAt);
    for (const { attribute, form, implicit } of abbreviations.find(reader.uleb()).attributes) {
      this.sections.budget.spend();
      if (attribute === Attribute.GnuDwoId && form === DATA8) id = reader.big();
      else {
        const value = readForm(reader, form, sizes, implicit);
        if (WANTED.has(attribute)) attributes.set(attribute, value);
      }
    }
    return { ...sizes, file: this, offsetBytes, at, entriesAt, end, abbreviations, attributes, id, split };
  }
}

const DATA8 = 0x07;

// Turns values of attributes into offsets, references and texts, with what their unit says of where these are.

/** Returns the offset in a section that a value is; null: it is none. */
export function offsetOf(value: AttributeValue | undefined): number | null {
  return value?.kind === 'offset' || value?.kind === 'number' ? value.value : null;
}

/** An entry of a file. */
export interface Reference {
  readonly file: DebugFile;
  /** Offset in `.debug_info`. */
  readonly at: number;
}

/** Returns the entry that a value of a unit refers to; null: none, or in a file that is missing. */
export function referenceIn({ file, at, split }: Unit, value: AttributeValue | undefined): Reference | null {
  switch (value?.kind) {
    case 'unitReference':
      return { file, at: at + value.value };
    case 'sectionReference':
      return { file, at: (split?.info ?? 0) + value.value };
    case 'sharedReference':
      return file.shared && { file: file.shared, at: value.value };
    default:
      return null;
  }
}

/** Returns the text that a value of a unit is; null: none, or in a file that is missing. @throws DwarfFault */
export function textIn(unit: Unit, value: AttributeValue | undefined): string | null {
  const { sections } = unit.file;
  switch (value?.kind) {
    case 'text':
      sections.budget.keep(value.text);
      return value.text;
    case 'textOffset':
      return sections.text(value.section, value.value);
    case 'sharedText':
      return unit.file.shared?.sections.text('.debug_str', value.value) ?? null;
    case 'textIndex':
      return indexedText(unit, value.value);
    default:
      return null;
  }
}

function indexedText({ file: { sections }, attributes, version, offsetBytes, split }: Unit, index: number): string {
  // the binary's units say where their offsets are; those of a .dwo follow the header that DWARF 5 has: a length, a version
  const headerBytes = version >= 5 ? 2 * offsetBytes : 0;
  const base =
    split === null ? (offsetOf(attributes.get(Attribute.StrOffsetsBase)) ?? 0) : split.textOffsets + headerBytes;
  const offset = sections.window('.debug_str_offsets', base + index * offsetBytes, offsetBytes).unsigned(offsetBytes);
  return sections.text('.debug_str', offset);
}

/**
 * Finds the addresses of the code of a unit, or of one of its entries (DWARF 5, 2.17 and 7.25; before, `.debug_ranges`).
 */
type OnRange = (start: number, end: number) => void;

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
