/**
 * Nodes of the shape, those of a thread → which of them is the caller of each.
 */
import { damagedAt } from '../../../codec/file-fault.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import { NONE } from '../../../model/units.js';
import type { Shape } from './page-data.js';

/** Of each thread in turn. */
export function callerRows(shape: Shape, nodes: readonly Int32Array[]): Int32Array[] {
  const rowOf = new Int32Array(shape.length);
  return nodes.map((node) => rowsOf(shape, node, rowOf));
}

/** NONE for the root. `rowOf`: memory, as long as the shape. */
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
