/**
 * Which function is it? Replay tells functions apart by where they start, for names repeat (static functions,
 * templates) and may be missing.
 */
import { BranchKind, type BranchSites } from '../model/branch-sites.js';
import { SpecialSymbol, type SymbolTable } from '../model/symbol-table.js';
import { type Address, type FunctionId, NONE, type SiteId, type SymbolId } from '../model/units.js';

/** What a function's name says about how it hands on control; addresses decide wherever they can. */
export const Trait = {
  None: 0,
  /** A few instructions that only lead elsewhere: `foo@plt`, a retpoline thunk. */
  Stub: 1,
  /** Finds out where a stub leads, then jumps there. */
  Resolver: 2,
  /** Leaves several frames at once. */
  Unwinder: 4,
  Unknown: 8,
  /** A new thread or process begins its life in it, behind the system call that made it. */
  Birthplace: 16,
} as const;

const STUB = /@plt$|^_init$|^\.plt|^__x86_(?:indirect|return)_thunk/;
const RESOLVER = /^_dl_runtime_resolve/;
const UNWINDER = /longjmp|_Unwind_|__cxa_|setcontext|swapcontext/;
const BIRTHPLACE = /^_*(?:clone3?|v?fork|Fork|arch_fork|clone_internal)$/;
const COLD = /(?: ?\[clone )?\.cold(?:\.\d+)?\]?$/;

export interface FunctionTable {
  readonly length: number;
  readonly symbol: readonly SymbolId[];
  readonly traits: readonly number[]; // Trait, or-ed
  /** For `foo@plt`: the function foo, if the trace ever shows it; else NONE. */
  readonly stubTarget: readonly FunctionId[];
  /** Stands for a function of which not even an address is known. */
  readonly nameless: FunctionId;
  /** Functions of both ends of each site; NONE for address 0. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

export function functionTable(sites: BranchSites, symbols: SymbolTable): FunctionTable {
  const numbering = new Numbering(sites, symbols);
  const nameless = numbering.functionOf(SpecialSymbol.Unknown, Number.NaN, Number.NaN);
  const from = new Int32Array(sites.length);
  const to = new Int32Array(sites.length);
  for (let site = 0; site < sites.length; site++) {
    from[site] = numbering.functionOf(sites.fromSymbol[site], sites.fromStart[site], sites.from[site]);
    to[site] = numbering.functionOf(sites.toSymbol[site], sites.toStart[site], sites.to[site]);
  }
  const { symbol } = numbering;
  const traits = symbol.map((id) => traitsOf(id, symbols.name[id] as string));
  return { length: symbol.length, symbol, traits, stubTarget: stubTargets(symbol, symbols), nameless, from, to };
}

function traitsOf(symbol: SymbolId, name: string): number {
  if (symbol === SpecialSymbol.Unknown) return Trait.Unknown | Trait.Unwinder;
  if (STUB.test(name)) return Trait.Stub;
  if (RESOLVER.test(name)) return Trait.Resolver;
  if (BIRTHPLACE.test(name)) return Trait.Birthplace;
  return UNWINDER.test(name) ? Trait.Unwinder : Trait.None;
}

/** "memcpy@plt" leads to "memcpy", which libc calls "memcpy@@GLIBC_2.14". */
function stubTargets(symbol: readonly SymbolId[], symbols: SymbolTable): FunctionId[] {
  const byBareName = new Map<string, FunctionId>();
  symbol.forEach((id, fn) => {
    const name = symbols.name[id] as string;
    if (id !== SpecialSymbol.Unknown && !STUB.test(name) && !byBareName.has(bareName(name))) byBareName.set(bareName(name), fn);
  });
  return symbol.map((id) => {
    const name = symbols.name[id] as string;
    return name.endsWith('@plt') ? (byBareName.get(bareName(name)) ?? NONE) : NONE;
  });
}

function bareName(name: string): string {
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}

/** Gives out function ids: by symbol and start, by symbol alone where no offset was printed, or by a guessed start. */
class Numbering {
  readonly symbol: SymbolId[] = [];
  private readonly byStart = new Map<SymbolId, Map<Address, FunctionId>>();
  private readonly coldParent: ReadonlyMap<SymbolId, { symbol: SymbolId; start: Address }>;
  private readonly unknown: UnknownStarts;

