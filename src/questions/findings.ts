/**
 * What stands out of a profile, for terminals.
 */
import { type Finding, findingsOf, reasonsOfWaits } from '../analysis/findings/findings.js';
import { NO_PURE_WAITS, pureWaitsOf } from '../analysis/findings/pure-waits.js';
import { recordsSwitches } from '../analysis/tree/outside.js';
import { treeOfAllThreads } from '../analysis/tree/reshape.js';
import type { Profile } from '../model/profile/profile.js';
import type { WaitsByPath } from '../model/profile/waits-by-path.js';
import { functionSums } from './common.js';

/** Returns the findings, the most important first. `waits`: of the same trace; null: not known, or not asked. */
export function findingsOfProfile(profile: Profile, waits: WaitsByPath | null): Finding[] {
  const { meta, symbols, quality, threads } = profile;
  const tree = treeOfAllThreads(profile);
  const hasSwitches = recordsSwitches(tree, meta.hasSwitches);
  return findingsOf({
    ...{ meta, symbols, quality, hasSwitches },
    ...{ tree, shown: tree, hidesPureWaits: false },
    pureWaits: meta.isBlockedTime ? NO_PURE_WAITS : pureWaitsOf(tree, hasSwitches),
    functions: functionSums(profile, tree, null, hasSwitches),
    waits: waits && reasonsOfWaits(waits),
    groups: threads.map(({ comm, tree: own }) => ({ name: comm, ns: own.selfNs.reduce((sum, ns) => sum + ns, 0) })),
  });
}
