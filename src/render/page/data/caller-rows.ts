/**
 * Nodes of the shape → which of them is the caller of each.
 */
import { assert } from '../../../model/errors.js';
import { NONE } from '../../../model/units.js';
import type { Shape } from './page-data.js';

/** Of each thread in turn; NONE for the root. */
export function callerRows(shape: Shape, nodes: readonly Int32Array[]): Int32Array[] {
  const rowOf = new Int32Array(shape.length);
  return nodes.map((node) => rowsOf(shape, node, rowOf));
}

/** `rowOf`: memory, as long as the shape. */
function rowsOf({ parent }: Shape, node: Int32Array, rowOf: Int32Array): Int32Array {
  const rows = new Int32Array(node.length).fill(NONE);
  assert(node[0] === 0, 'a thread of the page has no root');
  for (let row = 1; row < node.length; row++) {
    rows[row] = rowOf[parent[node[row]]];
    assert(node[rows[row]] === parent[node[row]] && node[row] > node[row - 1], 'a thread of the page is no tree');
    rowOf[node[row]] = row;
  }
  return rows;
}
