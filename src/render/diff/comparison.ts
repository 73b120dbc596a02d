/**
 * Prepares two profiles for drawing: one tree of call paths, with the numbers of both.
 */
import { type MatchedTrees, matchTrees, type Per, scaleOf } from '../../analysis/compare.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { Profile } from '../../model/profile/profile.js';

export interface Comparison extends MatchedTrees {
  readonly profiles: { readonly before: Profile; readonly after: Profile };
  readonly per: Per | null;
  /** Factors for times and numbers of calls. */
  readonly scales: { readonly before: number; readonly after: number };
}

export function compareProfiles(before: Profile, after: Profile, per: Per | null = null): Comparison {
  const trees = { before: treeOfAllThreads(before), after: treeOfAllThreads(after) };
  const side = (name: 'before' | 'after', { symbols }: Profile) => ({ tree: trees[name], names: symbols.name });
  const scale = (name: 'before' | 'after', { meta }: Profile) => scaleOf(trees[name], meta.endNs - meta.startNs, per);
  return {
    ...matchTrees(side('before', before), side('after', after)),
    profiles: { before, after },
    per,
    scales: { before: scale('before', before), after: scale('after', after) },
  };
}
