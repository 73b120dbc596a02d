/**
 * What files for other tools show of a call path: the measures, and the values of each node without its callees.
 */
import { ownWeights, recordsSwitches } from '../analysis/tree/outside.js';
import type { CallTree } from '../model/calls/call-tree.js';
import type { Profile, TraceMeta } from '../model/profile/profile.js';

export interface Measure {
  readonly name: string;
  readonly unit: 'count' | 'nanoseconds';
  /** By node. */
  readonly valuesOf: (tree: CallTree, hasSwitches: boolean) => Float64Array;
}

const CALLS: Measure = { name: 'calls', unit: 'count', valuesOf: ({ calls }) => calls };
const INFERRED: Measure = { name: 'inferred_calls', unit: 'count', valuesOf: ({ inferredCalls }) => inferredCalls };
const WALL: Measure = { name: 'wall', unit: 'nanoseconds', valuesOf: ({ selfNs }) => selfNs };
const TIMES: readonly Measure[] = [
  WALL,
  { name: 'on_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'cpu', hasSwitches) },
  { name: 'off_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'off-cpu', hasSwitches) },
  { name: 'outside', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'outside', hasSwitches) },
];

/** Calls, then times, then inferred calls. A trace without times has nothing but calls; blocked time is of one kind. */
export function measuresOf({ weight, isBlockedTime }: Pick<TraceMeta, 'weight' | 'isBlockedTime'>): readonly Measure[] {
  if (isBlockedTime) return [CALLS, WALL, INFERRED];
  return weight === 'calls' ? [CALLS, INFERRED] : [CALLS, ...TIMES, INFERRED];
}

/** Returns what turns the tree of a thread into its values: a column for each measure, by node. */
export function valuesOfTrees(
  { meta, threads }: Profile,
  measures: readonly Measure[],
): (tree: CallTree) => Float64Array[] {
  const hasSwitches = threads.some(({ tree }) => recordsSwitches(tree, meta.hasSwitches));
  return (tree) => measures.map(({ valuesOf }) => valuesOf(tree, hasSwitches));
}
