/**
 * The table of functions → symbols, and which of them has which hash.
 */
import { rowNumbers } from '../../model/columns.js';
import { SymbolKind, type SymbolTable, SymbolTableBuilder, symbolLines } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import type { Fleet } from '../open-fleet.js';
import { HashRows, hashWords } from './hash-rows.js';

export interface FleetSymbols {
  readonly table: SymbolTable;
  /** Returns the symbol of each hash of a function; NONE of one that is not in the table, which only a damaged file has. */
  symbolsOf(functions: BigInt64Array): Int32Array;
}

const KINDS: Readonly<Record<string, SymbolKind>> = {
  unknown: SymbolKind.Unknown,
  stop: SymbolKind.Synthetic,
  inlined: SymbolKind.Inlined,
};

export async function readSymbols({ engine }: Fleet): Promise<FleetSymbols> {
  const [functions, names, files, kinds, sources, sourceLines] = (await engine.columns(`
    SELECT f.function, min(f.name), min(f.file), min(f.kind), min(f.source_file), min(f.source_line)
    FROM functions AS f GROUP BY f.function ORDER BY f.function`)) as [
    BigInt64Array,
    string[],
    (string | null)[],
    string[],
    (string | null)[],
    (number | null)[],
  ];
  const builder = new SymbolTableBuilder();
  const specials = new Map(builder.build().name.map((name, row) => [name, row]));
  const lines: ({ file: string; line: number } | null)[] = [];
  const symbols = Int32Array.from(names, (name, at): SymbolId => {
    const [file, kind] = [files[at] ?? null, KINDS[kinds[at] as string]];
    const special = file === null && kind !== undefined ? specials.get(name) : undefined;
    const symbol = special ?? builder.intern(name, file, kind ?? SymbolKind.Function);
    const [source, line] = [sources[at] ?? null, sourceLines[at] ?? null];
    if (source !== null && line !== null) lines[symbol] = { file: source, line };
    return symbol;
  });
  const table = builder.build();
  const known = symbolLines(Array.from(table.name, (_, row) => lines[row] ?? null));
  return { table: known ? { ...table, lines: known } : table, symbolsOf: finder(functions, symbols) };
}

function finder(functions: BigInt64Array, symbols: Int32Array): FleetSymbols['symbolsOf'] {
  const known = new HashRows(hashWords(functions), rowNumbers(functions.length));
  return (hashes) => {
    const words = hashWords(hashes);
    return new Int32Array(hashes.length).map((_, at) => {
      const row = known.find(words, at);
      return row === NONE ? NONE : symbols[row];
    });
  };
}
