/**
 * Finds the symbol that perf prints for an offset in a binary.
 */
import { NONE } from '../../model/units.js';
import { countEntries, type ElfFile, SectionType, tableOfType } from '../elf-file.js';
import { addSymbols, SYMBOL_BYTES } from './elf-symbols.js';
import { findRow } from './find-row.js';
import { OrderedRows } from './ordered-rows.js';
import { addPlt, type PltNames, pltCapacity } from './plt.js';
import { Binding, type Demangle, NameSource, SymbolRows } from './symbol-rows.js';

export interface FoundSymbol {
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

/** In perf's order. */
const TABLES = [
  { type: SectionType.SymbolTable, nameSource: NameSource.Symbols },
  { type: SectionType.DynamicSymbols, nameSource: NameSource.Dynamic },
] as const;

/** `symbols`: the file with the symbols; `runtime`: the binary that ran, which may be the same. */
export function buildSymbolTable(symbols: ElfFile, runtime: ElfFile, options: TableOptions): SymbolTable {
  const counts = TABLES.map(({ type }) => countEntries(symbols, tableOfType(symbols, type), SYMBOL_BYTES));
  const capacity = counts.reduce((sum, count) => sum + count, pltCapacity(runtime));
  const rows = new SymbolRows(Math.min(capacity, MAX_SYMBOLS), options.demangle);
  const order = new OrderedRows(rows.start);
  fill(rows, order, symbols, runtime, options.pltNames);
  return {
    length: rows.length,
    find(offset) {
      const row = findRow(order, rows.end, offset);
      return row === NONE ? null : { name: rows.nameOf(row), start: rows.start[row], end: rows.end[row] };
    },
  };
}

/** A broken table ends the reading, before sizes and aliases are handled. perf 6.1 names the PLT last, if there are symbols. */
function fill(rows: SymbolRows, order: OrderedRows, symbols: ElfFile, runtime: ElfFile, pltNames: PltNames): void {
  const insert = (row: number) => {
    if (row !== NONE) order.insert(row);
  };
  if (pltNames === 'all') addPlt(rows, runtime, pltNames, insert); // first, so that symbols without a size end there
  for (const { type, nameSource } of TABLES) {
    const table = tableOfType(symbols, type);
    if (table === null) continue;
    if (addSymbols(rows, symbols, runtime, table, nameSource, insert) === 'broken') return;
    setEnds(rows, order);
    dropAliases(rows, order);
  }
  if (pltNames === 'perf-6.1' && rows.length > 0) addPlt(rows, runtime, pltNames, insert);
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
function setEnds({ start, end }: SymbolRows, order: OrderedRows): void {
  let last = NONE;
  for (let row = order.first(); row !== NONE; row = order.next(row)) {
    if (last !== NONE && end[last] === start[last]) end[last] = start[row];
    last = row;
  }
  if (last !== NONE && end[last] === start[last])
    end[last] = Math.ceil(start[last] / PAGE_BYTES) * PAGE_BYTES + PAGE_BYTES;
}

/** Keeps the better one of each two symbols with one start. */
function dropAliases(rows: SymbolRows, order: OrderedRows): void {
  let kept = order.first();
  while (kept !== NONE) {
    const next = order.next(kept);
    if (next === NONE || rows.start[next] !== rows.start[kept]) {
      kept = next;
      continue;
    }
    const best = betterOf(rows, kept, next);
    order.remove(best === kept ? next : kept);
    kept = best;
  }
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
