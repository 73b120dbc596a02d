/**
 * Reads the attributes of an entry: their forms (DWARF 5, 7.5.6), and the abbreviations that list them (7.5.3).
 */
import { ByteReader, DwarfFault } from './byte-reader.js';
import type { DebugSections } from './reading.js';

/** What a value is: an offset or an index needs a section to become an address or a text. */
export type AttributeValue =
  | {
      readonly kind: 'address' | 'number' | 'offset' | 'addressIndex' | 'rangesIndex' | 'textIndex' | ReferenceKind;
      readonly value: number;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'textOffset'; readonly section: '.debug_str' | '.debug_line_str'; readonly value: number }
  | { readonly kind: 'other' };

/** To an entry: its offset in the unit, in the section, or in that of the shared file, which has texts, too. */
type ReferenceKind = 'unitReference' | 'sectionReference' | 'sharedReference' | 'sharedText';

export interface UnitSizes {
  readonly version: number;
  readonly addressBytes: number;
}

const OTHER: AttributeValue = { kind: 'other' };
const IMPLICIT_CONSTANT = 0x21;
const INDIRECT = 0x16;

/** `implicit`: the constant that the abbreviation has instead of the unit. */
export function readForm(reader: ByteReader, form: number, sizes: UnitSizes, implicit: number): AttributeValue {
  if (form === IMPLICIT_CONSTANT) return { kind: 'number', value: implicit };
  if (form === INDIRECT) return readPlainForm(reader, reader.uleb(), sizes);
  return readPlainForm(reader, form, sizes);
}

function readPlainForm(reader: ByteReader, form: number, sizes: UnitSizes): AttributeValue {
  const number = FIXED_NUMBERS[form];
  if (number !== undefined) return { kind: 'number', value: reader.unsigned(number) };
  const relative = RELATIVES[form];
  if (relative !== undefined) {
    const [kind, bytes] = relative;
    return { kind, value: bytes === 0 ? reader.uleb() : reader.unsigned(bytes) };
  }
  const skipped = SKIPPED[form];
  if (skipped !== undefined) {
    reader.skip(skipped);
    return OTHER;
  }
  return readSizedForm(reader, form, sizes);
}

function readSizedForm(reader: ByteReader, form: number, { version, addressBytes }: UnitSizes): AttributeValue {
  switch (form) {
    case 0x01: // addr
      return { kind: 'address', value: reader.unsigned(addressBytes) };
    case 0x08: // string
      return { kind: 'text', text: reader.text() };
    case 0x0e: // strp
      return { kind: 'textOffset', section: '.debug_str', value: reader.offset() };
    case 0x1f: // line_strp
      return { kind: 'textOffset', section: '.debug_line_str', value: reader.offset() };
    case 0x17: // sec_offset
      return { kind: 'offset', value: reader.offset() };
    case 0x0d: // sdata
      return { kind: 'number', value: reader.sleb() };
    case 0x0f: // udata
      return { kind: 'number', value: reader.uleb() };
    case 0x1d: // strp_sup
    case 0x1f21: // GNU_strp_alt
      return { kind: 'sharedText', value: reader.offset() };
    case 0x1f20: // GNU_ref_alt
      return { kind: 'sharedReference', value: reader.offset() };
    case 0x1c: // ref_sup4
      return { kind: 'sharedReference', value: reader.u32() };
    case 0x24: // ref_sup8
      return { kind: 'sharedReference', value: reader.u64() };
    case 0x10: // ref_addr
      return { kind: 'sectionReference', value: version === 2 ? reader.unsigned(addressBytes) : reader.offset() };
    default:
      skipOther(reader, form);
      return OTHER;
  }
}

/** Bytes of the constants data1, data2, data4 and data8. */
const FIXED_NUMBERS: Readonly<Record<number, number>> = { 11: 1, 5: 2, 6: 4, 7: 8 };

type RelativeKind = 'addressIndex' | 'rangesIndex' | 'textIndex' | 'unitReference';
/** Indices, and references within the unit, and their bytes; 0: of any length. */
const RELATIVES: Readonly<Record<number, readonly [RelativeKind, number]>> = {
  26: ['textIndex', 0],
  37: ['textIndex', 1],
  38: ['textIndex', 2],
  39: ['textIndex', 3],
  40: ['textIndex', 4],
  7938: ['textIndex', 0], // GNU_str_index
  27: ['addressIndex', 0],
  41: ['addressIndex', 1],
  42: ['addressIndex', 2],
  43: ['addressIndex', 3],
  44: ['addressIndex', 4],
  7937: ['addressIndex', 0], // GNU_addr_index
  35: ['rangesIndex', 0],
  17: ['unitReference', 1],
  18: ['unitReference', 2],
  19: ['unitReference', 4],
  20: ['unitReference', 8],
  21: ['unitReference', 0],
};

/** Bytes of what is not needed: flags, digests, references to types by their digest. */
const SKIPPED: Readonly<Record<number, number>> = {
  12: 1, // flag
  25: 0, // flag_present
  30: 16, // data16
  32: 8, // ref_sig8
};

