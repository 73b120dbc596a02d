/**
 * Names functions: here those without a symbol; below, inlined ones, and the lines where calls are made and where functions begin.
 *
 * A function without a symbol gets a name of its own.
 *
 *     [liblzma.so.5.4.1+0x1a2b0]          offset of its entry in the file: the same in every run, on every machine
 *     [liblzma.so.5.4.1+0x1a000-0x1afff]  code in this page that was never seen to be entered
 *     [liblzma.so.5.4.1 0x7f2c1d01a2b0]   perf printed the file, but its mapping is not known
 *     [unknown 0x7f2c1d01a2b0]            no file is known, or there is none: a JIT compiler generated the code
 */
import type { PlacedCalls } from '../../analysis/log/placed-calls.js';
import { madeAt } from '../../model/calls/call-log.js';
import {
  dsoOf,
  homeOfCode,
  INLINED_SUFFIX,
  type SourceLine,
  SymbolKind,
  type SymbolTable,
  shortFileName,
  symbolLines,
  withSymbols,
} from '../../model/symbol-table.js';
import { BranchKind, type BranchSites } from '../../model/trace/branch-sites.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import { type Address, type FunctionId, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { codeOf, type FunctionIds } from '../../replay/functions/function-ids.js';
import type { InlinedCode, SiteFacts } from '../../replay/functions/site-facts.js';
import { type FileOffset, fileOffsets, type PrintedAddress } from '../../trace/records/mappings.js';

/** `mappings`: of the processes that the functions ran in. Also returns a symbol table that includes the new names. */
export function nameFunctions(
  ids: FunctionIds,
  table: SymbolTable,
  mappings: readonly Mapping[],
): { readonly ids: FunctionIds; readonly symbols: SymbolTable } {
  const nameless = ids.symbol.flatMap((symbol, fn) =>
    table.kind[symbol] === SymbolKind.Unknown && !Number.isNaN(ids.start[fn]) ? [fn] : [],
  );
  const asked = nameless.map((fn) => ({
    address: codeOf(ids.start[fn] as Address).first,
    file: dsoOf(table, ids.symbol[fn] as SymbolId),
  }));
  const mapped = fileOffsets(mappings, asked);
  const names = nameless.map((fn, row) => {
    const { address, file: printed } = asked[row] as PrintedAddress;
    const file = isInFile(printed) ? printed : null;
    const location = printedLocation(file, address, ids.fileStart[fn] as Address) ?? mapped[row] ?? null;
    const name = nameOf(location, file, address, codeOf(ids.start[fn] as Address).bytes);
    return { name, dso: location?.file ?? file };
  });
  const added = withSymbols(table, names, SymbolKind.Unknown);
  const symbol = [...ids.symbol];
  nameless.forEach((fn, row) => {
    symbol[fn] = added.rows[row] as SymbolId;
  });
  return { ids: { ...ids, symbol }, symbols: added.table };
}

/** The kernel counts as a file. */
function isInFile(printed: string | null): boolean {
  const home = homeOfCode(printed);
  return home === 'file' || home === 'kernel';
}

/** The file and offset that perf printed. */
function printedLocation(file: string | null, address: Address, fileStart: Address): FileOffset | null {
  return file === null || Number.isNaN(fileStart) ? null : { file, offset: address - fileStart };
}

/** `bytes`: size of the page that the function stands for; null: the function has an entry. */
function nameOf(location: FileOffset | null, file: string | null, address: Address, bytes: number | null): string {
  const range = (first: number) => hex(first) + (bytes === null ? '' : `-${hex(first + bytes - 1)}`);
  if (location !== null) return `[${bareName(location.file)}+${range(location.offset)}]`;
  return `[${file === null ? 'unknown' : bareName(file)} ${range(address)}]`;
}

function bareName(file: string): string {
  return shortFileName(file).replace(/^\[(.*)\]$/, '$1'); // modules of the kernel
}

