/**
 * Adds to a symbol table where functions begin in source code, from the debug information of binaries.
 */
import { dsoOf, type SourceLine, SymbolKind, type SymbolTable, symbolLines } from '../../model/symbol-table.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import type { Address, SymbolId } from '../../model/units.js';
import type { FunctionIds } from '../../replay/functions/function-ids.js';
import { fileOffsets } from '../../trace/records/mappings.js';

/** Returns the line at which each of these functions of a binary begins; null where unknown. `offset`: of its code in the file. */
export type FindSourceLines = (
  file: string,
  functions: readonly { readonly name: string; readonly offset: number }[],
) => readonly (SourceLine | null)[];

interface MappedFunction {
  readonly symbol: SymbolId;
  readonly name: string;
  readonly offset: number;
}

/** Symbols that stand for functions at different lines have none. */
export function withSourceLines(
  symbols: SymbolTable,
  ids: FunctionIds,
  mappings: readonly Mapping[],
  findLines: FindSourceLines,
): SymbolTable {
  const found = new Map<SymbolId, SourceLine | null>();
  for (const [file, functions] of byFile(symbols, ids, mappings))
    findLines(file, functions).forEach((line, row) => {
      const { symbol } = functions[row] as MappedFunction;
      const known = found.get(symbol);
      found.set(symbol, known === undefined || isSame(known, line) ? line : null);
    });
  const lines = symbolLines(symbols.name.map((_, row) => found.get(row) ?? null));
  return lines ? { ...symbols, lines } : symbols;
}

function isSame(a: SourceLine | null, b: SourceLine | null): boolean {
  return a?.file === b?.file && a?.line === b?.line;
}

/** Returns the named functions in each binary, in the order of their first ones. */
function byFile(
  symbols: SymbolTable,
  { symbol, start }: FunctionIds,
  mappings: readonly Mapping[],
): Map<string, MappedFunction[]> {
  const functions = symbol.flatMap((symbol, fn) =>
    symbols.kind[symbol] === SymbolKind.Function && !Number.isNaN(start[fn])
      ? [{ symbol, address: start[fn] as Address, file: dsoOf(symbols, symbol) }]
      : [],
  );
  const files = new Map<string, MappedFunction[]>();
  fileOffsets(mappings, functions).forEach((location, row) => {
    const { symbol } = functions[row] as (typeof functions)[0];
    if (location === null || !location.file.startsWith('/')) return;
    const others = files.get(location.file);
    const own = { symbol, name: symbols.name[symbol] as string, offset: location.offset };
    if (others === undefined) files.set(location.file, [own]);
    else others.push(own);
  });
  return files;
}
