/**
 * What pprof shows of a call path: the types of its values, and the values of each node without its callees.
 */
import { ownWeights } from '../../analysis/tree/metrics.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { TraceMeta } from '../../model/profile/profile.js';

export interface SampleType {
  readonly type: string;
  readonly unit: 'count' | 'nanoseconds';
  /** By node. */
  readonly valuesOf: (tree: CallTree, hasSwitches: boolean) => Float64Array;
}

const CALLS: SampleType = { type: 'calls', unit: 'count', valuesOf: ({ calls }) => calls };
const INFERRED: SampleType = { type: 'inferred_calls', unit: 'count', valuesOf: ({ inferredCalls }) => inferredCalls };
const TIMES: readonly SampleType[] = [
  { type: 'wall', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'wall', hasSwitches) },
  { type: 'on_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'cpu', hasSwitches) },
  { type: 'off_cpu', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'off-cpu', hasSwitches) },
  { type: 'outside', unit: 'nanoseconds', valuesOf: (tree, hasSwitches) => ownWeights(tree, 'outside', hasSwitches) },
];

/** Calls are first: some tools take the first type for a number of samples. A trace without times has nothing but calls. */
export function sampleTypes({ weight }: Pick<TraceMeta, 'weight'>): readonly SampleType[] {
  return weight === 'calls' ? [CALLS, INFERRED] : [CALLS, ...TIMES, INFERRED];
}

/** Returns the type that is shown first. */
export function defaultType({ weight }: Pick<TraceMeta, 'weight'>): string {
  return weight === 'calls' ? 'calls' : 'wall';
}
