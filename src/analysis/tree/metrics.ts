/**
 * Defines what the width of a frame can mean.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import type { SymbolId } from '../../model/units.js';
import { isLost, isOffCpu, isStop } from './outside.js';

/**
 * Wall time; time on CPU; outside traced code; off CPU; or calls. Each node has its own part, and all parts add up to
 * the total.
 */
export const METRICS = ['wall', 'cpu', 'outside', 'off-cpu', 'calls'] as const;
export type Metric = (typeof METRICS)[number];

/** By node, without its children. `hasSwitches`: see `onCpuNs`. */
export function ownWeights(tree: CallTree, metric: Metric, hasSwitches: boolean): Float64Array {
  if (metric === 'calls') return tree.calls;
  if (metric === 'wall') return tree.selfNs;
  const counts = COUNTS[metric];
  return tree.selfNs.map((ns, node) => (counts(tree.symbol[node], hasSwitches) ? ns : 0));
}

const COUNTS: Readonly<Record<Exclude<Metric, 'wall' | 'calls'>, (symbol: SymbolId, hasSwitches: boolean) => boolean>> =
  {
    cpu: (symbol, hasSwitches) => !(hasSwitches ? isOffCpu(symbol) || isLost(symbol) : isStop(symbol)),
    outside: isStop,
    'off-cpu': isOffCpu,
  };
