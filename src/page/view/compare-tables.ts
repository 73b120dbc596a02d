/**
 * Compares a graph with that of other threads, call path by call path.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { NONE, type NodeId } from '../../model/units.js';
import type { FrameTable } from '../../render/frames/frame-table.js';

export interface ComparedTable {
  /** The other threads. */
  readonly name: string;
  /** By node: what the same call path weighs in the other threads, with callees; 0: it is not there. */
  readonly there: Float64Array;
  /** Weight of the call paths that are only there. */
  readonly onlyThere: number;
}

export function compareTables(table: FrameTable, other: FrameTable, name: string): ComparedTable {
  const there = new Float64Array(table.parent.length);
  let sharedWeight = 0;
  for (const [node, same] of samePaths(table, other).entries()) {
    if (same === NONE) continue;
    there[node] = other.total[same];
    sharedWeight += other.self[same];
  }
  return { name, there, onlyThere: other.total[ROOT] - sharedWeight };
}

/** Returns by node the node of the other table with the same path; NONE: there is none. */
function samePaths({ tree, parent }: FrameTable, other: FrameTable): Int32Array {
  const symbols = other.names.length;
  const nodes = new Map<number, NodeId>();
  for (let node: NodeId = ROOT + 1; node < other.parent.length; node++)
    nodes.set(other.parent[node] * symbols + other.tree.symbol[node], node);
  const same = new Int32Array(parent.length).fill(NONE);
  same[ROOT] = ROOT;
  for (let node: NodeId = ROOT + 1; node < parent.length; node++)
    if (same[parent[node]] !== NONE) same[node] = nodes.get(same[parent[node]] * symbols + tree.symbol[node]) ?? NONE;
  return same;
}
