/**
 * Lists the units of `.debug_info` with what their first entry says: where their code and their line table are (DWARF 5, 7.5.1).
 * entries.ts reads the other entries.
 */
import { Abbreviations } from './abbreviations.js';
import { type ByteReader, DwarfFault, type WorkBudget } from './byte-reader.js';
import { type AttributeValue, readForm, type UnitSizes } from './forms.js';
import type { DebugSections } from './sections.js';

export interface Unit extends UnitSizes {
  readonly offsetBytes: number;
  /** Offsets in `.debug_info`: of its header, of its first entry, and of its end. */
  readonly at: number;
  readonly entriesAt: number;
  readonly end: number;
  /** Offset of its table in `.debug_abbrev`. */
  readonly abbreviations: number;
  readonly attributes: ReadonlyMap<number, AttributeValue>;
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
  MipsLinkageName: 0x2007,
  GnuAddrBase: 0x2133,
} as const;

const WANTED: ReadonlySet<number> = new Set(Object.values(Attribute));
export const INFO = '.debug_info';
/** The second half of a split unit is in another file; a partial unit has entries that others refer to. */
const UnitType = { Compile: 1, Partial: 3, Skeleton: 4 } as const;
const WITH_CODE: ReadonlySet<number> = new Set(Object.values(UnitType));
const MIN_VERSION = 2;
const MAX_VERSION = 5;
/** The only size of addresses in x86-64 binaries. */
const ADDRESS_BYTES = 8;
/** A unit's header and its first entry, unless that has long texts. */
const HEAD_BYTES = 1024;
const LONG_HEAD_BYTES = 64 * 1024;
/** What it costs to read them. */
const UNIT_STEPS = 300;

/** Calls `onUnit` for each unit but those of types. A unit that cannot be read is left out. */
export function eachUnit(
  sections: DebugSections,
  budget: WorkBudget,
  onUnit: (unit: Unit) => void,
  abbreviations = new Abbreviations(sections, budget),
): void {
  const total = sections.lengthOf(INFO);
  for (let at = 0; at < total; ) {
    budget.spend(UNIT_STEPS);
    const head = sections.window(INFO, at, HEAD_BYTES);
    const length = head.unitLength();
    const end = at + head.at + length;
    const unit =
      orNull(() => readUnit(head, at, end, abbreviations)) ??
      orNull(() => readUnit(afterLength(sections.window(INFO, at, LONG_HEAD_BYTES)), at, end, abbreviations));
    if (unit !== null) onUnit(unit);
    at = end;
  }
}

function afterLength(reader: ByteReader): ByteReader {
  reader.unitLength();
  return reader;
}

/** Returns null instead of throwing a `DwarfFault`. */
export function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DwarfFault) return null;
    throw error;
  }
}

/** The reader is after the length. Returns null for units without code: those of types. */
function readUnit(reader: ByteReader, at: number, end: number, abbreviations: Abbreviations): Unit | null {
  const { offsetBytes } = reader;
  const version = reader.u16();
  if (version < MIN_VERSION || version > MAX_VERSION) return null;
  const type = version === MAX_VERSION ? reader.u8() : UnitType.Compile;
  const sizedFirst = version === MAX_VERSION ? reader.u8() : 0;
  const table = reader.offset();
  const addressBytes = version === MAX_VERSION ? sizedFirst : reader.u8();
  if (addressBytes !== ADDRESS_BYTES || !WITH_CODE.has(type)) return null;
  if (type === UnitType.Skeleton) reader.skip(8); // the id of its other half
  const sizes = { version, addressBytes };
  const entriesAt = at + reader.at;
  const attributes = new Map<number, AttributeValue>();
  for (const { attribute, form, implicit } of abbreviations.find(table, reader.uleb()).attributes) {
    const value = readForm(reader, form, sizes, implicit);
    if (WANTED.has(attribute)) attributes.set(attribute, value);
  }
  return { ...sizes, offsetBytes, at, entriesAt, end, abbreviations: table, attributes };
}
