/**
 * Finds the inlined functions that the code at addresses of a binary comes from, and the functions that one is inlined into, in
 * its entries of subroutines (DWARF 5, 3.3.8).
 *
 * By addresses, only units that have one of them are read. Debug information that contradicts itself gives no inlined functions.
 */
import { countAtOrBelow, firstThat } from '../../model/columns.js';
import type { ElfFile } from '../elf-file.js';
import { ByteReader, DwarfFault } from './byte-reader.js';
import { type Abbreviation, type AttributeValue, readForm } from './forms.js';
import { type DebugReading, readingAlone } from './reading.js';
import { SplitUnits } from './split-units.js';
import {
  Attribute,
  DebugFile,
  eachRange,
  INFO,
  type Reference,
  referenceIn,
  textIn,
  type Unit,
  WANTED,
} from './units.js';

/** The names of inlined functions, outermost first, as linkers know them if the compiler says so. Functions without a name are left out. */
export type InlineChain = readonly string[];

const Tag = { InlinedSubroutine: 0x1d, Subprogram: 0x2e } as const;
const SUBROUTINES: ReadonlySet<number> = new Set(Object.values(Tag));
const NO_CHAIN: InlineChain = [];
/** What a function in a chain takes, until it is drawn. */
const LINK_BYTES = 200;

/** Code that was put in place of a call. */
interface Inlined {
  /** null: the function that the code was put into. */
  readonly around: Inlined | null;
  /** The function that was called; null: it is in a file that is missing. */
  readonly origin: Reference | null;
}

/**
 * Returns the inlined functions at each address; empty where there are none, or where they are unknown. `addresses`: ascending.
 * Chains that are equal may be the same array.
 */
export function inlineChains(elf: ElfFile, addresses: Float64Array, reading = readingAlone()): InlineChain[] {
  const chains = new Array<InlineChain>(addresses.length).fill(NO_CHAIN);
  const file = new DebugFile(elf, reading);
  const split = new SplitUnits(reading);
  const names = new FunctionNames(file, file.units);
  const find = (unit: Unit, names: FunctionNames) => findChains(unit, names, addresses, chains, reading);
  for (const unit of file.units) {
    if (!hasRow(unit, addresses)) continue;
    const isRead = reading.budget.orNull(() => {
      find(unit, names);
      // names of the other half are in its file, which is closed at the end of the call
      split.find(unit, (half) => find(half, new FunctionNames(half.file, [half])));
      return true;
    });
    if (isRead === null && reading.budget.leftOut.size === 0) reading.budget.leftOut.add('work');
  }
  return chains;
}

/**
 * Finds the innermost function at each address in a unit: as entries are nested, the last one that contains it. A unit that
 * cannot be read to its end has none: they might not be the innermost. @throws DwarfFault
 */
function findChains(
  unit: Unit,
  names: FunctionNames,
  addresses: Float64Array,
  chains: InlineChain[],
  reading: DebugReading,
): void {
  const innermost = new Map<number, Inlined | null>();
  eachEntry<Inlined | null>(unit, SUBROUTINES, null, (tag, entry, around) => {
    const inlined =
      tag === Tag.Subprogram ? null : { around, origin: referenceIn(unit, entry.get(Attribute.AbstractOrigin)) };
    eachRow(unit, entry, addresses, (row) => {
      innermost.set(row, inlined);
    });
    return inlined;
  });
  const known = new Map<Inlined, InlineChain>();
  for (const [row, inlined] of innermost) {
    if (inlined === null) continue;
    let chain = known.get(inlined);
    if (chain === undefined) known.set(inlined, (chain = chainOf(inlined, names, reading)));
    chains[row] = chain;
  }
}

/** Returns the addresses of the functions that functions with such names are inlined into, by these names. */
export function inlinedInto(
  elf: ElfFile,
  isWanted: (name: string) => boolean,
  reading = readingAlone(),
): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const file = new DebugFile(elf, reading);
  const split = new SplitUnits(reading);
  const find = (unit: Unit, names: FunctionNames) =>
    eachEntry<number | null>(unit, SUBROUTINES, null, (tag, entry, into) => {
      if (tag === Tag.Subprogram) return startOf(unit, entry);
      const origin = into === null ? null : referenceIn(unit, entry.get(Attribute.AbstractOrigin));
      const name = origin && names.nameOf(origin);
      if (into === null || name === null || !isWanted(name)) return into;
      found.set(name, (found.get(name) ?? new Set()).add(into));
      return into;
    });
  const names = new FunctionNames(file, file.units);
  for (const unit of file.units)
    reading.budget.orNull(() => {
      find(unit, names);
      split.find(unit, (half) => find(half, new FunctionNames(half.file, [half])));
    });
  return found;
}

