/**
 * Finds where stubs lead. Their name alone does not show it: libc's memcpy only chooses among its variants and never
 * runs again, and ld.so has a strlen of its own. What returns to where the stub was called from does.
 */

import { countAtOrBelow } from '../../model/columns.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import { BranchKind, type BranchSites } from '../../model/trace/branch-sites.js';
import { type FunctionId, NONE, type SiteId } from '../../model/units.js';
import { lowerFunction } from './function-ids.js';
import { MAX_CALL_BYTES, Trait } from './traits.js';

/** The columns of a `FunctionTable` that are used here. */
interface Functions {
  readonly length: number;
  readonly traits: Uint16Array;
  readonly bareName: Int32Array;
  readonly symbol: Int32Array;
  readonly start: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** By function: what a stub leads to, where that is known; else NONE. */
export function stubTargets(sites: BranchSites, functions: Functions, symbols: SymbolTable): Int32Array {
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

function isStub(fn: FunctionId, traits: Uint16Array): boolean {
  return (traits[fn] & Trait.Stub) !== 0;
}
