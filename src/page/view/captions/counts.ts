/**
 * Says how many calls there were and how long they took on average, where some are inferred.
 */
import type { CallTree } from '../../../model/calls/call-tree.js';
import { byTime, DoubtTotals, doubtWords } from '../../../model/calls/doubts.js';
import type { Nanoseconds } from '../../../model/units.js';
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

/** Returns "12 % of its time is inferred: hidden jumps 8 %, after losses 4 %"; empty: nothing is. */
export function inferredText(tree: CallTree, allNs: Nanoseconds): string {
  const inferredNs = tree.inferredNs.reduce((sum, ns) => sum + ns, 0);
  if (!(inferredNs > 0)) return '';
  const totals = new DoubtTotals();
  totals.addTree(tree);
  const doubts = byTime(totals.build() ?? {}).slice(0, MAX_DOUBTS);
  const reasons = doubts.map(([doubt, ns]) => `${doubtWords(doubt).short} ${formatShare(ns, allNs)}`);
  const why = reasons.length === 0 ? '' : `: ${reasons.join(', ')}`;
  return `${formatShare(inferredNs, allNs)} of its time is inferred${why}`;
}
