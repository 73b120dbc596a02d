/**
 * Names functions for display, with the file if another file has a function of the same name.
 */

import type { SymbolTable } from '../model/symbol-table.js';
import { dsoOf, filesBehindNames } from '../model/symbol-table.js';
import type { SymbolId } from '../model/units.js';
import { visibleText } from './visible-text.js';

/** Returns the names by symbol. `used`: the functions that are shown; null: all. */
export function frameNames(symbols: SymbolTable, used: ReadonlySet<SymbolId> | null = null): readonly string[] {
  const rows = symbols.name.map((_, row) => row).filter((row) => used === null || used.has(row));
  const named = rows.map((row) => ({ name: symbols.name[row] as string, dso: dsoOf(symbols, row) }));
  const suffixes = filesBehindNames(named);
  const names = symbols.name.map(visibleText);
  rows.forEach((row, at) => {
    names[row] += visibleText(suffixes[at] as string);
  });
  return names;
}
