/**
 * A tree, and what is known of the functions in it. Nothing is worked out before somebody asks for it.
 */
import { type FunctionSums, functionsOf } from '../../../analysis/functions.js';
import type { CallTree } from '../../../model/call-tree.js';
import { type FunctionDurations, histogramsOf } from '../../../model/durations.js';
import type { Nanoseconds, SymbolId } from '../../../model/units.js';
import { type Bar, barsOf } from './histogram.js';
import { once } from './remembered.js';

export interface View {
  readonly tree: CallTree;
  /** By symbol. */
  readonly functions: () => ReadonlyMap<SymbolId, FunctionSums>;
  /** How long the calls of one took; null: nobody knows. */
  readonly bars: (symbol: SymbolId) => Bar[] | null;
  /** All its time. */
  readonly allNs: () => Nanoseconds;
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
