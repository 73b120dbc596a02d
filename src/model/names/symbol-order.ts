/**
 * Orders symbols by name, then by file name, because ids depend on the order of reading.
 */
import { NONE, type SymbolId } from '../units.js';
import type { SymbolTable } from './symbol-table.js';
import { compareUtf8 } from './utf8-order.js';

/** Symbols without a file precede those with one; NONE precedes all. */
export function compareSymbols(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  if (a === b || a === NONE || b === NONE) return a === b ? 0 : a === NONE ? -1 : 1;
  const [dsoA, dsoB] = [dsoOf(symbols, a), dsoOf(symbols, b)];
  return (
    compareUtf8(symbols.name[a], symbols.name[b]) ||
    Number(dsoA !== null) - Number(dsoB !== null) ||
    compareUtf8(dsoA ?? '', dsoB ?? '')
  );
}

/** Returns the rank of each symbol. */
export function symbolRanks(symbols: SymbolTable): Int32Array {
  const order = symbols.name.map((_, row): SymbolId => row).sort((a, b) => compareSymbols(symbols, a, b));
  const rank = new Int32Array(symbols.length);
  order.forEach((row, index) => {
    rank[row] = index;
  });
  return rank;
}

/** Returns the file of a symbol; null if unknown. */
export function dsoOf({ dso, dsoName }: SymbolTable, row: SymbolId): string | null {
  return dsoName[dso[row]] ?? null;
}
