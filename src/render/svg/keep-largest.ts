/**
 * A tree of any size → one that fits into a file: its largest frames one by one, the others counted where they stood.
 */
import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import { NONE, type NodeId } from '../../model/units.js';
import { type FrameColumns, frameTable } from '../frames/frame-table.js';

/** More than a picture shows at once, so that zooming in shows more; about a megabyte. */
export const MAX_FRAMES = 20_000;

/** Keeps the `most` largest frames, and in any case those of at least this weight. */
export function keepLargest(columns: FrameColumns, keptWeight: number, most = MAX_FRAMES): FrameColumns {
  const { tree, omitted } = columns;
  if (tree.length <= most) return columns;
  const { total } = frameTable(columns);
  const largestLeftOut = total.toSorted()[tree.length - 1 - most] as number;
  const isKept = (node: NodeId) => node === ROOT || total[node] > largestLeftOut || total[node] >= keptWeight;
  const standIn = representatives(tree, isKept);
  const nodes = Int32Array.from(standIn.keys()).filter((node) => standIn[node] === node);
  const gather = gatherer(standIn, nodes);
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

/** Which node stands for each: itself if it is kept, else the first of the neighbours that are left out with it. */
function representatives({ length, parent }: CallTree, isKept: (node: NodeId) => boolean): Int32Array {
  const standIn = new Int32Array(length);
  /** Of each kept node: who stands for the child before, if that one is left out. */
  const neighbour = new Int32Array(length).fill(NONE);
  for (let node = ROOT; node < length; node++) {
    standIn[node] = node;
    if (node === ROOT) continue;
    const caller = parent[node];
    if (isKept(node)) neighbour[caller] = NONE;
    else if (!isKept(caller)) standIn[node] = standIn[caller];
    else if (neighbour[caller] !== NONE) standIn[node] = neighbour[caller];
    else neighbour[caller] = node;
  }
  return standIn;
}

/** Adds each node's value to that of the node that stands for it. */
function gatherer(standIn: Int32Array, nodes: Int32Array): (values: Float64Array) => Float64Array {
  const row = new Int32Array(standIn.length);
  nodes.forEach((node, index) => {
    row[node] = index;
  });
  return (values) => {
    const sums = new Float64Array(nodes.length);
    values.forEach((value, node) => {
      sums[row[standIn[node]]] += value;
    });
    return sums;
  };
}
