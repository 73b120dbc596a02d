/**
 * A binary and the file that has its symbols → for any offset in the binary, the symbol that perf prints.
 */
import { NONE } from '../../model/units.js';
import { countEntries, type ElfFile, type ElfSection, SectionType } from '../elf/elf-file.js';
import { findRow } from './find-row.js';
import { OrderedRows } from './ordered-rows.js';
import { type PltNames, pltCapacity, takePlt } from './plt.js';
import { dropAliases, setEnds } from './settle.js';
import { type Demangle, NameSource, SymbolRows } from './symbol-rows.js';
import { SYMBOL_BYTES, takeSymbols } from './taken-symbols.js';

export interface FoundSymbol {
  readonly name: string;
  readonly start: number; // offset in the file
  readonly end: number; // the first offset behind it
}

export interface SymbolTable {
  readonly length: number;
  /** null where no symbol is. */
  find(offset: number): FoundSymbol | null;
}

export interface TableOptions {
  readonly demangle: Demangle;
  readonly pltNames: PltNames;
}

/** More are not read: the largest programs have a quarter of it. */
const MAX_SYMBOLS = 5_000_000;

/** In the order in which perf reads them. */
const TABLES = [
  { type: SectionType.SymbolTable, nameSource: NameSource.Symbols },
  { type: SectionType.DynamicSymbols, nameSource: NameSource.Dynamic },
] as const;

/** `symbols` may be `runtime` itself. */
export function buildSymbolTable(symbols: ElfFile, runtime: ElfFile, options: TableOptions): SymbolTable {
  const counts = TABLES.map(({ type }) => countEntries(symbols, tableOf(symbols, type), SYMBOL_BYTES));
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

/** A broken table is the last thing that perf reads, and is not settled; the PLT only of what has symbols. */
function fill(rows: SymbolRows, order: OrderedRows, symbols: ElfFile, runtime: ElfFile, pltNames: PltNames): void {
  const insert = (row: number) => {
    if (row !== NONE) order.insert(row);
  };
  for (const { type, nameSource } of TABLES) {
    const table = tableOf(symbols, type);
    if (table === undefined) continue;
    if (takeSymbols(rows, symbols, runtime, table, nameSource, insert) === 'broken') return;
    setEnds(rows, order);
    dropAliases(rows, order);
  }
  if (rows.length > 0) takePlt(rows, runtime, pltNames, insert);
}

/** With `.symtab`; what has only `.dynsym` has lost most of its names. */
export function hasSymbols(elf: ElfFile): boolean {
  const table = tableOf(elf, SectionType.SymbolTable);
  return countEntries(elf, table, SYMBOL_BYTES) > 1;
}

function tableOf(elf: ElfFile, wanted: number): ElfSection | undefined {
  return elf.sections.find(({ type }) => type === wanted);
}
