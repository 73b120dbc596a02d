/**
 * Lists the units of `.debug_info` with what their first entry says: where their code and their line table are (DWARF 5, 7.5.1).
 * entries.ts reads the other entries.
 */

import type { ElfFile } from '../elf-file.js';
import { Abbreviations, type AbbreviationTable } from './abbreviations.js';
import { ByteReader, DwarfFault } from './byte-reader.js';
import { type AttributeValue, readForm, type UnitSizes } from './forms.js';
import { type DebugReading, NO_FILES } from './reading.js';
import { DebugSections } from './sections.js';

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
  readonly reading: DebugReading;
  private readonly abbreviations: Abbreviations;
  private listed: Unit[] | null = null;
  private alternate: DebugFile | null | undefined;

  /** `suffix`: `.dwo` for the sections of split units. */
  constructor(elf: ElfFile, reading: DebugReading, suffix: '' | '.dwo' = '') {
    this.sections = new DebugSections(elf, reading, suffix);
    this.abbreviations = new Abbreviations(this.sections);
    this.reading = reading;
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
