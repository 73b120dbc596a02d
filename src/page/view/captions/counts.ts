/**
 * Says how many calls there were and how long they took on average, where some are inferred.
 */
import type { CallTree } from '../../../model/calls/call-tree.js';
import { byTime, DoubtTotals, doubtWords, NO_DOUBTS } from '../../../model/calls/doubts.js';
import { countAtOrBelow } from '../../../model/columns.js';
import type { Nanoseconds, NodeId } from '../../../model/units.js';
import {
  formatAtLeast,
  formatAverage,
  formatCount,
  formatDuration,
  formatShare,
  isTotalInferred,
  type TotalOfCalls,
} from '../../../render/format.js';

/** Returns "5*" if some of five calls are inferred, "–" without calls, as of inlined functions. */
export function starredCalls(calls: number, inferred: number): string {
  return calls === 0 ? '–' : `${formatCount(calls)}${inferred > 0 ? '*' : ''}`;
}

/** Returns "4 complete, 1 inferred"; empty if all are complete. */
export function inferredCalls(calls: number, inferred: number): string {
  return inferred === 0 ? '' : `${formatCount(calls - inferred)} complete, ${formatCount(inferred)} inferred`;
}

export interface Average {
  /** NaN: unknown. */
  readonly ns: number;
  /** Some calls are inferred and may have lasted longer. */
  readonly isAtLeast: boolean;
}

/** Returns the average duration of calls; with inferred ones, of what is known of them. */
export function averageOf(sums: TotalOfCalls): Average {
  const { calls, inferred, totalNs, avgNs, longestCutNs } = sums;
  if (inferred === 0) return { ns: avgNs ?? Number.NaN, isAtLeast: false };
  const knownNs = (calls - inferred) * (avgNs || 0) + (longestCutNs || 0);
  const atLeastNs = isTotalInferred(sums) ? knownNs : Math.max(knownNs, totalNs);
  return { ns: atLeastNs > 0 ? atLeastNs / calls : Number.NaN, isAtLeast: true };
}

/** Returns "3 ms", "≥ 3 ms", or "–" if it is unknown. */
export function averageText(sums: TotalOfCalls): string {
  const { ns, isAtLeast } = averageOf(sums);
  if (Number.isNaN(ns)) return '–';
  return formatAverage(isAtLeast ? formatAtLeast(Math.floor(ns)) : formatDuration(ns), sums);
}

export const AVERAGE_NOISE_HINT =
  'three standard errors: chance hardly changes the average by more, if calls do not depend on each other';

const MAX_DOUBTS = 3;

type InferredTree = Pick<CallTree, 'inferredNs' | 'doubts'>;

/** Returns "12 % of its time is inferred: hidden jumps 8 %, after losses 4 %"; empty: nothing is. */
export function inferredText(tree: InferredTree, allNs: Nanoseconds): string {
  const inferredNs = tree.inferredNs.reduce((sum, ns) => sum + ns, 0);
  if (!(inferredNs > 0)) return '';
  const why = doubtsText(tree, allNs);
  return `${formatShare(inferredNs, allNs)} of its time is inferred${why === '' ? '' : `: ${why}`}`;
}

/** Returns "hidden jumps 8 %, after losses 4 %"; empty: it is not known. */
function doubtsText(tree: InferredTree, allNs: Nanoseconds): string {
  const totals = new DoubtTotals();
  totals.addTree(tree);
  const doubts = byTime(totals.build() ?? {}).slice(0, MAX_DOUBTS);
  return doubts.map(([doubt, ns]) => `${doubtWords(doubt).short} ${formatShare(ns, allNs)}`).join(', ');
}

/** Returns why the time of a node is inferred, with all below it, which follow it. */
export function doubtsOfNode(
  { inferredNs, doubts, parent, length }: CallTree,
  node: NodeId,
  allNs: Nanoseconds,
): string {
  let end = node + 1;
  while (end < length && parent[end] >= node) end++;
  const [first, last] = [node, end].map((at) => countAtOrBelow(doubts?.node ?? NO_DOUBTS.node, at - 1));
  const own = doubts && {
    node: doubts.node.subarray(first, last).map((each) => each - node),
    doubt: doubts.doubt.subarray(first, last),
    ns: doubts.ns.subarray(first, last),
  };
  return doubtsText({ inferredNs: inferredNs.subarray(node, end), doubts: own }, allNs);
}
