/**
 * Lists the units of `.debug_info` with what their first entry says: where their code and their line table are (DWARF 5, 7.5.1).
 * The other entries are not read.
 */
import { ByteReader, DwarfFault, type WorkBudget } from './byte-reader.js';
import { type AttributeValue, readForm, type UnitSizes } from './forms.js';
import type { DebugSections } from './sections.js';

export interface Unit extends UnitSizes {
  readonly offsetBytes: number;
  readonly attributes: ReadonlyMap<number, AttributeValue>;
}

export const Attribute = {
  StmtList: 0x10,
  LowPc: 0x11,
  HighPc: 0x12,
  CompDir: 0x1b,
  Ranges: 0x55,
  StrOffsetsBase: 0x72,
  AddrBase: 0x73,
  RnglistsBase: 0x74,
  GnuAddrBase: 0x2133,
} as const;

const WANTED: ReadonlySet<number> = new Set(Object.values(Attribute));
const INFO = '.debug_info';
const UnitType = { Compile: 1, Skeleton: 4 } as const;
const MIN_VERSION = 2;
const MAX_VERSION = 5;
/** The only size of addresses in x86-64 binaries. */
const ADDRESS_BYTES = 8;
/** A unit's header and its first entry, unless that has long texts. */
const HEAD_BYTES = 1024;
const LONG_HEAD_BYTES = 64 * 1024;
/** What it costs to read them. */
const UNIT_STEPS = 300;

/** Calls `onUnit` for each unit that has code. A unit that cannot be read is left out. */
export function eachUnit(sections: DebugSections, budget: WorkBudget, onUnit: (unit: Unit) => void): void {
  const total = sections.lengthOf(INFO);
  const abbreviations = new Abbreviations(sections, budget);
  for (let at = 0; at < total; ) {
    budget.spend(UNIT_STEPS);
    const head = sections.window(INFO, at, HEAD_BYTES);
    const length = head.unitLength();
    const unit =
      orNull(() => readUnit(head, abbreviations)) ??
      orNull(() => readUnit(afterLength(sections.window(INFO, at, LONG_HEAD_BYTES)), abbreviations));
    if (unit !== null) onUnit(unit);
    at += head.offsetBytes === 4 ? 4 + length : 12 + length;
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
function readUnit(reader: ByteReader, abbreviations: Abbreviations): Unit | null {
  const { offsetBytes } = reader;
  const version = reader.u16();
  if (version < MIN_VERSION || version > MAX_VERSION) return null;
  const type = version === MAX_VERSION ? reader.u8() : UnitType.Compile;
  const sizedFirst = version === MAX_VERSION ? reader.u8() : 0;
  const table = reader.offset();
  const addressBytes = version === MAX_VERSION ? sizedFirst : reader.u8();
  if (addressBytes !== ADDRESS_BYTES || (type !== UnitType.Compile && type !== UnitType.Skeleton)) return null;
  if (type === UnitType.Skeleton) reader.skip(8); // the id of its other half
  const sizes = { version, addressBytes };
  const attributes = new Map<number, AttributeValue>();
  for (const { attribute, form, implicit } of abbreviations.find(table, reader.uleb())) {
    const value = readForm(reader, form, sizes, implicit);
    if (WANTED.has(attribute)) attributes.set(attribute, value);
  }
  return { ...sizes, offsetBytes, attributes };
}

interface AttributeForm {
  readonly attribute: number;
  readonly form: number;
  readonly implicit: number;
}

const IMPLICIT_CONSTANT = 0x21;

/** The forms of entries, by offset of their table and by code. */
class Abbreviations {
  private readonly known = new Map<string, readonly AttributeForm[]>();
  private readonly sections: DebugSections;
  private readonly budget: WorkBudget;

  constructor(sections: DebugSections, budget: WorkBudget) {
    this.sections = sections;
    this.budget = budget;
  }

  find(table: number, code: number): readonly AttributeForm[] {
    const key = `${table} ${code}`;
    let forms = this.known.get(key);
    if (forms === undefined) this.known.set(key, (forms = this.read(table, code)));
    return forms;
  }

  private read(table: number, wanted: number): readonly AttributeForm[] {
    const reader = new ByteReader(this.sections.whole('.debug_abbrev'), table);
    for (let code = reader.uleb(); code !== 0; code = reader.uleb()) {
      reader.uleb(); // its tag
      reader.u8(); // whether it has children
      const forms = this.readForms(reader);
      if (code === wanted) return forms;
    }
    throw new DwarfFault('an abbreviation is missing');
  }

  private readForms(reader: ByteReader): AttributeForm[] {
    const forms: AttributeForm[] = [];
    for (;;) {
      this.budget.spend();
      const attribute = reader.uleb();
      const form = reader.uleb();
      const implicit = form === IMPLICIT_CONSTANT ? reader.sleb() : 0;
      if (attribute === 0 && form === 0) return forms;
      forms.push({ attribute, form, implicit });
    }
  }
}
