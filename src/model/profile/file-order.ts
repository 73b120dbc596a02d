/**
 * Numbers symbols and nodes of a profile in the order of its file: by name, independent of the order in the trace.
 */
import { ROOT } from '../calls/call-tree.js';
import type { FunctionDurations } from '../calls/durations.js';
import {
  compareUtf8,
  dsoOf,
  inverse,
  lineOf,
  SpecialSymbol,
  type SymbolKind,
  type SymbolTable,
  symbolLines,
  symbolRanks,
} from '../symbol-table.js';
import { NONE, type SymbolId } from '../units.js';
import type { Profile, ThreadProfile } from './profile.js';

export interface SymbolOrder {
  /** The file's table: the special symbols, then those that a tree or durations use. */
  readonly table: SymbolTable;
  /** Row in the file, by row in the profile's table. */
  readonly rankOf: Int32Array;
}

/** Orders symbols by name, then by the name of their binary. `alsoUsed`: those that are used beside trees and durations. */
export function symbolOrder({ symbols, threads }: Profile, alsoUsed: Iterable<SymbolId> = []): SymbolOrder {
  const specials: readonly SymbolId[] = Object.values(SpecialSymbol);
  const isUsed = new Uint8Array(symbols.length);
  for (const thread of threads) markUsed(thread, isUsed);
  for (const row of alsoUsed) isUsed[row] = 1;
  for (const row of specials) isUsed[row] = 0;
  const others = Array.from(inverse(symbolRanks(symbols))).filter((row) => isUsed[row] === 1);
  const rows = [...specials, ...others];
  const rankOf = new Int32Array(symbols.length).fill(NONE);
  rows.forEach((row, rank) => {
    rankOf[row] = rank;
  });
  return { table: tableOf(symbols, rows), rankOf };
}

function markUsed({ tree, durations }: ThreadProfile, isUsed: Uint8Array): void {
  for (let node = ROOT + 1; node < tree.length; node++) isUsed[tree.symbol[node]] = 1;
  if (durations) for (let row = 0; row < durations.length; row++) isUsed[durations.symbol[row]] = 1;
}

/** Returns these rows of a table, and the names of their binaries. */
function tableOf(symbols: SymbolTable, rows: readonly SymbolId[]): SymbolTable {
  const dsos = rows.map((row) => dsoOf(symbols, row));
  const dsoName = [...new Set(dsos.filter((dso) => dso !== null))].sort(compareUtf8);
  const rowOfDso = new Map<string | null, number>([[null, NONE], ...dsoName.map((name, row) => [name, row] as const)]);
  return {
    length: rows.length,
    name: rows.map((row) => symbols.name[row]),
    kind: rows.map((row) => symbols.kind[row] as SymbolKind),
    dso: dsos.map((dso) => rowOfDso.get(dso) as number),
    dsoName,
    ...(symbols.lines && { lines: symbolLines(rows.map((row) => lineOf(symbols, row))) }),
  };
}

/** Returns the durations by symbol as numbered by `rankOf`: in a file, or in another table. */
export function orderedDurations(
  { length, symbol, bucket, calls }: FunctionDurations,
  rankOf: Int32Array,
): FunctionDurations {
  const ordered = {
    length,
    symbol: new Int32Array(length),
    bucket: new Int32Array(length),
    calls: new Float64Array(length),
  };
  let to = 0;
  for (const start of runsByRank(symbol, rankOf))
    for (let row = start; row < length && symbol[row] === symbol[start]; row++, to++) {
      ordered.symbol[to] = rankOf[symbol[row]];
      ordered.bucket[to] = bucket[row];
      ordered.calls[to] = calls[row];
    }
  return ordered;
}

/** Sort keys are exact up to 2^26 ranks and 2^27 rows. */
const ROWS = 2 ** 27;

/** Returns the first row of each symbol. */
function runsByRank(symbol: Int32Array, rankOf: Int32Array): Float64Array {
  const keys: number[] = [];
  for (let row = 0; row < symbol.length; row++)
    if (row === 0 || symbol[row] !== symbol[row - 1]) keys.push(rankOf[symbol[row]] * ROWS + row);
  return Float64Array.from(keys)
    .sort()
    .map((key) => key % ROWS);
}
