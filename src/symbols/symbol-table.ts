/**
 * Finds the symbol that perf prints for an offset in a binary.
 */

import { viewOf } from '../codec/bytes.js';
import { firstThat } from '../model/columns.js';
import { type Address, NONE } from '../model/units.js';
import { cutName, MAX_NAME_BYTES, tableName, wordAt } from './byte-source.js';
import {
  bytesOf,
  countEntries,
  type ElfFile,
  type ElfSection,
  loadedSegments,
  SectionType,
  sectionNamed,
  tableOfType,
} from './elf-file.js';
import { findRow, OrderedRows } from './ordered-rows.js';

interface FoundSymbol {
  readonly name: string;
  readonly start: number; // offset in the file
  readonly end: number; // exclusive
}

export interface SymbolTable {
  readonly length: number;
  /** Returns null if no symbol is there. */
  find(offset: number): FoundSymbol | null;
}

export interface TableOptions {
  readonly demangle: Demangle;
  readonly pltNames: PltNames;
}

/** The largest known binaries have a quarter of this. */
const MAX_SYMBOLS = 5_000_000;

/** `symbols`: the file with the symbols; `runtime`: the binary that ran, which may be the same. */
export function buildSymbolTable(symbols: ElfFile, runtime: ElfFile, options: TableOptions): SymbolTable {
  const counts = TABLES.map(({ type }) => countEntries(symbols, tableOfType(symbols, type), SYMBOL_BYTES));
  const capacity = counts.reduce((sum, count) => sum + count, pltCapacity(runtime));
  const rows = new SymbolRows(Math.min(capacity, MAX_SYMBOLS), options.demangle);
  const removals = fill(rows, symbols, runtime, options.pltNames);
  const finder = new RowFinder(rows, removals);
  return {
    length: rows.length,
    find(offset) {
      const row = finder.find(offset);
      return row === NONE ? null : { name: rows.nameOf(row), start: rows.start[row], end: rows.end[row] };
    },
  };
}

/** Rows that perf removes when it has read a table. */
interface Removal {
  /** How many rows there are then. */
  readonly length: number;
  /** In the order in which perf removes them. */
  readonly rows: readonly number[];
}

/** A broken table ends the reading, before sizes and aliases are handled. perf 6.1 names the PLT last, if there are symbols. */
function fill(rows: SymbolRows, symbols: ElfFile, runtime: ElfFile, pltNames: PltNames): Removal[] {
  const removals: Removal[] = [];
  if (pltNames === 'all') addPlt(rows, runtime, pltNames); // first, so that symbols without a size end there
  for (const { type, nameSource } of TABLES) {
    const table = tableOfType(symbols, type);
    if (table === null) continue;
    if (addSymbols(rows, symbols, runtime, table, nameSource) === 'broken') return removals;
    const order = rowsInOrder(rows, removals);
    setEnds(rows, order);
    removals.push({ length: rows.length, rows: aliases(rows, order) });
  }
  if (pltNames === 'perf-6.1' && rows.length > 0) addPlt(rows, runtime, pltNames);
  return removals;
}

/** Returns the rows that are left, by where they begin; equal ones in the order of their numbers. */
function rowsInOrder({ start, length }: SymbolRows, removals: readonly Removal[]): Uint32Array {
  const isRemoved = new Uint8Array(length);
  for (const { rows } of removals) for (const row of rows) isRemoved[row] = 1;
  const left = new Uint32Array(length);
  const keys = new Float64Array(length);
  let count = 0;
  let furthest = 0;
  for (let row = 0; row < length; row++) {
    if (isRemoved[row] === 1) continue;
    left[count] = row;
    keys[count++] = start[row] * length + row;
    furthest = Math.max(furthest, Math.abs(start[row]));
  }
  const order = left.subarray(0, count);
  // numbers are sorted ten times as fast as by a function
  if ((furthest + 1) * length > Number.MAX_SAFE_INTEGER) return order.sort((a, b) => start[a] - start[b] || a - b);
  keys.subarray(0, count).sort();
  for (let at = 0; at < count; at++) order[at] = keys[at] - Math.floor(keys[at] / length) * length;
  return order;
}

