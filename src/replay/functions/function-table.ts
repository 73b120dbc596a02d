/**
 * The functions of a trace and what their names reveal: a table of columns that can be sent to a worker.
 */

import type { SymbolKind, SymbolTable } from '../../model/names/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import { type FunctionId, NONE } from '../../model/units.js';
import { type FunctionIds, lowerFunction } from './function-ids.js';
import { markNamelessStubs } from './nameless-stubs.js';
import { stubTargets } from './stub-targets.js';
import { Trait, traitsOf } from './traits.js';

export interface FunctionTable {
  readonly length: number;
  readonly symbol: Int32Array; // SymbolId
  readonly start: Float64Array; // Address; NaN where no offset was printed
  readonly traits: Uint16Array; // Trait, or-ed
  /**
   * Equal for names that differ only in their version: "memcpy@plt" leads to "memcpy", in libc "memcpy@@GLIBC_2.14".
   */
  readonly bareName: Int32Array;
  /** Some function switches stacks. */
  readonly hasSwitchers: boolean;
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
  const traits = Uint16Array.from(symbol, (id) => traitsOf(symbols.kind[id] as SymbolKind, symbols.name[id] as string));
  const { from, to } = ids;
  markNamelessStubs(sites, { length: symbol.length, traits, start, from, to });
  for (const part of ids.parts) traits[part] |= Trait.ColdPart;
  const table = {
    length: symbol.length,
    symbol,
    start,
    traits,
    hasSwitchers: traits.some((trait) => (trait & Trait.StackSwitcher) !== 0),
    bareName: bareNames(symbol, symbols),
    nameless: ids.nameless,
    from,
    to,
    ofSymbol: lowestOfSymbols(symbol, start, symbols),
  };
  return { ...table, stubTarget: stubTargets(sites, table, symbols) };
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
