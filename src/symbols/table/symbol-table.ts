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

/** More are not read: the largest programs have a tenth of it. */
const MAX_SYMBOLS = 20_000_000;

/** `symbols` may be `runtime` itself. Its `.symtab` comes first, then `.dynsym`. */
export function buildSymbolTable(symbols: ElfFile, runtime: ElfFile, options: TableOptions): SymbolTable {
  const tables = [
    { table: tableOf(symbols, SectionType.SymbolTable), nameSource: NameSource.Symbols },
    { table: tableOf(symbols, SectionType.DynamicSymbols), nameSource: NameSource.Dynamic },
  ];
  const capacity = tables.reduce(
    (sum, { table }) => sum + countEntries(symbols, table, SYMBOL_BYTES),
    pltCapacity(runtime),
  );
  const rows = new SymbolRows(Math.min(capacity, MAX_SYMBOLS), options.demangle);
  const order = new OrderedRows(rows.start);
  const insert = (row: number) => {
    if (row !== NONE) order.insert(row);
  };
  for (const { table, nameSource } of tables) {
    if (table === undefined) continue;
    takeSymbols(rows, symbols, runtime, table, nameSource, insert);
    setEnds(rows, order);
    dropAliases(rows, order);
  }
  // perf looks at the PLT only of what has symbols.
  if (rows.length > 0) takePlt(rows, runtime, options.pltNames, insert);
  return {
    length: rows.length,
    find(offset) {
      const row = findRow(order, rows.end, offset);
      return row === NONE ? null : { name: rows.nameOf(row), start: rows.start[row], end: rows.end[row] };
    },
  };
}

/** With `.symtab`; what has only `.dynsym` has lost most of its names. */
export function hasSymbols(elf: ElfFile): boolean {
  const table = tableOf(elf, SectionType.SymbolTable);
  return countEntries(elf, table, SYMBOL_BYTES) > 1;
}

function tableOf(elf: ElfFile, wanted: number): ElfSection | undefined {
  return elf.sections.find(({ type }) => type === wanted);
}
