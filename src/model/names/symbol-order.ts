/**
 * Symbols by what people read: by name, then by the name of the file. Ids depend on what was read first.
 */

import { NONE, type SymbolId } from '../units.js';
import type { SymbolTable } from './symbol-table.js';
import { compareUtf8 } from './utf8-order.js';

/** A symbol without a file stands before those that have one; NONE before all. */
export function compareSymbols(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  if (a === b || a === NONE || b === NONE) return a === b ? 0 : a === NONE ? -1 : 1;
  const [dsoA, dsoB] = [dsoOf(symbols, a), dsoOf(symbols, b)];
  return (
    compareUtf8(symbols.name[a], symbols.name[b]) ||
    Number(dsoA !== null) - Number(dsoB !== null) ||
    compareUtf8(dsoA ?? '', dsoB ?? '')
  );
}

/** Of each symbol its place among all. */
export function symbolRanks(symbols: SymbolTable): Int32Array {
  const order = symbols.name.map((_, row): SymbolId => row).sort((a, b) => compareSymbols(symbols, a, b));
  const rank = new Int32Array(symbols.length);
  order.forEach((row, place) => {
    rank[row] = place;
  });
  return rank;
}

/** The name of the file that a symbol is in; null if it is not known. */
export function dsoOf({ dso, dsoName }: SymbolTable, row: SymbolId): string | null {
  return dsoName[dso[row]] ?? null;
}