/** Finds the row that holds an offset. */
class RowFinder {
  private readonly order: Uint32Array;
  /** By place in the order: the furthest end of the rows up to there. */
  private readonly reach: Float64Array;
  private tree: OrderedRows | null = null;

  constructor(
    private readonly rows: SymbolRows,
    private readonly removals: readonly Removal[],
  ) {
    this.order = rowsInOrder(rows, removals);
    this.reach = new Float64Array(this.order.length);
    let furthest = 0;
    this.order.forEach((row, at) => {
      this.reach[at] = furthest = Math.max(furthest, rows.end[row]);
    });
  }

  /** Returns NONE if no row holds it. The end of a row is exclusive, unless the row is empty. */
  find(offset: number): number {
    const { start, end } = this.rows;
    const at = firstThat(0, this.order.length, (row) => start[this.order[row]] > offset) - 1;
    if (at < 0) return NONE;
    const [row, before] = [this.order[at], this.order[at - 1]];
    const isOneOfSeveral = at > 0 && (this.reach[at - 1] > offset || start[before] === start[row]);
    if (isOneOfSeveral) return findRow((this.tree ??= this.treeOfPerf()), end, offset);
    return offset < end[row] || (offset === start[row] && offset === end[row]) ? row : NONE;
  }

  /** Of rows that overlap, perf finds the one that is higher in its tree. */
  private treeOfPerf(): OrderedRows {
    const tree = new OrderedRows(this.rows.start);
    let row = 0;
    for (const { length, rows } of this.removals) {
      while (row < length) tree.insert(row++);
      for (const removed of rows) tree.remove(removed);
    }
    while (row < this.rows.length) tree.insert(row++);
    return tree;
  }
}

/** Whether it has `.symtab`; `.dynsym` alone lacks most names. */
export function hasSymbols(elf: ElfFile): boolean {
  const table = tableOfType(elf, SectionType.SymbolTable);
  return countEntries(elf, table, SYMBOL_BYTES) > 1;
}

const PAGE_BYTES = 4096;

/**
 * Gives symbols without a size an end, and keeps one symbol per start.
 *
 * A symbol without a size ends at the next start; the last one at the end of the page after its own.
 */
function setEnds({ start, end }: SymbolRows, order: Uint32Array): void {
  let last = NONE;
  for (const row of order) {
    if (last !== NONE && end[last] === start[last]) end[last] = start[row];
    last = row;
  }
  if (last !== NONE && end[last] === start[last])
    end[last] = Math.ceil(start[last] / PAGE_BYTES) * PAGE_BYTES + PAGE_BYTES;
}

/** Returns the worse one of each two symbols with one start. */
function aliases(rows: SymbolRows, order: Uint32Array): number[] {
  const worse: number[] = [];
  let kept = NONE;
  for (const row of order) {
    const isAlias = kept !== NONE && rows.start[row] === rows.start[kept];
    const best = isAlias ? betterOf(rows, kept, row) : row;
    if (isAlias) worse.push(best === kept ? row : kept);
    kept = best;
  }
  return worse;
}

function betterOf(rows: SymbolRows, first: number, second: number): number {
  const { start, end, binding } = rows;
  const isBetter =
    compare(end[first] > start[first], end[second] > start[second]) ||
    compare(binding[first] !== Binding.Weak, binding[second] !== Binding.Weak) ||
    compare(binding[first] === Binding.Global, binding[second] === Binding.Global) ||
    (rows.hasSameName(first, second) || !rows.mayCompare ? 0 : compareNames(rows.nameOf(first), rows.nameOf(second)));
  return isBetter >= 0 ? first : second;
}

/** Positive if the first is better. */
function compare(first: boolean, second: boolean): number {
  return Number(first) - Number(second);
}

/** Prefers fewer leading underscores, then the longer name. */
function compareNames(first: string, second: string): number {
  return underscoresOf(second) - underscoresOf(first) || first.length - second.length;
}

function underscoresOf(name: string): number {
  let count = 0;
  while (name[count] === '_') count++;
  return count;
}

// Symbols as columns: where they begin and end in the file, and where their names are. A library can have 500,000.

/** Which string table has the name of a row. */
type NameSource = 0 | 1 | 2;
const NameSource = { Symbols: 0, Dynamic: 1, Plt: 2 } as const;

const Binding = { Local: 0, Global: 1, Weak: 2 } as const;