  constructor(sites: BranchSites, symbols: SymbolTable) {
    this.coldParent = coldParents(sites, symbols);
    this.unknown = new UnknownStarts(sites);
  }

  functionOf(symbol: SymbolId, start: Address, address: Address): FunctionId {
    if (symbol === NONE) return NONE;
    if (symbol === SpecialSymbol.Unknown) return this.intern(symbol, this.unknown.startOf(address));
    const parent = this.coldParent.get(symbol);
    return parent ? this.intern(parent.symbol, parent.start) : this.intern(symbol, start);
  }

  private intern(symbol: SymbolId, start: Address): FunctionId {
    let starts = this.byStart.get(symbol);
    if (starts === undefined) this.byStart.set(symbol, (starts = new Map()));
    let fn = starts.get(start);
    if (fn === undefined) starts.set(start, (fn = this.symbol.push(symbol) - 1));
    return fn;
  }
}

/** `foo.cold`, the part of foo that the compiler moved away, is foo. */
function coldParents(sites: BranchSites, symbols: SymbolTable): Map<SymbolId, { symbol: SymbolId; start: Address }> {
  const starts = new Map<SymbolId, Address>();
  for (let site = 0; site < sites.length; site++) {
    starts.set(sites.fromSymbol[site], sites.fromStart[site]);
    starts.set(sites.toSymbol[site], sites.toStart[site]);
  }
  const key = (name: string, dso: number | undefined) => `${dso} ${name}`;
  const byName = new Map<string, SymbolId>();
  for (const symbol of starts.keys()) {
    if (symbol !== NONE) byName.set(key(symbols.name[symbol] as string, symbols.dso[symbol]), symbol);
  }
  const parents = new Map<SymbolId, { symbol: SymbolId; start: Address }>();
  for (const symbol of starts.keys()) {
    const name = symbols.name[symbol] ?? '';
    if (!COLD.test(name)) continue;
    const parent = byName.get(key(name.replace(COLD, ''), symbols.dso[symbol]));
    if (parent !== undefined) parents.set(symbol, { symbol: parent, start: starts.get(parent) as Address });
  }
  return parents;
}

/** Functions without a name are told apart by where they are entered. */
const LARGEST_FUNCTION = 64 * 1024;
const PAGE = 4096;

class UnknownStarts {
  /** Start addresses of named functions, and entries of nameless ones, each ascending. */
  private readonly named: Float64Array;
  private readonly entries: Float64Array;

  constructor(sites: BranchSites) {
    const named = new Set<Address>();
    const entries = new Set<Address>();
    for (let site = 0; site < sites.length; site++) {
      if (!Number.isNaN(sites.fromStart[site])) named.add(sites.fromStart[site]);
      if (!Number.isNaN(sites.toStart[site])) named.add(sites.toStart[site]);
      if (isEntryOfNameless(sites, site)) entries.add(sites.to[site]);
    }
    this.named = Float64Array.from(named).sort();
    this.entries = Float64Array.from(entries).sort();
  }

  /** The nearest entry at or below the address, if no named function lies between; else the page it is in. */
  startOf(address: Address): Address {
    const page = Math.floor(address / PAGE) * PAGE + 0.5; // never equal to an entry
    const entry = lastAtOrBelow(this.entries, address);
    if (Number.isNaN(entry) || address - entry > LARGEST_FUNCTION) return page;
    return lastAtOrBelow(this.named, address) > entry ? page : entry;
  }
}

// A jump out of a named function enters another one; a jump from one nameless place to the next may be a loop.
function isEntryOfNameless(sites: BranchSites, site: SiteId): boolean {
  if (sites.toSymbol[site] !== SpecialSymbol.Unknown || sites.to[site] === 0) return false;
  const kind = sites.kind[site];
  return kind === BranchKind.Call || (kind === BranchKind.Jump && sites.fromSymbol[site] !== SpecialSymbol.Unknown);
}

/** NaN if there is none. */
function lastAtOrBelow(ascending: Float64Array, address: Address): Address {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= address) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? Number.NaN : ascending[low - 1];
}