function skipOther(reader: ByteReader, form: number): void {
  switch (form) {
    case 0x0a: // block1
      return void reader.skip(reader.u8());
    case 0x03: // block2
      return void reader.skip(reader.u16());
    case 0x04: // block4
      return void reader.skip(reader.u32());
    case 0x09: // block
    case 0x18: // exprloc
      return void reader.skip(reader.uleb());
    case 0x22: // loclistx
      return void reader.uleb();
    default:
      throw new DwarfFault(`unknown form ${form}`);
  }
}

/** Forms of an offset in another section or file, as wide as the unit says. */
const OFFSETS: ReadonlySet<number> = new Set([0x0e, 0x17, 0x1d, 0x1f, 0x1f20, 0x1f21]);
/** Forms whose bytes no table above has: addresses, constants of the abbreviation, references to the shared file. */
const OTHER_BYTES: Readonly<Record<number, number>> = { 1: 8, 33: 0, 28: 4, 36: 8 };

/** Returns the bytes of a value of a form; NaN: they differ from value to value. */
function fixedBytes(form: number): number | 'offset' {
  if (OFFSETS.has(form)) return 'offset';
  return FIXED_NUMBERS[form] ?? SKIPPED[form] ?? OTHER_BYTES[form] ?? (RELATIVES[form]?.[1] || Number.NaN);
}

/** Reads `.debug_abbrev`: which attributes entries have, and in which form (DWARF 5, 7.5.3). */
export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeForm[];
  /** Bytes of an entry after its code, without its offsets to other sections, and the number of these; NaN if entries differ. */
  readonly entryBytes: number;
  readonly offsets: number;
}

interface AttributeForm {
  readonly attribute: number;
  readonly form: number;
  /** The value, if the form is that of constants that units do not repeat. */
  readonly implicit: number;
}

/** Of all tables together that are kept. */
const MAX_KEPT_FORMS = 2 ** 18;
/** A form takes memory, too. */
const FORM_STEPS = 4;

export class Abbreviations {
  private readonly tables = new Map<number, AbbreviationTable>();
  private kept = 0;

  constructor(private readonly sections: DebugSections) {}

  /** `at`: offset of the table. */
  table(at: number): AbbreviationTable {
    let table = this.tables.get(at);
    if (table === undefined) {
      this.sections.budget.hold(TABLE_BYTES);
      this.tables.set(at, (table = new AbbreviationTable(at, this.sections, this.keep.bind(this))));
    }
    return table;
  }

  /** Most units have a table of their own, which nobody asks for once the unit is read. */
  private keep(forms: number): void {
    this.kept += forms;
    if (this.kept <= MAX_KEPT_FORMS) return;
    for (const table of this.tables.values()) table.forget();
    this.kept = forms;
  }
}

const TABLE_BYTES = 600;

/** The entries of a table up to the last one that was looked for. */
export class AbbreviationTable {
  private readonly known = new Map<number, Abbreviation>();
  private reader: ByteReader | null = null;
  private isComplete = false;

  constructor(
    private readonly at: number,
    private readonly sections: DebugSections,
    private readonly keep: (forms: number) => void,
  ) {}

  /** @throws DwarfFault if it has no entry with this code */
  find(code: number): Abbreviation {
    return this.known.get(code) ?? this.readOn(code);
  }

  forget(): void {
    this.known.clear();
    this.reader = null;
    this.isComplete = false;
  }

  private readOn(wanted: number): Abbreviation {
    this.reader ??= new ByteReader(this.sections.whole('.debug_abbrev'), this.at);
    const { reader } = this;
    while (!this.isComplete) {
      const code = reader.uleb();
      if (code === 0) break;
      const tag = reader.uleb();
      const hasChildren = reader.u8() === 1;
      const attributes = this.readForms(reader);
      this.keep(1 + attributes.length);
      const abbreviation = { tag, hasChildren, attributes, ...sizeOf(attributes) };
      if (!this.known.has(code)) this.known.set(code, abbreviation);
      if (code === wanted) return abbreviation;
    }
    this.isComplete = true;
    throw new DwarfFault('an abbreviation is missing');
  }

  private readForms(reader: ByteReader): AttributeForm[] {
    const forms: AttributeForm[] = [];
    for (;;) {
      this.sections.budget.spend(FORM_STEPS);
      const attribute = reader.uleb();
      const form = reader.uleb();
      const implicit = form === IMPLICIT_CONSTANT ? reader.sleb() : 0;
      if (attribute === 0 && form === 0) return forms;
      forms.push({ attribute, form, implicit });
    }
  }
}

function sizeOf(attributes: readonly AttributeForm[]): Pick<Abbreviation, 'entryBytes' | 'offsets'> {
  let [entryBytes, offsets] = [0, 0];
  for (const { form } of attributes) {
    const bytes = fixedBytes(form);
    if (bytes === 'offset') offsets++;
    else entryBytes += bytes;
  }
  return { entryBytes, offsets };
}
