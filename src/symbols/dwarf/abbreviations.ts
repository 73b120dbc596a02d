/**
 * Reads `.debug_abbrev`: which attributes entries have, and in which form (DWARF 5, 7.5.3).
 */
import { ByteReader, DwarfFault } from './byte-reader.js';
import { fixedBytes, IMPLICIT_CONSTANT } from './forms.js';
import type { DebugSections } from './sections.js';

export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeForm[];
  /** Bytes of an entry after its code, without its offsets to other sections, and the number of these; NaN if entries differ. */
  readonly entryBytes: number;
  readonly offsets: number;
}

export interface AttributeForm {
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
  private readonly sections: DebugSections;
  private kept = 0;

  constructor(sections: DebugSections) {
    this.sections = sections;
  }

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
  private readonly at: number;
  private readonly sections: DebugSections;
  private readonly keep: (forms: number) => void;
  private readonly known = new Map<number, Abbreviation>();
  private reader: ByteReader | null = null;
  private isComplete = false;

  constructor(at: number, sections: DebugSections, keep: (forms: number) => void) {
    this.at = at;
    this.sections = sections;
    this.keep = keep;
  }

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
