/**
 * Overlays call trees: one shape with all their paths, and the node of the shape for each node of a tree; and adds them up.
 *
 * The trees are in the same order (pre-order, siblings by rank), so they are merged like sorted lists, two at a time:
 * nothing is looked up, and memory is read from front to back.
 */
import { askForMemory } from '../memory.js';
import { NONE } from '../units.js';
import { type CallTree, type NodeColumn, type NodeColumns, nodeColumns } from './call-tree.js';
import { DoubtSums, type NodeDoubts } from './doubts.js';

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

// Adds up call trees by call path.

/** The numbers of some nodes of a shape. */
export interface NodesOfShape extends NodeColumns {
  /** The node of the shape for each row. */
  readonly node: Int32Array;
  /** Why their time is inferred; absent: nothing is, or it is unknown. */
  readonly doubts?: NodeDoubts | undefined;
}

/** Adds up over an entire shape. One column at a time: it fits into the CPU's cache, all of them would not. */
export function sumsOf(shape: Shape, rows: readonly NodesOfShape[]): CallTree {
  return {
    ...shape,
    ...nodeColumns((name) => {
      const sums = new Float64Array(shape.length).fill(noneOf(name));
      const add = additionOf(name);
      for (const own of rows) add(sums, own[name], own.node);
      return sums;
    }),
    doubts: doubtsOf(rows),
  };
}

function doubtsOf(rows: readonly NodesOfShape[]): NodeDoubts | undefined {
  const sums = new DoubtSums();
  for (const own of rows) sums.addAll(own, own.node);
  return sums.build();
}

/** Returns the value of a node without calls that have one. */
export function noneOf(name: NodeColumn): number {
  if (name === 'minNs') return Number.POSITIVE_INFINITY;
  return name === 'maxNs' ? Number.NEGATIVE_INFINITY : 0;
}

function additionOf(name: NodeColumn): AddColumn {
  if (name === 'minNs') return keepMin;
  return name === 'maxNs' || name === 'longestCutNs' ? keepMax : addUp;
}

/** Adds the values of some nodes to those of the shape. */
type AddColumn = (sums: Float64Array, values: Float64Array, node: Int32Array) => void;

function addUp(sums: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) sums[node[row]] += values[row];
}

function keepMin(min: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) min[node[row]] = Math.min(min[node[row]], values[row]);
}

function keepMax(max: Float64Array, values: Float64Array, node: Int32Array): void {
  for (let row = 0; row < node.length; row++) max[node[row]] = Math.max(max[node[row]], values[row]);
}

/** Of trees that are added at a time: fewer would cost more time, more would cost memory. */
const PORTION_NODES = 2 ** 15;

/** Adds up trees in pre-order with siblings by rank; so is the sum. */
export class TreeSum {
  private readonly rank: Int32Array;
  private readonly portionNodes: number;
  /** The sum so far, if there is one, and trees to be added to it. */
  private trees: CallTree[] = [];
  private newNodes = 0;
  private summedNodes = 0;

  /** `rank`: by symbol, each different. */
  constructor(rank: Int32Array, portionNodes = PORTION_NODES) {
    this.rank = rank;
    this.portionNodes = portionNodes;
  }

  /** Adds a tree when there are half as many new nodes as in the sum: so each node is added a few times at most. */
  add(tree: CallTree): void {
    this.trees.push(tree);
    this.newNodes += tree.length;
    if (this.newNodes >= Math.max(this.portionNodes, this.summedNodes / 2)) this.addUp();
  }

  build(): CallTree {
    if (this.trees.length !== 1) this.addUp();
    return this.trees[0] as CallTree;
  }

  private addUp(): void {
    const { shape, nodes } = overlayTrees(this.trees, this.rank);
    const sum = sumsOf(
      shape,
      this.trees.map((tree, at) => ({ ...tree, node: nodes[at] as Int32Array })),
    );
    this.trees = [sum];
    this.newNodes = 0;
    this.summedNodes = sum.length;
  }
}
