/**
 * Sums up the call trees of all threads.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';

export function treeOfAllThreads({ together, threads }: Pick<Profile, 'together' | 'threads'>): CallTree {
  if (together !== null) return together;
  const builder = new CallTreeBuilder();
  for (const { tree } of threads) builder.merge(tree, ROOT, (symbol) => symbol);
  return builder.build();
}
