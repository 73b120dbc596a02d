/**
 * Restricts a graph to the matches of a search, and steps through them.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { NodeId } from '../../model/units.js';
import type { FoundFrames } from '../../render/find-frames.js';
import { type FrameTable, subtreeSums } from '../../render/frames/frame-table.js';

/** Returns the table with only the weight of matches and their callees. */
export function onlyMatches(table: FrameTable, found: FoundFrames): FrameTable {
  const isInside = insideMatches(table, found);
  const self = table.self.map((own, node) => (isInside[node] ? own : 0));
  return { ...table, self, total: subtreeSums(table.tree, self) };
}

/** Returns 1 for each node that is a match or below one. */
export function insideMatches({ parent }: FrameTable, { isMatch }: FoundFrames): Uint8Array {
  const isInside = new Uint8Array(parent.length);
  for (let node: NodeId = ROOT; node < isInside.length; node++)
    isInside[node] = isMatch[node] || (node !== ROOT && isInside[parent[node]]) ? 1 : 0;
  return isInside;
}

export interface Match {
  readonly node: NodeId;
  /** Rank by weight; 1 is the largest. */
  readonly rank: number;
}

/**
 * Returns the match after `from` (`by`: 1) or before it (-1), from the largest to the smallest, equal ones in node order, wrapping
 * around; null if there are no matches. `from`: null starts before the first. Does not sort: there may be a million matches.
 */
export function nextMatch(
  { total }: FrameTable,
  { isMatch }: FoundFrames,
  from: NodeId | null,
  by: 1 | -1,
): Match | null {
  const isBefore = (a: NodeId, b: NodeId) => total[a] > total[b] || (total[a] === total[b] && a < b);
  const isNearer = by === 1 ? isBefore : (a: NodeId, b: NodeId) => isBefore(b, a);
  let next: NodeId | null = null;
  let first: NodeId | null = null;
  for (let node: NodeId = ROOT; node < isMatch.length; node++) {
    if (isMatch[node] === 0) continue;
    if (first === null || isNearer(node, first)) first = node;
    if (from !== null && isNearer(from, node) && (next === null || isNearer(node, next))) next = node;
  }
  const found = next ?? first;
  if (found === null) return null;
  let rank = 1;
  for (let node: NodeId = ROOT; node < isMatch.length; node++) if (isMatch[node] && isBefore(node, found)) rank++;
  return { node: found, rank };
}
