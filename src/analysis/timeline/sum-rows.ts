/**
 * Sums of a thread by slice and node, while they are added. Reused for the next thread: touching new memory is slow.
 */
import { NODE_COLUMNS, type NodeColumns, nodeColumns } from '../../model/calls/call-tree.js';
import { resized, rowNumbers, valuesOf } from '../../model/columns.js';
import { isComplete, UNWOUND } from '../../model/profile/profile.js';
import type { SliceRows } from '../../model/profile/timeline.js';
import { NONE, type NodeId } from '../../model/units.js';

const FIRST_ROWS = 1024;

/** Each node has one row in a slice. */
export class SumRows implements SliceRows {
  length = 0;
  slice = new Int32Array(FIRST_ROWS);
  node = new Int32Array(FIRST_ROWS);
  calls = new Float64Array(FIRST_ROWS);
  inferredCalls = new Float64Array(FIRST_ROWS);
  selfNs = new Float64Array(FIRST_ROWS);
  inferredNs = new Float64Array(FIRST_ROWS);
  unwoundCalls = new Float64Array(FIRST_ROWS);
  completeNs = new Float64Array(FIRST_ROWS);
  minNs = new Float64Array(FIRST_ROWS);
  maxNs = new Float64Array(FIRST_ROWS);
  longestCutNs = new Float64Array(FIRST_ROWS);
  /** The row of the same node in the slice before that has one. */
  private earlier = new Int32Array(FIRST_ROWS);
  /** By node: its row in the last slice that has one. */
  private latest = new Int32Array(0);
  private nodes = 0;

  /** `nodes`: of the tree. */
  clear(nodes: number): void {
    this.length = 0;
    this.nodes = 0;
    this.addNodes(nodes);
  }

  /** `nodes`: of the tree, which has grown. */
  addNodes(nodes: number): void {
    if (this.latest.length < nodes) this.latest = resized(this.latest, nodes);
    this.latest.fill(NONE, this.nodes, nodes);
    this.nodes = nodes;
  }

  /** Returns the row of a node in a slice, which is added if there is none. Most are added in the order of slices. */
  row(slice: number, node: NodeId): number {
    let later = NONE;
    let row = this.latest[node];
    while (row !== NONE && this.slice[row] > slice) {
      later = row;
      row = this.earlier[row];
    }
    if (row !== NONE && this.slice[row] === slice) return row;
    const added = this.add(slice, node, row);
    if (later === NONE) this.latest[node] = added;
    else this.earlier[later] = added;
    return added;
  }

  /** Returns the rows in the order in which they were added; shares memory. */
  view(): SliceRows {
    const { length } = this;
    return {
      slice: this.slice.subarray(0, length),
      node: this.node.subarray(0, length),
      ...nodeColumns((name) => this[name].subarray(0, length)),
    };
  }

  private add(slice: number, node: NodeId, earlier: number): number {
    const row = this.length++;
    if (row === this.slice.length) this.grow();
    this.slice[row] = slice;
    this.node[row] = node;
    this.earlier[row] = earlier;
    clearNumbers(this, row);
    return row;
  }

  private grow(): void {
    const rows = 2 * this.slice.length;
    this.slice = resized(this.slice, rows);
    this.node = resized(this.node, rows);
    this.earlier = resized(this.earlier, rows);
    for (const name of NODE_COLUMNS) this[name] = resized(this[name], rows);
  }
}

function clearNumbers(numbers: NodeColumns, row: number): void {
  numbers.calls[row] = 0;
  numbers.inferredCalls[row] = 0;
  numbers.selfNs[row] = 0;
  numbers.inferredNs[row] = 0;
  numbers.unwoundCalls[row] = 0;
  numbers.completeNs[row] = 0;
  numbers.longestCutNs[row] = 0;
  numbers.minNs[row] = Number.POSITIVE_INFINITY;
  numbers.maxNs[row] = Number.NEGATIVE_INFINITY;
}

/** Returns a copy, in the same order. */
export function copyOf({ slice, node, ...numbers }: SliceRows): SliceRows {
  return { slice: slice.slice(), node: node.slice(), ...nodeColumns((name) => numbers[name].slice()) };
}

/** Returns a copy, by slice and node. */
export function inOrder({ slice, node, ...numbers }: SliceRows): SliceRows {
  const order = orderBy(slice, orderBy(node, rowNumbers(node.length)));
  return {
    slice: valuesOf(slice, order),
    node: valuesOf(node, order),
    ...nodeColumns((name) => valuesOf(numbers[name], order)),
  };
}

/** Returns rows by value, equal ones in the given order. */
function orderBy(values: Int32Array, rows: Int32Array): Int32Array {
  const { length } = values;
  let max = 0;
  for (let row = 0; row < length; row++) if (values[row] > max) max = values[row];
  const starts = new Int32Array(max + 2);
  for (let row = 0; row < length; row++) starts[values[row] + 1]++;
  for (let value = 1; value < starts.length; value++) starts[value] += starts[value - 1];
  const order = new Int32Array(length);
  for (let at = 0; at < length; at++) order[starts[values[rows[at]]]++] = rows[at];
  return order;
}

// Adds calls, and the numbers of others, to the numbers of nodes.

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