/** In perf's order. */
const TABLES = [
  { type: SectionType.SymbolTable, nameSource: NameSource.Symbols },
  { type: SectionType.DynamicSymbols, nameSource: NameSource.Dynamic },
] as const;

/** Returns null if the name is not mangled. */
export type Demangle = (name: string) => string | null;

const [ONE, TWO, LETTER_C, LETTER_D] = [...'12CD'].map((character) => character.charCodeAt(0));

/** Whether a byte of a name and that of another differ only in the variant of a constructor or destructor. */
function isVariant(name: Uint8Array, at: number, otherByte: number): boolean {
  const isNumber = (byte: number) => byte === ONE || byte === TWO;
  return (name[at - 1] === LETTER_C || name[at - 1] === LETTER_D) && isNumber(name[at]) && isNumber(otherByte);
}

/** How often each name may be read, on average. */
const NAME_USES = 4;
const MIN_NAME_BUDGET = 2 ** 20;

class SymbolRows {
  length = 0;
  readonly start: Float64Array; // offset in the file
  readonly end: Float64Array; // exclusive
  readonly nameAt: Uint32Array;
  readonly nameSource: Uint8Array;
  readonly binding: Uint8Array;
  private readonly names: [Uint8Array, Uint8Array, Uint8Array];
  /** Names as they are printed, by source, then by offset: symbols may share them. */
  private readonly known = [0, 1, 2].map(() => new Map<number, string>());
  /** Bytes of names that may still be compared or demangled; each name is, a few times at most. */
  private budget = MIN_NAME_BUDGET;

  constructor(
    capacity: number,
    private readonly demangle: Demangle,
  ) {
    this.start = new Float64Array(capacity);
    this.end = new Float64Array(capacity);
    this.nameAt = new Uint32Array(capacity);
    this.nameSource = new Uint8Array(capacity);
    this.binding = new Uint8Array(capacity);
    this.names = [new Uint8Array(0), new Uint8Array(0), new Uint8Array(0)];
  }

  /** Sets the string table for names of a source. */
  setNames(source: NameSource, bytes: Uint8Array): void {
    this.names[source] = bytes;
    this.known[source].clear();
    this.budget += NAME_USES * bytes.length;
  }

  /** If the columns are full, nothing is added. */
  add(start: number, bytes: number, nameAt: number, nameSource: NameSource, binding: number): void {
    if (this.length === this.start.length) return;
    const row = this.length++;
    this.start[row] = start;
    this.end[row] = start + bytes;
    this.nameAt[row] = nameAt;
    this.nameSource[row] = nameSource;
    this.binding[row] = binding;
  }

  /**
   * Whether two names are equal, also if only demangling shows it: `C1` and `C2` are one constructor, `D1` and `D2` one
   * destructor. Most aliases are such, or symbols that `.symtab` and `.dynsym` both have.
   */
  hasSameName(one: number, other: number): boolean {
    const oneBytes = this.names[this.nameSource[one]];
    const otherBytes = this.names[this.nameSource[other]];
    const distance = this.nameAt[other] - this.nameAt[one];
    const start = this.nameAt[one];
    if (distance === 0 && oneBytes === otherBytes) return true;
    const end = start + this.budget;
    for (let at = start; at < end; at++) {
      const byte = oneBytes[at];
      const other = otherBytes[at + distance];
      const isEqual = byte === other || isVariant(oneBytes, at, other);
      if (isEqual && byte !== undefined && byte !== 0) continue;
      this.budget -= at + 1 - start;
      return isEqual;
    }
    this.budget = -1;
    return false;
  }

  /** Returns the name as perf prints it. */
  nameOf(row: number): string {
    const source = this.nameSource[row];
    const known = this.known[source];
    const at = this.nameAt[row];
    let name = known.get(at);
    if (name === undefined) known.set(at, (name = this.readName(source, at)));
    return name;
  }

  /** Whether names can still be compared: symbols without number may share long names in part. */
  get mayCompare(): boolean {
    return this.budget > 0;
  }

  private readName(source: number, at: number): string {
    const raw = tableName(this.names[source], at);
    this.budget -= raw.length;
    const isMangled = raw.length <= MAX_NAME_BYTES && this.budget > 0;
    const name = cutName((isMangled ? this.demangle(raw) : null) ?? raw, at);
    return source === NameSource.Plt ? `${name}@plt` : name;
  }
}

