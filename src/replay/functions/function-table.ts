/**
 * The functions of a trace and what their names reveal: a table of columns that can be sent to a worker.
 */

import { countAtOrBelow } from '../../model/columns.js';
import type { SymbolKind, SymbolTable } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, type FunctionId, NONE, type SiteId } from '../../model/units.js';
import { type FunctionIds, lowerFunction, markNamelessStubs } from './function-ids.js';
import { MAX_CALL_BYTES, Trait, traitsOf } from './traits.js';

export interface FunctionTable {
  readonly length: number;
  readonly symbol: Int32Array; // SymbolId
  readonly start: Float64Array; // Address; NaN where no offset was printed
  readonly traits: Uint32Array; // Trait, or-ed
  /**
   * Equal for names that differ only in their version: "memcpy@plt" leads to "memcpy", in libc "memcpy@@GLIBC_2.14".
   */
  readonly bareName: Int32Array;
  /** For `foo@plt`: foo, where it is known to lead there; else NONE. */
  readonly stubTarget: Int32Array; // FunctionId | NONE
  /** By symbol: its function, or the one that starts lowest if there are several; or NONE. */
  readonly ofSymbol: Int32Array;
  /** Stands for a function without a known address. */
  readonly nameless: FunctionId;
  /** By site: the functions at both ends; NONE for address 0. */
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Returns the function, or `nameless` if it is NONE. */
export function orNameless({ nameless }: FunctionTable, fn: FunctionId): FunctionId {
  return fn === NONE ? nameless : fn;
}

export function functionTable(sites: BranchSites, symbols: SymbolTable, ids: FunctionIds): FunctionTable {
  const symbol = Int32Array.from(ids.symbol);
  const start = Float64Array.from(ids.start);
  const traits = Uint32Array.from(symbol, (id) => traitsOf(symbols.kind[id] as SymbolKind, symbols.name[id] as string));
  const { from, to } = ids;
  markNamelessStubs(sites, { length: symbol.length, traits, start, from, to });
  for (const part of ids.parts) traits[part] |= Trait.ColdPart;
  markKernel(sites, { traits, from, to });
  markJumpingSwitchers(sites, { traits, from, to });
  markPossibleSwitchers(sites, { traits, from, to });
  const table = {
    length: symbol.length,
    symbol,
    start,
    traits,
    bareName: bareNames(symbol, symbols),
    nameless: ids.nameless,
    from,
    to,
    ofSymbol: lowestOfSymbols(symbol, start, symbols),
  };
  return { ...table, stubTarget: stubTargets(sites, table, symbols) };
}

/** Marks the kernel's functions, and its retpolines, whatever name stands for their address: they call 12 bytes on. */
function markKernel(sites: BranchSites, { traits, from, to }: Pick<FunctionTable, 'traits' | 'from' | 'to'>): void {
  for (let site = 0; site < sites.length; site++) {
    if (sites.from[site] < 0 && from[site] !== NONE) traits[from[site]] |= Trait.Kernel;
    if (sites.to[site] < 0 && to[site] !== NONE) traits[to[site]] |= Trait.Kernel;
    const isFirst = sites.from[site] < 0 && sites.from[site] === sites.fromStart[site];
    if (isFirst && sites.kind[site] === BranchKind.Call && sites.to[site] - sites.from[site] === RETPOLINE_CALL_BYTES)
      traits[from[site]] |= Trait.Stub | Trait.Retpoline;
  }
}

const RETPOLINE_CALL_BYTES = 12;

/** A call instruction is seldom longer: a longer distance may be to the end of the next call. */
export const USUAL_CALL_BYTES = 9;

/**
 * Marks functions that jump right behind a call to themselves: no function does so but one that switches stacks, or
 * returns by a jump.
 */
function markJumpingSwitchers(sites: BranchSites, { traits, from, to }: Pick<FunctionTable, 'traits' | 'from' | 'to'>) {
  const jumpers = new Map<Address, Set<FunctionId>>();
  for (let site = 0; site < sites.length; site++) {
    if (sites.kind[site] !== BranchKind.Jump || sites.edge[site] !== TraceEdge.None) continue;
    const [fn, target] = [from[site], to[site]];
    if (fn === NONE || fn === target || traits[fn] !== Trait.None || sites.to[site] === sites.toStart[site]) continue;
    const others = jumpers.get(sites.to[site]);
    if (others) others.add(fn);
    else jumpers.set(sites.to[site], new Set([fn]));
  }
  if (jumpers.size === 0) return;
  for (let site = 0; site < sites.length; site++) {
    if (sites.kind[site] !== BranchKind.Call) continue;
    for (let bytes = 2; bytes <= USUAL_CALL_BYTES; bytes++)
      if (jumpers.get(sites.from[site] + bytes)?.has(to[site])) traits[to[site]] |= Trait.StackSwitcher;
  }
}

/**
 * Marks functions that several places call, or that jump to several functions, if nothing goes back behind a call to
 * them and they call nothing, such as an unwinder. Hardly any others are like that: they run as long as the program.
 */
function markPossibleSwitchers(
  sites: BranchSites,
  { traits, from, to }: Pick<FunctionTable, 'traits' | 'from' | 'to'>,
): void {
  const goneBackTo = new Set<Address>();
  for (let site = 0; site < sites.length; site++)
    if (sites.kind[site] === BranchKind.Return || (sites.kind[site] !== BranchKind.Call && from[site] !== to[site]))
      goneBackTo.add(sites.to[site]);
  const isExcluded = new Uint8Array(traits.length);
  const callSites = new Uint32Array(traits.length);
  const jumpSites = new Uint32Array(traits.length);
  for (let site = 0; site < sites.length; site++) {
    const [fn, called] = [from[site], to[site]];
    if (sites.kind[site] === BranchKind.Jump && fn !== NONE && fn !== called) jumpSites[fn]++;
    if (sites.kind[site] !== BranchKind.Call || called === NONE) continue;
    if (fn !== NONE) isExcluded[fn] = 1;
    if (isExcluded[called] === 1) continue;
    callSites[called]++;
    for (let bytes = 2; bytes <= USUAL_CALL_BYTES; bytes++)
      if (goneBackTo.has(sites.from[site] + bytes)) isExcluded[called] = 1;
  }
  for (let fn = 0; fn < traits.length; fn++) {
    const isSuspect = callSites[fn] > 0 && isExcluded[fn] === 0 && Math.max(callSites[fn], jumpSites[fn]) > 1;
    if (isSuspect && (traits[fn] & ~Trait.Unknown) === 0) traits[fn] |= Trait.MaySwitch;
  }
}

/** Gives equal names equal numbers. */
function bareNames(symbol: Int32Array, symbols: SymbolTable): Int32Array {
  const numbers = new Map<string, number>();
  return symbol.map((id) => {
    const name = bareName(symbols.name[id] as string);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
}

function bareName(name: string): string {
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}

function lowestOfSymbols(symbol: Int32Array, start: Float64Array, symbols: SymbolTable): Int32Array {
  const lowest = new Int32Array(symbols.length).fill(NONE);
  symbol.forEach((id, fn) => {
    lowest[id] = lowerFunction(fn, lowest[id], { start, symbol }, symbols);
  });
  return lowest;
}

/** The columns of a `FunctionTable` that are used here. */
interface Functions {
  readonly length: number;
  readonly traits: Uint32Array;
  readonly bareName: Int32Array;
  readonly symbol: Int32Array;
  readonly start: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/**
 * Finds where stubs lead. Their name alone does not show it: libc's memcpy only chooses among its variants and never
 * runs again, and ld.so has a strlen of its own. What returns to where the stub was called from does.
 *
 * By function: what a stub leads to, where that is known; else NONE.
 */
function stubTargets(sites: BranchSites, functions: Functions, symbols: SymbolTable): Int32Array {
  const { bareName, from, to } = functions;
  const targets = new Int32Array(functions.length).fill(NONE);
  const calls = callsOfStubs(sites, functions);
  const returns = returnsUnderNamesOf(calls, sites, functions);
  const addresses = Float64Array.from(returns, (site) => sites.to[site]);
  for (const call of calls) {
    const stub = to[call];
    const address = sites.from[call];
    for (let at = countAtOrBelow(addresses, address); addresses[at] <= address + MAX_CALL_BYTES; at++) {
      const fn = from[returns[at] as SiteId];
      if (bareName[fn] === bareName[stub]) targets[stub] = lowerFunction(fn, targets[stub], functions, symbols);
    }
  }
  return targets;
}

function callsOfStubs({ kind }: BranchSites, { traits, to }: Functions): SiteId[] {
  const calls: SiteId[] = [];
  for (let site = 0; site < to.length; site++)
    if (kind[site] === BranchKind.Call && to[site] !== NONE && isStub(to[site], traits)) calls.push(site);
  return calls;
}

/** Returns the sites of returns from functions with the name of some stub, ordered by where they return to. */
function returnsUnderNamesOf(calls: readonly SiteId[], sites: BranchSites, functions: Functions): SiteId[] {
  const { traits, bareName, from, to } = functions;
  const isName = new Uint8Array(functions.length);
  for (const call of calls) isName[bareName[to[call]]] = 1;
  const returns: SiteId[] = [];
  for (let site = 0; site < from.length; site++) {
    const fn = from[site];
    if (sites.kind[site] !== BranchKind.Return || fn === NONE) continue;
    if (isName[bareName[fn]] === 1 && !isStub(fn, traits)) returns.push(site);
  }
  return returns.sort((a, b) => sites.to[a] - sites.to[b]);
}

function isStub(fn: FunctionId, traits: Uint32Array): boolean {
  return (traits[fn] & Trait.Stub) !== 0;
}
