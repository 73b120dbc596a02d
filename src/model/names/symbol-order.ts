/**
 * Orders symbols by name, then by file name, because ids depend on the order of reading.
 */
import { NONE, type SymbolId } from '../units.js';
import type { SymbolTable } from './symbol-table.js';
import { compareUtf8 } from './utf8-order.js';

/** Symbols without a file precede those with one; NONE precedes all. */
export function compareSymbols(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  if (a === b || a === NONE || b === NONE) return a === b ? 0 : a === NONE ? -1 : 1;
  return compareUtf8(symbols.name[a] as string, symbols.name[b] as string) || compareFiles(symbols, a, b);
}

function compareFiles(symbols: SymbolTable, a: SymbolId, b: SymbolId): number {
  const [dsoA, dsoB] = [dsoOf(symbols, a), dsoOf(symbols, b)];
  return Number(dsoA !== null) - Number(dsoB !== null) || compareUtf8(dsoA ?? '', dsoB ?? '');
}

const KNOWN_RANKS = new WeakMap<SymbolTable, Int32Array>();

/** Returns the rank of each symbol. */
export function symbolRanks(symbols: SymbolTable): Int32Array {
  const known = KNOWN_RANKS.get(symbols);
  if (known !== undefined) return known;
  const order = symbols.name.map((_, row): SymbolId => row).sort((a, b) => compareSymbols(symbols, a, b));
  const rank = inverse(order);
  KNOWN_RANKS.set(symbols, rank);
  return rank;
}

/** Returns the position of each number in an order. */
export function inverse(order: ArrayLike<number>): Int32Array {
  const positions = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) positions[order[at]] = at;
  return positions;
}

/** Returns the file of a symbol; null if unknown. */
export function dsoOf({ dso, dsoName }: SymbolTable, row: SymbolId): string | null {
  return dsoName[dso[row]] ?? null;
}