/** The first of its ranges has its entry. */
function startOf(unit: Unit, entry: Attributes): number | null {
  let first: number | null = null;
  const onRange = (start: number) => {
    if (start !== 0) first ??= start; // else the linker left it out
  };
  unit.file.sections.budget.orNull(() => eachRange(unit, onRange, entry));
  return first;
}

function chainOf(innermost: Inlined, names: FunctionNames, { budget }: DebugReading): InlineChain {
  const chain: string[] = [];
  for (let inlined: Inlined | null = innermost; inlined !== null; inlined = inlined.around) {
    budget.hold(LINK_BYTES);
    const name = inlined.origin === null ? null : names.nameOf(inlined.origin);
    if (name !== null) chain.push(name);
  }
  return chain.reverse();
}

function hasRow(unit: Unit, addresses: Float64Array): boolean {
  let isFound = false;
  eachRow(unit, unit.attributes, addresses, () => {
    isFound = true;
  });
  return isFound;
}

/** Finds the addresses that are in the code of a unit or an entry. Ranges that cannot be read have none. */
function eachRow(unit: Unit, entry: Attributes, addresses: Float64Array, onRow: (row: number) => void): void {
  const { budget } = unit.file.sections;
  const addRange = (start: number, end: number) => {
    if (start === 0) return; // code that the linker left out
    for (let row = countAtOrBelow(addresses, start - 1); row < addresses.length && addresses[row] < end; row++) {
      budget.spend();
      onRow(row);
    }
  };
  budget.orNull(() => eachRange(unit, addRange, entry));
}

/** From an instance to its function, to the declaration in a class, to the one in another unit or file; more is a circle. */
const MAX_REFERENCES = 8;
/** What a name takes besides its text. */
const NAME_BYTES = 200;

/**
 * Finds the names of functions that entries refer to. An entry without a name refers to the one that it is an instance of, or that declares it.
 *
 * Functions of one file; entries of others, to which these refer, are found there.
 */
class FunctionNames {
  private readonly known = new Map<number, string | null>();

  /** `units`: of this file. */
  constructor(
    private readonly file: DebugFile,
    /** In their order. */
    private readonly units: readonly Unit[],
  ) {}

  /** Returns the name that linkers know, or else the one in the source; null: unknown. */
  nameOf({ file, at }: Reference): string | null {
    const key = file === this.file ? at : -1 - at;
    let name = this.known.get(key);
    if (name === undefined) {
      this.file.sections.budget.hold(NAME_BYTES);
      this.known.set(key, (name = this.find({ file, at })));
    }
    return name;
  }

  private find(first: Reference): string | null {
    let plain: string | null = null;
    let entryOf: Reference | null = first;
    for (let count = 0; entryOf !== null && count < MAX_REFERENCES; count++) {
      const { file, at }: Reference = entryOf;
      const unit = unitAt(file === this.file ? this.units : file.units, at);
      const entry = unit && file.sections.budget.orNull(() => readEntry(unit, at));
      if (unit === null || entry === null) break;
      const linkageName = textOf(unit, entry, Attribute.LinkageName) ?? textOf(unit, entry, Attribute.MipsLinkageName);
      if (linkageName !== null) return linkageName;
      plain ??= textOf(unit, entry, Attribute.Name);
      entryOf = referenceIn(unit, entry.get(Attribute.AbstractOrigin) ?? entry.get(Attribute.Specification));
    }
    return plain;
  }
}

function textOf(unit: Unit, entry: Attributes, attribute: number): string | null {
  return unit.file.sections.budget.orNull(() => textIn(unit, entry.get(attribute))) || null;
}

function unitAt(units: readonly Unit[], at: number): Unit | null {
  const unit = units[firstThat(0, units.length, (row) => units[row].at > at) - 1];
  return unit !== undefined && at >= unit.entriesAt && at < unit.end ? unit : null;
}

/** Reads entries of `.debug_info`: all of a unit in their order, or one that another refers to (DWARF 5, 7.5.2). */
type Attributes = ReadonlyMap<number, AttributeValue>;

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
function eachEntry<Scope>(
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
function readEntry(unit: Unit, at: number): Attributes {
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
