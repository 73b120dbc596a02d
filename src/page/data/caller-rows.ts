/**
 * Computes the caller of each node of a thread, as a row of the thread's nodes.
 */
import { damagedAt } from '../../codec/file-fault.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { NONE } from '../../model/units.js';

/** Returns the caller rows of each thread. */
export function callerRows(shape: Shape, nodes: readonly Int32Array[]): Int32Array[] {
  const rowOf = new Int32Array(shape.length);
  return nodes.map((node) => rowsOf(shape, node, rowOf));
}

/** Returns the rows of the callers; NONE for the root. `rowOf`: scratch memory, as long as the shape. */
function rowsOf({ parent }: Shape, node: Int32Array, rowOf: Int32Array): Int32Array {
  if (node[0] !== ROOT) throw damagedAt('a thread of the page', 'has no root');
  const rows = new Int32Array(node.length).fill(NONE);
  for (let row = 1; row < node.length; row++) {
    rows[row] = rowOf[parent[node[row]]];
    if (!(node[row] > node[row - 1] && node[rows[row]] === parent[node[row]]))
      throw damagedAt('a thread of the page', 'has no tree');
    rowOf[node[row]] = row;
  }
  return rows;
}
