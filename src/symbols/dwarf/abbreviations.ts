/**
 * Reads `.debug_abbrev`: which attributes entries have, and in which form (DWARF 5, 7.5.3).
 */
import { ByteReader, DwarfFault, type WorkBudget } from './byte-reader.js';
import type { DebugSections } from './sections.js';

export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeForm[];
}

export interface AttributeForm {
  readonly attribute: number;
  readonly form: number;
  /** The value, if the form is that of constants that units do not repeat. */
  readonly implicit: number;
}

const IMPLICIT_CONSTANT = 0x21;

/** The entries of a table up to the last one that was looked for. */
interface Table {
  readonly reader: ByteReader;
  readonly known: Map<number, Abbreviation>;
  isComplete: boolean;
}

export class Abbreviations {
  private readonly tables = new Map<number, Table>();
  private readonly sections: DebugSections;
  private readonly budget: WorkBudget;

  constructor(sections: DebugSections, budget: WorkBudget) {
    this.sections = sections;
    this.budget = budget;
  }

  /** `at`: offset of the table. @throws DwarfFault if it has no entry with this code */
  find(at: number, code: number): Abbreviation {
    let table = this.tables.get(at);
    if (table === undefined) {
      const reader = new ByteReader(this.sections.whole('.debug_abbrev'), at);
      this.tables.set(at, (table = { reader, known: new Map(), isComplete: false }));
    }
    return table.known.get(code) ?? this.readOn(table, code);
  }

  private readOn(table: Table, wanted: number): Abbreviation {
    const { reader, known } = table;
    while (!table.isComplete) {
      const code = reader.uleb();
      if (code === 0) break;
      const tag = reader.uleb();
      const abbreviation = { tag, hasChildren: reader.u8() === 1, attributes: this.readForms(reader) };
      if (!known.has(code)) known.set(code, abbreviation);
      if (code === wanted) return abbreviation;
    }
    table.isComplete = true;
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
