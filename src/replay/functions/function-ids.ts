/**
 * Gives every function of a trace an id. Replay distinguishes functions by their start addresses, as names repeat
 * (static functions, templates) and may be missing.
 */

import { countAtOrBelow } from '../../model/columns.js';
import { compareSymbols, SpecialSymbol, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, type FunctionId, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { ColdParts, Trait, traitsOf } from './traits.js';

export interface FunctionIds {
  readonly symbol: readonly SymbolId[];
  /** For a function without a name: its nearest entry, or its page; see `codeOf`. */
  readonly start: readonly Address[];
  /**
   * For a function without a name: the address that the first byte of its file would have, if perf printed it; else
   * NaN.
   */
  readonly fileStart: readonly Address[];
  /** Cold parts that may belong to any of several functions of their name. */
  readonly parts: readonly FunctionId[];
  readonly nameless: FunctionId;
  /** By site: the functions at both ends. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Numbers the functions at both ends of all sites. */
export function numberFunctions(sites: BranchSites, symbols: SymbolTable): FunctionIds {
  const numbering = new Numbering(sites, symbols);
  const nameless = numbering.functionOf(SpecialSymbol.Unknown, Number.NaN, Number.NaN);
  const from = new Int32Array(sites.length);
  const to = new Int32Array(sites.length);
  for (let site = 0; site < sites.length; site++) {
    from[site] = numbering.functionOf(sites.fromSymbol[site], sites.fromStart[site], sites.from[site]);
    to[site] = numbering.functionOf(sites.toSymbol[site], sites.toStart[site], sites.to[site]);
  }
  const { symbol, start, fileStart, parts } = numbering;
  return { symbol, start, fileStart, parts, nameless, from, to };
}

/** Numbers functions by symbol and start, by symbol alone where no offset was printed, or by an inferred start. */
class Numbering {
  readonly symbol: SymbolId[] = [];
  readonly start: Address[] = [];
  readonly fileStart: Address[] = [];
  readonly parts: FunctionId[] = [];
  private readonly byStart = new Map<SymbolId, Map<Address, FunctionId>>();
  /** By symbol: the function looked up last, which is usually its only one; or NONE. */
  private readonly last: Int32Array;
  private readonly coldParts: ColdParts;
  private readonly unknown: UnknownStarts;
  private readonly kind: SymbolTable['kind'];
  private readonly misnamed: MisnamedStubs;

  constructor(sites: BranchSites, symbols: SymbolTable) {
    this.last = new Int32Array(symbols.length).fill(NONE);
    this.coldParts = new ColdParts(sites, symbols);
    this.kind = symbols.kind;
    this.misnamed = new MisnamedStubs(sites, symbols);
    this.unknown = new UnknownStarts(sites, symbols, this.misnamed);
  }

  functionOf(symbol: SymbolId, start: Address, address: Address): FunctionId {
    if (symbol === NONE) return NONE;
    if (this.kind[symbol] === SymbolKind.Unknown) return this.nameless(symbol, start, address);
    if (this.misnamed.has(symbol, start))
      return this.nameless(this.misnamed.namelessSymbolFor(symbol), Number.NaN, address);
    const whole = this.coldParts.functionOf(symbol, start);
    return whole ? this.intern(whole.symbol, whole.start) : this.intern(symbol, start);
  }

  private nameless(symbol: SymbolId, fileStart: Address, address: Address): FunctionId {
    const fn = this.intern(symbol, this.unknown.startOf(address));
    if (isLower(fileStart, this.fileStart[fn] as Address)) this.fileStart[fn] = fileStart;
    return fn;
  }

  private intern(symbol: SymbolId, start: Address): FunctionId {
    const last = this.last[symbol];
    if (last !== NONE && this.start[last] === start) return last;
    let starts = this.byStart.get(symbol);
    if (starts === undefined) this.byStart.set(symbol, (starts = new Map()));
    let fn = starts.get(start);
    if (fn === undefined) {
      fn = this.symbol.push(symbol) - 1;
      this.start.push(start);
      this.fileStart.push(Number.NaN);
      starts.set(start, fn);
      if (this.coldParts.isAmbiguous(symbol, start)) this.parts.push(fn);
    }
    this.last[symbol] = fn;
    return fn;
  }
}

/** A nameless function has at most this size: its entry is not searched for further down. */
export const MAX_NAMELESS_BYTES = 64 * 1024;
const PAGE = 4096;
/**
 * Offset of a start that stands for a whole page, as nothing was seen to enter the function: never equal to an entry.
 */
const IN_PAGE = 0.5;

/**
 * Returns the code of a function without a name, as far as it is known: from its entry on, or the page of its start.
 */
export function codeOf(start: Address): { readonly first: Address; readonly bytes: number | null } {
  return Number.isInteger(start) ? { first: start, bytes: null } : { first: start - IN_PAGE, bytes: PAGE };
}

/** Distinguishes functions without a name by where they are entered. */
class UnknownStarts {
  /** Starts of named functions (with duplicates), and entries of nameless ones, each ascending. */
  private readonly named: Float64Array;
  private readonly entries: Float64Array;

  constructor(sites: BranchSites, symbols: SymbolTable, misnamed: MisnamedStubs) {
    const { kind } = symbols;
    const entries = new Set<Address>();
    for (let site = 0; site < sites.length; site++) {
      const isMisnamed = misnamed.has(sites.toSymbol[site], sites.toStart[site]);
      if (isMisnamed || isEntryOfNameless(sites, site, symbols)) entries.add(sites.to[site]);
      if (leadsToResolver(sites, symbols, site)) entries.add(headOfTable(sites.from[site]));
    }
    this.entries = Float64Array.from(entries).sort();
    this.named = entries.size === 0 ? new Float64Array(0) : startsOf(sites, kind);
  }

  /**
   * Returns the nearest entry at or below the address, if no named function is in between; else the page of the
   * address.
   */
  startOf(address: Address): Address {
    const page = Math.floor(address / PAGE) * PAGE + IN_PAGE;
    const entry = lastAtOrBelow(this.entries, address);
    if (Number.isNaN(entry) || address - entry > MAX_NAMELESS_BYTES) return page;
    return lastAtOrBelow(this.named, address) > entry ? page : entry;
  }
}

function startsOf(sites: BranchSites, kind: SymbolTable['kind']): Float64Array {
  const starts = new Float64Array(2 * sites.length);
  starts.set(sites.fromStart);
  starts.set(sites.toStart, sites.length);
  const symbolOf = (end: number) => (end < sites.length ? sites.fromSymbol[end] : sites.toSymbol[end - sites.length]);
  return starts.filter((start, end) => !Number.isNaN(start) && kind[symbolOf(end)] !== SymbolKind.Unknown).sort();
}

// A jump out of a named function enters another function, or a landing pad in it; a jump within nameless code may be a
// loop.
function isEntryOfNameless(sites: BranchSites, site: SiteId, symbols: SymbolTable): boolean {
  const isNameless = (symbol: SymbolId) => symbols.kind[symbol] === SymbolKind.Unknown;
  if (!isNameless(sites.toSymbol[site]) || sites.to[site] === 0) return false;
  if (isRetpolineCall(sites, site)) return false;
  const kind = sites.kind[site];
  if (kind === BranchKind.Call) return true;
  const from = sites.fromSymbol[site];
  return kind === BranchKind.Jump && !isNameless(from) && (from === NONE || !isUnwinder(symbols, from));
}

/** True if it jumps into the middle of functions. */
function isUnwinder({ kind, name }: SymbolTable, symbol: SymbolId): boolean {
  const traits = traitsOf(kind[symbol] as SymbolKind, name[symbol] as string);
  return (traits & Trait.Unwinder) !== 0 && (traits & (Trait.Stub | Trait.StackSwitcher)) === 0;
}

/** True if nameless code jumps to the resolver of the dynamic linker: then it is in the head of a linkage table. */
function leadsToResolver(sites: BranchSites, { kind, name }: SymbolTable, site: SiteId): boolean {
  const target = sites.toSymbol[site];
  if (sites.kind[site] !== BranchKind.Jump || target === NONE) return false;
  if (kind[sites.fromSymbol[site]] !== SymbolKind.Unknown) return false;
  return (traitsOf(kind[target] as SymbolKind, name[target] as string) & Trait.Resolver) !== 0;
}

/** Returns the last value at or below a limit; NaN if there is none. */
function lastAtOrBelow(ascending: Float64Array, address: Address): Address {
  const count = countAtOrBelow(ascending, address);
  return count === 0 ? Number.NaN : ascending[count - 1];
}

/**
 * Returns which of two functions of one name starts lower. If both have one start, as where only some lines name the
 * file, it is the one whose symbol comes first by name and file. Ids depend on the order of the input, so they decide
 * nothing.
 */
export function lowerFunction(
  a: FunctionId,
  b: FunctionId,
  { start, symbol }: { readonly start: Float64Array; readonly symbol: Int32Array },
  symbols: SymbolTable,
): FunctionId {
  if (b === NONE || isLower(start[a], start[b])) return a;
  if (isLower(start[b], start[a])) return b;
  return compareSymbols(symbols, symbol[a], symbol[b]) < 0 ? a : b;
}

/** Compares addresses; one that was not printed is higher than any other. */
export function isLower(a: Address, b: Address): boolean {
  return a < b || (Number.isNaN(b) && !Number.isNaN(a));
}

/**
 * Finds addresses to which perf gives the name of a stub that they are not part of: `clock@plt+0xffffaaaaaaaab000` is
 * the head of lld's linkage table, `memcpy@plt+0xffffffffff22f000` the vdso. They are treated as nameless.
 */
class MisnamedStubs {
  /** By symbol: 1 if it is the name of a stub. */
  private readonly isStub: Uint8Array;
  private readonly hasOffsets: boolean;

  constructor(
    { fromStart }: BranchSites,
    private readonly symbols: SymbolTable,
  ) {
    const { name, kind } = symbols;
    this.isStub = Uint8Array.from(kind, (own, row) => (traitsOf(own, name[row] as string) & Trait.Stub ? 1 : 0));
    this.hasOffsets = fromStart.some((start) => !Number.isNaN(start));
  }

  /** `start`: where the symbol begins, by the printed offset; NaN if the offset was too large to be plausible. */
  has(symbol: SymbolId, start: Address): boolean {
    return Number.isNaN(start) && this.hasOffsets && this.isStub[symbol] === 1;
  }

  /** Returns the symbol that stands for addresses of the same file where perf finds no symbol. */
  namelessSymbolFor(symbol: SymbolId): SymbolId {
    const { kind, dso } = this.symbols;
    const row = kind.findIndex((own, at) => own === SymbolKind.Unknown && dso[at] === dso[symbol]);
    return row === NONE ? SpecialSymbol.Unknown : row;
  }
}

/** The columns of a `FunctionTable` that are used here. */
interface Functions {
  readonly length: number;
  readonly traits: Uint32Array;
  readonly start: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Slots of `.plt` and its head have 16 bytes each; those of `.plt.got`, which perf shows as functions, have 8. */
const SLOT_BYTES = 16;
/** Maximum distance between used slots of one table: most programs call only some of them. */
const MAX_SLOT_DISTANCE = 4 * SLOT_BYTES;
const MIN_SLOTS = 4;

// Finds stubs of the dynamic linker that have no name: perf 6.1 cannot name the head of a procedure linkage table, nor
// the slots that lld lays out. They are recognized by what they do: they jump on, and do nothing else.

/** Returns where the head of a linkage table begins, if the jump at this address leads from it to a resolver. */
function headOfTable(jump: Address): Address {
  return Math.floor(jump / SLOT_BYTES) * SLOT_BYTES;
}

/** True for the call that begins a retpoline of LLVM or lld: to its own end, one slot further on. */
function isRetpolineCall({ kind, from, to }: BranchSites, site: SiteId): boolean {
  return kind[site] === BranchKind.Call && from[site] % SLOT_BYTES === 0 && to[site] - from[site] === SLOT_BYTES;
}

/** Sets the traits of nameless functions that are such stubs. */
export function markNamelessStubs(sites: BranchSites, functions: Functions): void {
  const { traits, from, to } = functions;
  const has = (trait: number) => (fn: FunctionId) => (traits[fn] & trait) !== 0;
  const mark = (fn: FunctionId, trait: number) => {
    traits[fn] = (traits[fn] | trait) & ~Trait.Unwinder;
  };
  const isNameless = has(Trait.Unknown);
  for (let site = 0; site < sites.length; site++)
    if (isRetpolineCall(sites, site) && from[site] === to[site] && isNameless(from[site]))
      mark(from[site], Trait.Stub | Trait.Retpoline);
  for (const fn of rowsOfSlots(sites, functions)) mark(fn, Trait.Stub);
  const heads = jumpersTo(sites, functions, has(Trait.Resolver));
  for (const fn of heads) mark(fn, Trait.Stub);
  const isHead = (fn: FunctionId) => heads.has(fn) || (isNameless(fn) && has(Trait.Retpoline)(fn));
  for (const fn of jumpersTo(sites, functions, isHead)) mark(fn, Trait.Stub);
}

/** Returns the nameless functions that jump to a matching function. */
function jumpersTo(
  { kind }: BranchSites,
  { traits, from, to }: Functions,
  isMeant: (fn: FunctionId) => boolean,
): Set<FunctionId> {
  const jumpers = new Set<FunctionId>();
  for (let site = 0; site < from.length; site++) {
    if (kind[site] !== BranchKind.Jump || from[site] === NONE || to[site] === NONE || from[site] === to[site]) continue;
    if (traits[from[site]] & Trait.Unknown && isMeant(to[site])) jumpers.add(from[site]);
  }
  return jumpers;
}

/** Returns rows of slots: adjacent nameless functions that only jump, from their first bytes. */
function rowsOfSlots(sites: BranchSites, functions: Functions): FunctionId[] {
  const byStart = namelessByStart(sites, functions);
  const rows: Address[][] = [[]];
  for (const start of [...byStart.keys()].sort((a, b) => a - b)) {
    const row = rows.at(-1) as Address[];
    const last = row.at(-1);
    if (byStart.get(start)?.doesMore || start % SLOT_BYTES !== 0) rows.push([]);
    else if (last === undefined || start - last <= MAX_SLOT_DISTANCE) row.push(start);
    else rows.push([start]);
  }
  return rows.filter(isDense).flatMap((row) => row.flatMap((start) => byStart.get(start)?.functions ?? []));
}

interface Start {
  readonly functions: FunctionId[];
  /** One of them does more than jump. */
  doesMore: boolean;
}

/**
 * Groups nameless functions by start. Where processes map different files at one address, several share it, in no
 * particular order.
 */
function namelessByStart(sites: BranchSites, { length, traits, start, from }: Functions): ReadonlyMap<Address, Start> {
  const doesMore = new Uint8Array(length);
  for (let site = 0; site < sites.length; site++)
    if (from[site] !== NONE && !isJumpOfSlot(sites, start[from[site]], site)) doesMore[from[site]] = 1;
  const starts = new Map<Address, Start>();
  for (let fn = 0; fn < length; fn++) {
    if (!(traits[fn] & Trait.Unknown && Number.isInteger(start[fn]))) continue;
    const found = starts.get(start[fn]) ?? { functions: [], doesMore: false };
    found.functions.push(fn);
    found.doesMore ||= doesMore[fn] === 1;
    starts.set(start[fn], found);
  }
  return starts;
}

/**
 * True if the slots are close together. Short functions that end in a tail call may be adjacent, too, but rarely so
 * close.
 */
function isDense(row: readonly Address[]): boolean {
  const span = (row.at(-1) ?? 0) - (row[0] ?? 0);
  return row.length >= MIN_SLOTS && span <= 2 * SLOT_BYTES * (row.length - 1);
}

// An interrupt may stop it anywhere.
function isJumpOfSlot({ kind, from }: BranchSites, start: Address, site: SiteId): boolean {
  return kind[site] === BranchKind.Async || (kind[site] === BranchKind.Jump && from[site] - start < SLOT_BYTES);
}
