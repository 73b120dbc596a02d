/**
 * Which function is it? Replay tells functions apart by where they start, for names repeat (static functions,
 * templates) and may be missing.
 */
import { BranchKind, type BranchSites } from '../model/branch-sites.js';
import { countAtOrBelow } from '../model/columns.js';
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
  /** Goes to another stack of the same thread: what runs next was not called from here. */
  Switcher: 32,
  /** Here a program begins, after an exec. */
  ProgramStart: 64,
} as const;

/** A call instruction of x86 is at most this long, so a return address is at most this far behind the call. */
export const LONGEST_CALL_BYTES = 15;

const STUB = /@plt$|^_init$|^\.plt|^__x86_(?:indirect|return)_thunk/;
const RESOLVER = /^_dl_runtime_resolve/;
const UNWINDER = /longjmp|_Unwind_|__cxa_/;
// glibc's contexts, boost's and bthread's fcontexts, and Go's "gogo", which mcall and the scheduler end in.
const SWITCHER = /(?:set|swap|jump_f|ontop_f)context|^(?:runtime\.)?gogo(?:\.abi0)?$/;
const PROGRAM_START = /^_start$/;
const BIRTHPLACE = /^_*(?:clone3?|v?fork|Fork|arch_fork|clone_internal)$/;
const COLD = /(?: ?\[clone )?\.cold(?:\.\d+)?\]?$/;

export interface FunctionTable {
  readonly length: number;
  readonly symbol: readonly SymbolId[];
  readonly start: readonly Address[]; // NaN where no offset was printed
  readonly traits: readonly number[]; // Trait, or-ed
  /** Without a symbol version: "memcpy@plt" leads to "memcpy", which libc calls "memcpy@@GLIBC_2.14". */
  readonly bareName: readonly string[];
  /** Some function goes to another stack. */
  readonly hasSwitchers: boolean;
  /** For `foo@plt`: foo, where it is known to lead there; else NONE. */
  readonly stubTarget: readonly FunctionId[];
  /** A function of this symbol: of several the one that starts lowest. */
  ofSymbol(symbol: SymbolId): FunctionId;
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
  const { symbol, start } = numbering;
  const names = symbol.map((id) => symbols.name[id] as string);
  const traits = symbol.map((id, fn) => traitsOf(id, names[fn] as string));
  const ofSymbol = (id: SymbolId) => numbering.lowestOf(id);
  const table = {
    length: symbol.length,
    symbol,
    start,
    traits,
    hasSwitchers: traits.some((trait) => (trait & Trait.Switcher) !== 0),
    bareName: names.map(bareName),
    nameless,
    from,
    to,
    ofSymbol,
  };
  return { ...table, stubTarget: stubTargets(sites, table) };
}

function traitsOf(symbol: SymbolId, name: string): number {
  if (symbol === SpecialSymbol.Unknown) return Trait.Unknown | Trait.Unwinder;
  if (STUB.test(name)) return Trait.Stub;
  if (RESOLVER.test(name)) return Trait.Resolver;
  if (BIRTHPLACE.test(name)) return Trait.Birthplace;
  if (PROGRAM_START.test(name)) return Trait.ProgramStart;
  if (SWITCHER.test(name)) return Trait.Switcher | Trait.Unwinder;
  return UNWINDER.test(name) ? Trait.Unwinder : Trait.None;
}

/**
 * Where stubs lead. The name alone does not say it: libc's memcpy only chooses among its variants and never runs
 * again, and ld.so has a strlen of its own. What returns to where the stub was called from does.
 */
function stubTargets(sites: BranchSites, table: Omit<FunctionTable, 'stubTarget'>): FunctionId[] {
  const { traits, bareName, start, from, to } = table;
  const returnsTo = new Map<Address, Set<FunctionId>>();
  for (let site = 0; site < sites.length; site++) {
    if (sites.kind[site] !== BranchKind.Return || from[site] === NONE) continue;
    const returning = returnsTo.get(sites.to[site]);
    if (returning) returning.add(from[site]);
    else returnsTo.set(sites.to[site], new Set([from[site]]));
  }
  const targets = new Array<FunctionId>(table.length).fill(NONE);
  for (let site = 0; site < sites.length; site++) {
    const stub = to[site];
    if (sites.kind[site] !== BranchKind.Call || stub === NONE || !((traits[stub] as number) & Trait.Stub)) continue;
    for (let bytes = 1; bytes <= LONGEST_CALL_BYTES; bytes++)
      for (const fn of returnsTo.get(sites.from[site] + bytes) ?? [])
        if (!((traits[fn] as number) & Trait.Stub) && bareName[fn] === bareName[stub])
          targets[stub] = lower(fn, targets[stub] as FunctionId, start);
  }
  return targets;
}

/** Of two functions of one name the one that starts lower: ids depend on the order of the input. */
function lower(a: FunctionId, b: FunctionId, start: readonly Address[]): FunctionId {
  return b === NONE || isLower(start[a] as Address, start[b] as Address) ? a : b;
}

/** An address that was not printed is higher than any. */
function isLower(a: Address, b: Address): boolean {
  return a < b || (Number.isNaN(b) && !Number.isNaN(a));
}

function bareName(name: string): string {
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}

/** Gives out function ids: by symbol and start, by symbol alone where no offset was printed, or by a guessed start. */
class Numbering {
  readonly symbol: SymbolId[] = [];
  readonly start: Address[] = [];
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

  lowestOf(symbol: SymbolId): FunctionId {
    const starts = [...(this.byStart.get(symbol) ?? [])].sort(([a], [b]) => (isLower(a, b) ? -1 : 1));
    return starts[0]?.[1] ?? NONE;
  }

  private intern(symbol: SymbolId, start: Address): FunctionId {
    let starts = this.byStart.get(symbol);
    if (starts === undefined) this.byStart.set(symbol, (starts = new Map()));
    let fn = starts.get(start);
    if (fn === undefined) {
      fn = this.symbol.push(symbol) - 1;
      this.start.push(start);
      starts.set(start, fn);
    }
    return fn;
  }
}

/** `foo.cold`, the part of foo that the compiler moved away, is foo. */
function coldParents(sites: BranchSites, symbols: SymbolTable): Map<SymbolId, { symbol: SymbolId; start: Address }> {
  const starts = new Map<SymbolId, Address>();
  for (let site = 0; site < sites.length; site++) {
    keepLowest(starts, sites.fromSymbol[site], sites.fromStart[site]);
    keepLowest(starts, sites.toSymbol[site], sites.toStart[site]);
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

function keepLowest(starts: Map<SymbolId, Address>, symbol: SymbolId, start: Address): void {
  if (isLower(start, starts.get(symbol) ?? Number.NaN) || !starts.has(symbol)) starts.set(symbol, start);
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
  const count = countAtOrBelow(ascending, address);
  return count === 0 ? Number.NaN : ascending[count - 1];
}
