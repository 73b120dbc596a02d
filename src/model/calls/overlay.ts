/**
 * Overlays call trees: one shape with all their paths, and the node of the shape for each node of a tree.
 *
 * The trees are in the same order (pre-order, siblings by rank), so they are merged like sorted lists, two at a time:
 * nothing is looked up, and memory is read from front to back.
 */
import { askForMemory } from '../memory-watch.js';
import { NONE } from '../units.js';
import type { CallTree } from './call-tree.js';

/** All call paths, each once; like a call tree, without numbers. */
export type Shape = Pick<CallTree, 'length' | 'parent' | 'symbol'>;

export interface Overlay {
  readonly shape: Shape;
  /** By tree: the node of the shape for each node; ascending. */
  readonly nodes: readonly Int32Array[];
}

/** The nodes of a shape in pre-order. A depth determines the caller: the last node before it that is one less deep. */
interface Paths {
  readonly depth: Int32Array;
  readonly rank: Int32Array;
}

interface OverlaidPaths {
  readonly paths: Paths;
  readonly nodes: readonly Int32Array[];
}

/** Overlays trees in pre-order with siblings by rank. `rank`: by symbol, each different. */
export function overlayTrees(trees: readonly Shape[], rank: Int32Array): Overlay {
  const { paths, nodes } = overlayPaths(trees.map((tree) => pathsOf(tree, rank)));
  return { shape: shapeOf(paths, rank), nodes };
}

function overlayPaths(all: readonly Paths[]): OverlaidPaths {
  const [first] = all;
  if (first === undefined) return { paths: { depth: Int32Array.of(0), rank: Int32Array.of(NONE) }, nodes: [] };
  if (all.length === 1) return { paths: first, nodes: [first.depth.map((_, node) => node)] };
  const a = overlayPaths(all.slice(0, all.length >>> 1));
  const b = overlayPaths(all.slice(all.length >>> 1));
  const { paths, nodeOfA, nodeOfB } = mergePaths(a.paths, b.paths);
  for (const nodes of a.nodes) renumber(nodes, nodeOfA);
  for (const nodes of b.nodes) renumber(nodes, nodeOfB);
  return { paths, nodes: [...a.nodes, ...b.nodes] };
}

function renumber(nodes: Int32Array, newId: Int32Array): void {
  for (let row = 0; row < nodes.length; row++) nodes[row] = newId[nodes[row]];
}

/** Of two next nodes, the deeper one comes first: it is below a node that both orders have passed. */
function mergePaths(a: Paths, b: Paths) {
  const [lengthA, lengthB] = [a.depth.length, b.depth.length];
  askForMemory(4 * Int32Array.BYTES_PER_ELEMENT * (lengthA + lengthB));
  const depth = new Int32Array(lengthA + lengthB);
  const rank = new Int32Array(lengthA + lengthB);
  const [nodeOfA, nodeOfB] = [new Int32Array(lengthA), new Int32Array(lengthB)];
  let length = 0;
  for (let inA = 0, inB = 0; inA < lengthA || inB < lengthB; length++) {
    const order = inA === lengthA ? 1 : inB === lengthB ? -1 : b.depth[inB] - a.depth[inA] || a.rank[inA] - b.rank[inB];
    depth[length] = order <= 0 ? a.depth[inA] : b.depth[inB];
    rank[length] = order <= 0 ? a.rank[inA] : b.rank[inB];
    if (order <= 0) nodeOfA[inA++] = length;
    if (order >= 0) nodeOfB[inB++] = length;
  }
  return { paths: { depth: depth.subarray(0, length), rank: rank.subarray(0, length) }, nodeOfA, nodeOfB };
}

function pathsOf({ length, parent, symbol }: Shape, rank: Int32Array): Paths {
  const depth = new Int32Array(length);
  const rankOf = new Int32Array(length).fill(NONE);
  for (let node = 1; node < length; node++) {
    depth[node] = depth[parent[node]] + 1;
    rankOf[node] = rank[symbol[node]];
  }
  return { depth, rank: rankOf };
}

function shapeOf(paths: Paths, rank: Int32Array): Shape {
  const { length } = paths.depth;
  const symbolAt = new Int32Array(rank.reduce((most, own) => Math.max(most, own), NONE) + 1);
  for (let symbol = 0; symbol < rank.length; symbol++) if (rank[symbol] !== NONE) symbolAt[rank[symbol]] = symbol;
  const [parent, symbol] = [new Int32Array(length).fill(NONE), new Int32Array(length).fill(NONE)];
  const lastAt = new Int32Array(length);
  for (let node = 1; node < length; node++) {
    const depth = paths.depth[node];
    parent[node] = lastAt[depth - 1];
    symbol[node] = symbolAt[paths.rank[node]];
    lastAt[depth] = node;
  }
  return { length, parent, symbol };
}