/** Adds the symbols of an ELF table that perf uses, in order. */
export const SYMBOL_BYTES = 24;

const SymbolType = { Untyped: 0, Object: 1, Function: 2, IndirectFunction: 10 } as const;
const HIDDEN = 2;
const INTERNAL = 1;
/** Section numbers with a special meaning. */
const UNDEFINED = 0;
const ABSOLUTE = 0xfff1;

/** Which symbols of a section perf uses: functions and objects in all of them, labels only in code and data. */
const Uses = { Nothing: 0, Typed: 1, Labels: 2 } as const;

/** perf stops at the first symbol whose section is not in the file, and keeps the symbols before it. */
type TableState = 'complete' | 'broken';

/** `runtime` is the file that ran, `elf` the one with the symbols. */
function addSymbols(
  rows: SymbolRows,
  elf: ElfFile,
  runtime: ElfFile,
  table: ElfSection,
  nameSource: NameSource,
): TableState {
  rows.setNames(nameSource, bytesOf(elf, elf.sections[table.link]));
  const symbols = viewOf(bytesOf(elf, table));
  const uses = runtime.sections.map(usesOf);
  const fileOffsetOf = fileOffsets(runtime);
  for (let at = 0; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
    const section = symbols.getUint16(at + 6, true);
    const needs = needsOf(symbols, at);
    if (needs === Uses.Nothing || section === UNDEFINED || section === ABSOLUTE) continue;
    if (section >= uses.length) return 'broken';
    if (uses[section] < needs) continue;
    const start = fileOffsetOf(wordAt(symbols, at + 8), section);
    const binding = symbols.getUint8(at + 4) >> 4;
    rows.add(start, wordAt(symbols, at + 16), symbols.getUint32(at, true), nameSource, binding);
  }
  return 'complete';
}

function usesOf({ name, isAllocated }: ElfSection, index: number): number {
  if (index === 0) return Uses.Nothing;
  if (name.includes('text') || name.includes('data')) return isAllocated ? Uses.Labels : Uses.Nothing;
  return isAllocated ? Uses.Typed : Uses.Nothing;
}

/** Returns which use of its section a symbol requires; nothing if perf never uses it. */
function needsOf(symbols: DataView, at: number): number {
  if (symbols.getUint32(at, true) === 0) return Uses.Nothing; // no name
  const type = symbols.getUint8(at + 4) & 0xf;
  if (type === SymbolType.Function || type === SymbolType.IndirectFunction || type === SymbolType.Object)
    return Uses.Typed;
  const visibility = symbols.getUint8(at + 5) & 3;
  const isVisible = visibility !== HIDDEN && visibility !== INTERNAL;
  return type === SymbolType.Untyped && isVisible ? Uses.Labels : Uses.Nothing;
}

/** Converts by the segment that holds the address, otherwise by the section of the symbol. */
function fileOffsets(elf: ElfFile): (address: number, section: number) => number {
  const { sections } = elf;
  const loaded = loadedSegments(elf);
  return (address, section) => {
    for (const segment of loaded)
      if (address >= segment.address && address < segment.address + segment.memoryLength)
        return address - segment.address + segment.offset;
    const { address: sectionAddress, offset } = sections[section];
    return address - sectionAddress + offset;
  };
}

// Names the slots of the PLT, the calls into other libraries, after the functions that they call.

/**
 * `perf-6.1`: the slots of `.plt` alone, and a symbol without a size before them, usually `_init`, hides the first ones.
 * `all`: the slots of `.plt.sec` and `.plt.got`, too, as newer versions of perf do. If there is a `.plt.sec`, code calls only that.
 */
export type PltNames = 'perf-6.1' | 'all';

const RELOCATION_BYTES = 24;
const ENTRY_BYTES = 16;
const SHORT_ENTRY_BYTES = 8;
/** Sections of slots that only jump to the address in a word. */
const OTHER_SLOTS = ['.plt.sec', '.plt.got'];

