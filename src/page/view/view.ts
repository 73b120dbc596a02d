/**
 * A tree with the numbers of its functions, computed on first use.
 */

import { type FunctionSums, functionsOf } from '../../analysis/tree/functions.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { type FunctionDurations, histogramsOf } from '../../model/calls/durations.js';
import { eachPercentile } from '../../model/percentiles.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';
import { type Bar, barsOf } from './histogram.js';
import { once } from './memoize-last.js';

export interface View {
  readonly tree: CallTree;
  readonly functions: () => ReadonlyMap<SymbolId, FunctionSums>;
  /** Histogram of a function's call durations; null if unknown. */
  readonly bars: (symbol: SymbolId) => Bar[] | null;
  readonly allNs: () => Nanoseconds;
}

/** Returns the view of a part. Percentiles and histograms are known for functions with all of their calls in the part. */
export function viewOfPart(tree: CallTree, full: View, hasSwitches: boolean): View {
  const part = viewOfTree(tree, () => null, hasSwitches);
  const isComplete = (sums: FunctionSums) => {
    const all = full.functions().get(sums.symbol);
    return all !== undefined && all.calls === sums.calls && all.inferred === sums.inferred;
  };
  const functions = once(() => {
    const rows = [...part.functions().values()].map((sums) => {
      if (!isComplete(sums)) return sums;
      const known = full.functions().get(sums.symbol) as FunctionSums;
      return { ...sums, ...eachPercentile(({ key }) => known[key]) };
    });
    return new Map(rows.map((row) => [row.symbol, row]));
  });
  const bars = (symbol: SymbolId) => {
    const sums = functions().get(symbol);
    return sums !== undefined && isComplete(sums) ? full.bars(symbol) : null;
  };
  return { ...part, functions, bars };
}

/** Returns the view of a tree. `durations`: of its calls; null if unknown. */
export function viewOfTree(tree: CallTree, durations: () => FunctionDurations | null, hasSwitches: boolean): View {
  const known = once(durations);
  const histograms = once(() => {
    const took = known();
    return took && histogramsOf(took);
  });
  return {
    tree,
    functions: once(() => new Map(functionsOf(tree, known(), hasSwitches).map((row) => [row.symbol, row]))),
    bars: (symbol) => {
      const histogram = histograms()?.get(symbol);
      return histogram ? barsOf(histogram) : null;
    },
    allNs: once(() => tree.selfNs.reduce((sum, ns) => sum + ns, 0)),
  };
}
