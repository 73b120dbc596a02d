/**
 * Finds the functions that probes are in, by the addresses of branches in them.
 */
import { numbersOf, type SampleTable } from '../../model/sample-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SymbolId } from '../../model/units.js';

export interface ProbedFunction {
  readonly symbol: SymbolId;
  /** The probe is where the function begins, so it is passed once in each call. */
  readonly isEntry: boolean;
}

/** `perf probe` may put the probe after the first instructions. */
const MAX_ENTRY_BYTES = 32;

/** Returns the functions of an event's probes; none if the samples do not show where they are. */
export function probedFunctions(table: SampleTable, sites: BranchSites): ProbedFunction[] {
  const returned = distinct(numbersOf(table, '__probe_func'));
  const addresses = returned.length > 0 ? returned : distinct(numbersOf(table, '__probe_ip'));
  const found = addresses.map((address) => {
    const { symbol, start } = functionAt(address, sites);
    return { symbol, isEntry: returned.length === 0 && address - start <= MAX_ENTRY_BYTES };
  });
  return found.filter(({ symbol }) => symbol !== NONE);
}

function distinct(values: Float64Array | null): Address[] {
  return [...new Set(values ?? [])].filter((value) => !Number.isNaN(value));
}

/** The function with a branch from or to an address at or after this one, which begins closest before it. */
function functionAt(address: Address, { length, from, to, fromStart, toStart, fromSymbol, toSymbol }: BranchSites) {
  let symbol: SymbolId = NONE;
  let start: Address = Number.NEGATIVE_INFINITY;
  const look = (branch: Address, ownStart: Address, ownSymbol: SymbolId) => {
    if (ownStart <= address && branch >= address && ownStart > start && ownSymbol !== NONE)
      [symbol, start] = [ownSymbol, ownStart];
  };
  for (let site = 0; site < length; site++) {
    look(from[site], fromStart[site], fromSymbol[site]);
    look(to[site], toStart[site], toSymbol[site]);
  }
  return { symbol, start };
}
