/**
 * What stands out of all threads of a profile.
 */
import type { Profile } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { functionsOf } from '../tree/functions.js';
import { recordsSwitches } from '../tree/outside.js';
import { treeOfAllThreads } from '../tree/reshape.js';
import { type Finding, findingsOf, reasonsOfWaits } from './findings.js';
import { NO_PURE_WAITS, pureWaitsOf } from './pure-waits.js';

/** Returns the findings, the most important first. `waits`: of the same trace; null: not known, or not asked. */
export function findingsOfProfile(profile: Profile, waits: WaitsByPath | null): Finding[] {
  const { meta, symbols, quality, threads } = profile;
  const tree = treeOfAllThreads(profile);
  const hasSwitches = recordsSwitches(tree, meta.hasSwitches);
  return findingsOf({
    ...{ meta, symbols, quality, hasSwitches },
    ...{ tree, shown: tree, hidesPureWaits: false },
    pureWaits: meta.isBlockedTime ? NO_PURE_WAITS : pureWaitsOf(tree, hasSwitches),
    functions: functionsOf(tree, null, hasSwitches),
    waits: waits && reasonsOfWaits(waits),
    groups: threads.map(({ comm, tree: own }) => ({ name: comm, ns: own.selfNs.reduce((sum, ns) => sum + ns, 0) })),
  });
}
