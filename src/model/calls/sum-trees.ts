/**
 * Adds up call trees by call path.
 */
import type { CallTree } from './call-tree.js';
import { type NodeColumn, type NodeColumns, nodeColumns } from './node-columns.js';
import { overlayTrees, type Shape } from './overlay.js';

/** The numbers of some nodes of a shape. */
export interface NodesOfShape extends NodeColumns {
  /** The node of the shape for each row. */
  readonly node: Int32Array;
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
  };
}

function noneOf(name: NodeColumn): number {
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
