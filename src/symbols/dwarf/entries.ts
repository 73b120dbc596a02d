/**
 * Reads entries of `.debug_info`: all of a unit in their order, or one that another refers to (DWARF 5, 7.5.2).
 */
import type { Abbreviation } from './abbreviations.js';
import { ByteReader, DwarfFault } from './byte-reader.js';
import { type AttributeValue, readForm } from './forms.js';
import { INFO, type Unit, WANTED } from './units.js';

export type Attributes = ReadonlyMap<number, AttributeValue>;

/** A unit that is larger is not read; those of large programs have some megabytes. */
const MAX_UNIT_BYTES = 2 ** 28;
/** An entry that another refers to, unless it has long texts. */
const MAX_ENTRY_BYTES = 16 * 1024;
/** Deeper entries do not come from a compiler. */
const MAX_NESTING = 512;
/** Texts and blocks are skipped fast. */
const SKIPPED_BYTES_PER_STEP = 32;

/**
 * Calls `onEntry` for each entry of a unit with one of these tags. What it returns is handed to it with the entries within
 * that one; `first`: with those that are within none. @throws DwarfFault
 */
export function eachEntry<Scope>(
  unit: Unit,
  tags: ReadonlySet<number>,
  first: Scope,
  onEntry: (tag: number, entry: Attributes, around: Scope) => Scope,
): void {
  const { budget } = unit.file.sections;
  const reader = readerOf(unit, unit.at, unit.end - unit.at);
  reader.skip(unit.entriesAt - unit.at);
  const scopes = [first];
  do {
    budget.spend();
    const code = reader.uleb();
    if (code === 0) {
      scopes.pop();
      continue;
    }
    const abbreviation = unit.abbreviations.find(code);
    let scope = scopes[scopes.length - 1];
    if (tags.has(abbreviation.tag))
      scope = onEntry(abbreviation.tag, readAttributes(reader, unit, abbreviation), scope);
    else skipAttributes(reader, unit, abbreviation);
    if (abbreviation.hasChildren) scopes.push(scope);
    if (scopes.length > MAX_NESTING) throw new DwarfFault('entries are nested too deeply');
  } while (scopes.length > 1);
}

/** Reads the entry at an offset in `.debug_info`, which is in this unit. @throws DwarfFault */
export function readEntry(unit: Unit, at: number): Attributes {
  const reader = readerOf(unit, at, Math.min(unit.end - at, MAX_ENTRY_BYTES));
  return readAttributes(reader, unit, unit.abbreviations.find(reader.uleb()));
}

function readerOf(unit: Unit, at: number, length: number): ByteReader {
  if (length > MAX_UNIT_BYTES) throw new DwarfFault('a unit is too large');
  const reader = new ByteReader(unit.file.sections.read(INFO, at, length));
  reader.offsetBytes = unit.offsetBytes;
  return reader;
}

function readAttributes(reader: ByteReader, unit: Unit, { attributes }: Abbreviation): Attributes {
  const { budget } = unit.file.sections;
  const values = new Map<number, AttributeValue>();
  for (const { attribute, form, implicit } of attributes) {
    const { at } = reader;
    const value = readForm(reader, form, unit, implicit);
    budget.spend(1 + (reader.at - at) / SKIPPED_BYTES_PER_STEP);
    if (WANTED.has(attribute)) values.set(attribute, value);
  }
  return values;
}

function skipAttributes(reader: ByteReader, unit: Unit, { attributes, entryBytes, offsets }: Abbreviation): void {
  if (!Number.isNaN(entryBytes)) {
    reader.skip(entryBytes + offsets * unit.offsetBytes);
    return;
  }
  const { budget } = unit.file.sections;
  for (const { form } of attributes) {
    const { at } = reader;
    readForm(reader, form, unit, 0);
    budget.spend(1 + (reader.at - at) / SKIPPED_BYTES_PER_STEP);
  }
}
