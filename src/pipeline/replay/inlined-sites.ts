/**
 * Finds the functions that compilers inlined where the events of a trace come from, and gives them symbols.
 */
import { dsoOf, INLINED_SUFFIX, SymbolKind, type SymbolTable, withSymbols } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites } from '../../model/trace/branch-sites.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import { type Address, type FunctionId, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import type { FunctionIds } from '../../replay/functions/function-ids.js';
import type { InlinedCode } from '../../replay/functions/site-facts.js';
import { fileOffsets } from '../../trace/records/mappings.js';

/**
 * Returns the names of the functions inlined at each place in the code of a binary, outermost first; empty where there are none,
 * or where they are unknown. Offsets: of the place, and of the first byte of its function, in the file.
 */
export type FindInlined = (
  file: string,
  code: readonly {
    readonly offset: number;
    readonly fn: { readonly name: string; readonly offset: number };
  }[],
) => readonly (readonly string[])[];

/** The code that some sites come from. */
interface Place {
  readonly address: Address;
  readonly fn: FunctionId;
  readonly sites: SiteId[];
}

interface Found {
  readonly symbols: SymbolTable;
  /** null: nothing was inlined, or that is unknown. */
  readonly code: InlinedCode | null;
}

/** Also returns a symbol table with the inlined functions: `g (inlined)`. `find`: null if they are not requested. */
export function withInlined(
  symbols: SymbolTable,
  ids: FunctionIds,
  sites: BranchSites,
  mappings: readonly Mapping[],
  find: FindInlined | null,
): Found {
  if (find === null) return { symbols, code: null };
  const places = placesOf(symbols, ids, sites);
  const chains = findChains(symbols, ids, mappings, places, find);
  // many places have the same chain, and many chains the same names, which may be long
  const named: { readonly name: string; readonly dso: string | null }[] = [];
  const rowsOf = new Map<string | null, Map<string, number>>();
  const startsOf = new Map<string | null, Map<readonly string[], number>>();
  const links: number[] = [];
  const chain = new Int32Array(sites.length).fill(NONE);
  places.forEach(({ fn, sites: own }, place) => {
    const names = chains[place] as readonly string[];
    if (names.length === 0) return;
    const dso = dsoOf(symbols, ids.symbol[fn] as SymbolId);
    const starts = entryOf(startsOf, dso);
    let start = starts.get(names);
    if (start === undefined) {
      starts.set(names, (start = links.length));
      const rows = entryOf(rowsOf, dso);
      for (const name of names) {
        let row = rows.get(name);
        if (row === undefined) {
          rows.set(name, (row = named.length));
          named.push({ name: name + INLINED_SUFFIX, dso });
        }
        links.push(row);
      }
      links.push(NONE);
    }
    for (const site of own) chain[site] = start;
  });
  if (named.length === 0) return { symbols, code: null };
  const added = withSymbols(symbols, named, SymbolKind.Inlined);
  const isInlined = new Uint8Array(added.table.length);
  for (const symbol of added.rows) isInlined[symbol] = 1;
  const linked = Int32Array.from(links, (row) => (row === NONE ? NONE : (added.rows[row] as SymbolId)));
  return { symbols: added.table, code: { chain, symbols: linked, isInlined } };
}

function entryOf<Key, Value>(map: Map<string | null, Map<Key, Value>>, dso: string | null): Map<Key, Value> {
  let own = map.get(dso);
  if (own === undefined) map.set(dso, (own = new Map()));
  return own;
}

/** Where calls and jumps come from, and where the trace stopped, in functions whose first byte is known. */
function placesOf({ kind }: SymbolTable, { symbol, start, from }: FunctionIds, sites: BranchSites): Place[] {
  const known = new Map<FunctionId, Map<Address, Place>>();
  const places: Place[] = [];
  for (let site = 0; site < sites.length; site++) {
    const fn = from[site] as FunctionId;
    if (fn === NONE || sites.kind[site] === BranchKind.Return) continue;
    if (kind[symbol[fn] as SymbolId] !== SymbolKind.Function || Number.isNaN(start[fn])) continue;
    let ofFunction = known.get(fn);
    if (ofFunction === undefined) known.set(fn, (ofFunction = new Map()));
    const address = sites.from[site] as Address;
    let place = ofFunction.get(address);
    if (place === undefined) ofFunction.set(address, (place = { address, fn, sites: [] }));
    if (place.sites.push(site) === 1) places.push(place);
  }
  return places;
}

/** Returns the names at each place. */
function findChains(
  symbols: SymbolTable,
  { symbol, start }: FunctionIds,
  mappings: readonly Mapping[],
  places: readonly Place[],
  find: FindInlined,
): (readonly string[])[] {
  const fileOf = (fn: FunctionId) => dsoOf(symbols, symbol[fn] as SymbolId);
  const located = fileOffsets(
    mappings,
    places.map(({ address, fn }) => ({ address, file: fileOf(fn) })),
  );
  const rowsOf = new Map<string, number[]>();
  located.forEach((location, row) => {
    if (location === null || !location.file.startsWith('/')) return;
    const rows = rowsOf.get(location.file);
    if (rows === undefined) rowsOf.set(location.file, [row]);
    else rows.push(row);
  });
  const chains = new Array<readonly string[]>(places.length).fill([]);
  for (const [file, rows] of rowsOf) {
    const code = rows.map((row) => {
      const { address, fn } = places[row] as Place;
      const offset = located[row]?.offset ?? 0;
      const name = symbols.name[symbol[fn] as SymbolId] as string;
      return { offset, fn: { name, offset: offset - (address - (start[fn] as Address)) } };
    });
    find(file, code).forEach((chain, at) => {
      chains[rows[at]] = chain;
    });
  }
  return chains;
}
