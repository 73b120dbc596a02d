/**
 * Reads entries of `.debug_info`: all of a unit in their order, or one that another refers to (DWARF 5, 7.5.2).
 */
import type { Abbreviation, Abbreviations } from './abbreviations.js';
import { ByteReader, DwarfFault, type WorkBudget } from './byte-reader.js';
import { type AttributeValue, readForm } from './forms.js';
import type { DebugSections } from './sections.js';
import { INFO, type Unit } from './units.js';

export type Attributes = ReadonlyMap<number, AttributeValue>;

/** A unit that is larger is not read; those of large programs have some megabytes. */
const MAX_UNIT_BYTES = 2 ** 28;
/** An entry that another refers to, unless it has long texts. */
const MAX_ENTRY_BYTES = 16 * 1024;
/** Deeper entries do not come from a compiler. */
const MAX_NESTING = 512;

export class EntryReader {
  private readonly sections: DebugSections;
  private readonly budget: WorkBudget;
  private readonly abbreviations: Abbreviations;

  constructor(sections: DebugSections, budget: WorkBudget, abbreviations: Abbreviations) {
    this.sections = sections;
    this.budget = budget;
    this.abbreviations = abbreviations;
  }

  /**
   * Calls `onEntry` for each entry of a unit with one of these tags. What it returns is handed to it with the entries within
   * that one; `first`: with those that are within none. @throws DwarfFault
   */
  each<Scope>(
    unit: Unit,
    tags: ReadonlySet<number>,
    first: Scope,
    onEntry: (tag: number, entry: Attributes, around: Scope) => Scope,
  ): void {
    const reader = this.readerOf(unit, unit.at, unit.end - unit.at, MAX_UNIT_BYTES);
    reader.skip(unit.entriesAt - unit.at);
    const scopes = [first];
    do {
      this.budget.spend();
      const code = reader.uleb();
      if (code === 0) {
        scopes.pop();
        continue;
      }
      const abbreviation = this.abbreviations.find(unit.abbreviations, code);
      const entry = readAttributes(reader, unit, abbreviation);
      const around = scopes[scopes.length - 1];
      const scope = tags.has(abbreviation.tag) ? onEntry(abbreviation.tag, entry, around) : around;
      if (abbreviation.hasChildren) scopes.push(scope);
      if (scopes.length > MAX_NESTING) throw new DwarfFault('entries are nested too deeply');
    } while (scopes.length > 1);
  }

  /** Reads the entry at an offset in `.debug_info`, which is in this unit. @throws DwarfFault */
  read(unit: Unit, at: number): Attributes {
    this.budget.spend();
    const reader = this.readerOf(unit, at, Math.min(unit.end - at, MAX_ENTRY_BYTES), MAX_ENTRY_BYTES);
    return readAttributes(reader, unit, this.abbreviations.find(unit.abbreviations, reader.uleb()));
  }

  private readerOf(unit: Unit, at: number, length: number, max: number): ByteReader {
    if (length > max) throw new DwarfFault('a unit is too large');
    const reader = new ByteReader(this.sections.read(INFO, at, length));
    reader.offsetBytes = unit.offsetBytes;
    return reader;
  }
}

function readAttributes(reader: ByteReader, unit: Unit, { attributes }: Abbreviation): Attributes {
  const values = new Map<number, AttributeValue>();
  for (const { attribute, form, implicit } of attributes) {
    const value = readForm(reader, form, unit, implicit);
    if (value.kind !== 'other') values.set(attribute, value);
  }
  return values;
}
