/**
 * Adds calls, and the numbers of others, to the numbers of nodes.
 */

import type { NodeColumns } from '../../model/calls/call-tree.js';
import { isComplete, UNWOUND } from '../../model/profile/profile.js';

/** Counts a call. `ns`: its part in the range; `knownNs`: how long it certainly lasted. */
export function countCall(to: NodeColumns, row: number, ending: number, ns: number, knownNs: number): void {
  to.calls[row]++;
  if (ending === UNWOUND) to.unwoundCalls[row]++;
  if (!isComplete(ending)) {
    to.inferredCalls[row]++;
    to.longestCutNs[row] = Math.max(to.longestCutNs[row], Math.min(knownNs, ns));
    return;
  }
  to.completeNs[row] += ns;
  if (ns < to.minNs[row]) to.minNs[row] = ns;
  if (ns > to.maxNs[row]) to.maxNs[row] = ns;
}

/** Adds row `from` of one table to row `to` of another. */
export function addNumbers(to: NodeColumns, row: number, rows: NodeColumns, from: number): void {
  to.calls[row] += rows.calls[from];
  to.inferredCalls[row] += rows.inferredCalls[from];
  to.selfNs[row] += rows.selfNs[from];
  to.inferredNs[row] += rows.inferredNs[from];
  to.unwoundCalls[row] += rows.unwoundCalls[from];
  to.completeNs[row] += rows.completeNs[from];
  if (rows.longestCutNs[from] > to.longestCutNs[row]) to.longestCutNs[row] = rows.longestCutNs[from];
  if (rows.minNs[from] < to.minNs[row]) to.minNs[row] = rows.minNs[from];
  if (rows.maxNs[from] > to.maxNs[row]) to.maxNs[row] = rows.maxNs[from];
}

/** Adds only the time of a path itself. */
export function addOwnTime(to: NodeColumns, row: number, rows: NodeColumns, from: number): void {
  to.selfNs[row] += rows.selfNs[from];
  to.inferredNs[row] += rows.inferredNs[from];
}
