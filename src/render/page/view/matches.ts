/**
 * What a search finds in a graph, and the graph of that alone.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import { type FrameTable, subtreeSums } from '../../frames/frame-table.js';
import type { FoundFrames } from '../../frames/search.js';

/** Only the weight of what is found, with all below it. */
export function onlyMatches(table: FrameTable, found: FoundFrames): FrameTable {
  const isInside = insideMatches(table, found);
  const self = table.self.map((own, node) => (isInside[node] ? own : 0));
  return { ...table, self, total: subtreeSums(table.tree, self) };
}

/** By node: 1 if it is found, or below what is. */
export function insideMatches({ parent }: FrameTable, { isMatch }: FoundFrames): Uint8Array {
  const isInside = new Uint8Array(parent.length);
  for (let node: NodeId = ROOT; node < isInside.length; node++)
    isInside[node] = isMatch[node] || (node !== ROOT && isInside[parent[node]]) ? 1 : 0;
  return isInside;
}

/** One of the matches. */
export interface Match {
  readonly node: NodeId;
  /** 1: the largest. */
  readonly rank: number;
}

/**
 * The match behind another one (`by`: 1) or before it (-1), from the largest to the smallest, equal ones as they stand, and around the end.
 * `from`: null: before the first. null: there is none. They are not put in order: there may be a million.
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
