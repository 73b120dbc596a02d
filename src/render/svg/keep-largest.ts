/**
 * Reduces a tree to fit into a file: keeps the largest frames and merges the others into counted blocks in their position.
 */
import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import { NONE, type NodeId } from '../../model/units.js';
import { type FrameColumns, frameTable } from '../frames/frame-table.js';

/** More frames than fit in one view, so that zooming shows more detail; about a megabyte. */
export const MAX_FRAMES = 20_000;

/** Keeps the `maxFrames` largest frames, and all frames of at least `keptWeight`. */
export function keepLargest(columns: FrameColumns, keptWeight: number, maxFrames = MAX_FRAMES): FrameColumns {
  const { tree, omitted } = columns;
  if (tree.length <= maxFrames) return columns;
  const { nodes, isKept, gather } = largestFrames(tree, frameTable(columns).total, keptWeight, maxFrames);
  const leftOut = omitted.map((count, node) => (isKept(node) ? count : count || 1));
  const selected = selectNodes(tree, nodes);
  return {
    ...columns,
    omitted: gather(leftOut),
    tree: {
      ...selected,
      symbol: nodes.map((node) => (isKept(node) ? tree.symbol[node] : NONE)),
      calls: gather(tree.calls),
      inferredCalls: gather(tree.inferredCalls),
      selfNs: gather(tree.selfNs),
      inferredNs: gather(tree.inferredNs),
    },
  };
}

/** The nodes that remain: frames that are kept, and for others the first of adjacent siblings. */
export interface LargestFrames {
  readonly nodes: Int32Array;
  readonly isKept: (node: NodeId) => boolean;
  /** Adds up values by remaining node. */
  readonly gather: (values: Float64Array) => Float64Array;
}

/** `total`: by node, what its width shows. */
export function largestFrames(
  tree: Pick<CallTree, 'length' | 'parent'>,
  total: Float64Array,
  keptWeight: number,
  maxFrames = MAX_FRAMES,
): LargestFrames {
  const largestLeftOut = total.toSorted()[tree.length - 1 - maxFrames] ?? Number.NEGATIVE_INFINITY;
  const isKept = (node: NodeId) => node === ROOT || total[node] > largestLeftOut || total[node] >= keptWeight;
  const representative = representatives(tree, isKept);
  const nodes = Int32Array.from(representative.keys()).filter((node) => representative[node] === node);
  return { nodes, isKept, gather: gatherer(representative, nodes) };
}

/** Returns the node that represents each node: itself if kept, else the first of the adjacent omitted siblings. */
function representatives(
  { length, parent }: Pick<CallTree, 'length' | 'parent'>,
  isKept: (node: NodeId) => boolean,
): Int32Array {
  const representative = new Int32Array(length);
  /** For each kept node: the block that its previous child belongs to, if that child is omitted. */
  const neighbour = new Int32Array(length).fill(NONE);
  for (let node = ROOT; node < length; node++) {
    representative[node] = node;
    if (node === ROOT) continue;
    const caller = parent[node];
    if (isKept(node)) neighbour[caller] = NONE;
    else if (!isKept(caller)) representative[node] = representative[caller];
    else if (neighbour[caller] !== NONE) representative[node] = neighbour[caller];
    else neighbour[caller] = node;
  }
  return representative;
}

/** Returns a function that adds up values by representing node. */
function gatherer(representative: Int32Array, nodes: Int32Array): (values: Float64Array) => Float64Array {
  const row = new Int32Array(representative.length);
  nodes.forEach((node, index) => {
    row[node] = index;
  });
  return (values) => {
    const sums = new Float64Array(nodes.length);
    values.forEach((value, node) => {
      sums[row[representative[node]]] += value;
    });
    return sums;
  };
}
