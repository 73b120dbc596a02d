/**
 * A tree, and what is known of the functions in it. Nothing is worked out before somebody asks for it.
 */
import { type FunctionSums, functionsOf } from '../../../analysis/tree/functions.js';
import type { CallTree } from '../../../model/calls/call-tree.js';
import { type FunctionDurations, histogramsOf } from '../../../model/calls/durations.js';
import type { Nanoseconds, SymbolId } from '../../../model/units.js';
import { type Bar, barsOf } from './histogram.js';
import { once } from './memoize-last.js';

export interface View {
  readonly tree: CallTree;
  /** By symbol. */
  readonly functions: () => ReadonlyMap<SymbolId, FunctionSums>;
  /** How long the calls of one took; null: nobody knows. */
  readonly bars: (symbol: SymbolId) => Bar[] | null;
  /** All its time. */
  readonly allNs: () => Nanoseconds;
}

/** Of a part of another one: how long calls took is known of functions all of whose calls are in it. */
export function viewOfPart(tree: CallTree, whole: View, hasSwitches: boolean): View {
  const part = viewOfTree(tree, () => null, hasSwitches);
  const isWhole = (sums: FunctionSums) => {
    const all = whole.functions().get(sums.symbol);
    return all !== undefined && all.calls === sums.calls && all.inferred === sums.inferred;
  };
  const functions = once(() => {
    const rows = [...part.functions().values()].map((sums) => {
      if (!isWhole(sums)) return sums;
      const { p50Ns, p90Ns, p99Ns } = whole.functions().get(sums.symbol) as FunctionSums;
      return { ...sums, p50Ns, p90Ns, p99Ns };
    });
    return new Map(rows.map((row) => [row.symbol, row]));
  });
  const bars = (symbol: SymbolId) => {
    const sums = functions().get(symbol);
    return sums !== undefined && isWhole(sums) ? whole.bars(symbol) : null;
  };
  return { ...part, functions, bars };
}

/** `durations`: of the calls in it; null: they are not known. */
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