/** Addresses in the upper half of the address space are negative here. */
function hex(address: number): string {
  return `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
}

// Finds the functions that compilers inlined where the events of a trace come from, and gives them symbols.

/**
 * Returns what is known of each place in the code of a binary. Offsets: of the place, and of the first byte of its function, in
 * the file.
 */
type FindInCode<Found> = (
  file: string,
  code: readonly {
    readonly offset: number;
    readonly fn: { readonly name: string; readonly offset: number };
  }[],
) => readonly Found[];

/** Returns the names of the functions inlined there, outermost first; empty where there are none, or where they are unknown. */
export type FindInlined = FindInCode<readonly string[]>;
/** Returns the lines of source code; null where unknown. */
export type FindCodeLines = FindInCode<SourceLine | null>;

/** The code that some sites come from. */
interface Place {
  readonly address: Address;
  readonly fn: FunctionId;
}

interface PlaceOfSites extends Place {
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
  const chains = findInCode<readonly string[]>(symbols, ids, mappings, places, find, []);
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
function placesOf({ kind }: SymbolTable, { symbol, start, from }: FunctionIds, sites: BranchSites): PlaceOfSites[] {
  const known = new Map<FunctionId, Map<Address, PlaceOfSites>>();
  const places: PlaceOfSites[] = [];
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

/** Returns what is known of each place; `nothing`: of those that are not in a file. */
function findInCode<Found>(
  symbols: SymbolTable,
  { symbol, start }: { readonly symbol: ArrayLike<SymbolId>; readonly start: ArrayLike<Address> },
  mappings: readonly Mapping[],
  places: readonly Place[],
  find: FindInCode<Found>,
  nothing: Found,
): Found[] {
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
  const all = new Array<Found>(places.length).fill(nothing);
  for (const [file, rows] of rowsOf) {
    const code = rows.map((row) => {
      const { address, fn } = places[row] as Place;
      const offset = located[row]?.offset ?? 0;
      const name = symbols.name[symbol[fn] as SymbolId] as string;
      return { offset, fn: { name, offset: offset - (address - (start[fn] as Address)) } };
    });
    find(file, code).forEach((found, at) => {
      all[rows[at]] = found;
    });
  }
  return all;
}

// Finds the lines of source code that calls are on.

/** The calls of one function to another on one line. */
export interface LineCalls extends Omit<PlacedCalls, 'place'> {
  /** null: not known, or up to the end of the function. */
  readonly line: SourceLine | null;
}

/** Places of the same line are one. */
export function callsByLine(
  placed: readonly PlacedCalls[],
  { from, to, fromFunction, toFunction, functions }: SiteFacts,
  symbols: SymbolTable,
  mappings: readonly Mapping[],
  find: FindCodeLines,
): LineCalls[] {
  const codes = [...new Set(placed.map(({ place }) => place))].flatMap((place) => {
    const { site, isReturn } = madeAt(place);
    const fn = site === NONE ? NONE : isReturn ? toFunction[site] : fromFunction[site];
    if (fn === NONE || Number.isNaN(functions.start[fn])) return [];
    return [{ place, fn, address: isReturn ? to[site] - 1 : from[site] }]; // the call is right before
  });
  const lines = findInCode<SourceLine | null>(symbols, functions, mappings, codes, find, null);
  const lineOf = new Map(codes.map(({ place }, row) => [place, lines[row] ?? null]));
  const rows = new Map<string, LineCalls>();
  for (const { place, ...row } of placed) {
    const line = lineOf.get(place) ?? null;
    const key = `${row.caller} ${row.callee} ${line?.line} ${line?.file}`;
    const known = rows.get(key);
    if (known === undefined) {
      rows.set(key, { ...row, line });
      continue;
    }
    known.calls += row.calls;
    known.inferred += row.inferred;
    known.ns += row.ns;
  }
  return [...rows.values()];
}

// Adds to a symbol table where functions begin in source code, from the debug information of binaries.

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