function addPlt(rows: SymbolRows, elf: ElfFile, style: PltNames): void {
  const dynamic = tableOfType(elf, SectionType.DynamicSymbols);
  if (dynamic === null) return;
  const symbols = viewOf(bytesOf(elf, dynamic));
  const names = bytesOf(elf, elf.sections[dynamic.link]);
  rows.setNames(NameSource.Plt, names);
  const add = (at: number, bytes: number, symbol: number) => {
    const entry = symbol * SYMBOL_BYTES;
    const nameAt = entry + SYMBOL_BYTES <= symbols.byteLength ? symbols.getUint32(entry, true) : names.length;
    rows.add(at, bytes, nameAt, NameSource.Plt, Binding.Global);
  };
  addMainSlots(elf, add);
  if (style === 'all') addOtherSlots(elf, add);
}

/** Returns the maximum number of rows. */
function pltCapacity(elf: ElfFile): number {
  const slots = OTHER_SLOTS.map((name) => countEntries(elf, sectionNamed(elf, name), SHORT_ENTRY_BYTES));
  return slots.reduce((sum, count) => sum + count, countEntries(elf, sectionNamed(elf, '.rela.plt'), RELOCATION_BYTES));
}

type AddEntry = (at: number, bytes: number, symbol: number) => void;

/** Names slots in the order of the relocations, from the second one on. */
function addMainSlots(elf: ElfFile, add: AddEntry): void {
  const plt = sectionNamed(elf, '.plt');
  if (plt === null) return;
  const bytes = plt.entryBytes > 0 && plt.entryBytes <= plt.length ? plt.entryBytes : ENTRY_BYTES;
  let at = plt.offset;
  eachRelocation(elf, '.rela.plt', (_, symbol) => add((at += bytes), bytes, symbol));
}

interface Slot {
  readonly offset: number;
  readonly bytes: number;
  /** The address of the word that has the address of the function. */
  readonly word: Address;
}

/** The relocation of a slot's word has the name. A library can have many more relocations than slots. */
function addOtherSlots(elf: ElfFile, add: AddEntry): void {
  const slots = OTHER_SLOTS.flatMap((name) => slotsIn(elf, name));
  if (slots.length === 0) return;
  const symbolOf = new Map(slots.map(({ word }) => [word, 0]));
  for (const table of ['.rela.dyn', '.rela.plt'])
    eachRelocation(elf, table, (word, symbol) => {
      if (symbol !== 0 && symbolOf.has(word)) symbolOf.set(word, symbol);
    });
  for (const { offset, bytes, word } of slots) {
    const symbol = symbolOf.get(word) ?? 0;
    if (symbol !== 0) add(offset, bytes, symbol);
  }
}

function slotsIn(elf: ElfFile, name: string): Slot[] {
  const section = sectionNamed(elf, name);
  if (section === null) return [];
  const bytes = section.entryBytes === SHORT_ENTRY_BYTES ? SHORT_ENTRY_BYTES : ENTRY_BYTES;
  const code = bytesOf(elf, section);
  const slots: Slot[] = [];
  for (let at = 0; at + bytes <= code.length; at += bytes) {
    const word = wordJumpedBy(code.subarray(at, at + bytes), section.address + at);
    if (!Number.isNaN(word)) slots.push({ offset: section.offset + at, bytes, word });
  }
  return slots;
}

/** Returns the address of the word in `[endbr64] [bnd] jmp *word(%rip)`; NaN for other instructions. */
function wordJumpedBy(code: Uint8Array, address: Address): Address {
  const hasEndbr = code[0] === 0xf3 && code[1] === 0x0f && code[2] === 0x1e && code[3] === 0xfa;
  let at = hasEndbr ? 4 : 0;
  if (code[at] === 0xf2) at++;
  if (code[at] !== 0xff || code[at + 1] !== 0x25 || at + 6 > code.length) return Number.NaN;
  return address + at + 6 + viewOf(code).getInt32(at + 2, true);
}

/** A relocation has the address of a word, and the dynamic symbol whose address the word gets. */
function eachRelocation(elf: ElfFile, table: string, each: (word: Address, symbol: number) => void): void {
  const view = viewOf(bytesOf(elf, sectionNamed(elf, table)));
  for (let at = 0; at + RELOCATION_BYTES <= view.byteLength; at += RELOCATION_BYTES)
    each(wordAt(view, at), view.getUint32(at + 12, true));
}
