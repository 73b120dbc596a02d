/**
 * Finds the row that holds an offset: the first one on the way down, if rows overlap.
 */
import { NONE } from '../../model/units.js';
import type { OrderedRows } from './ordered-rows.js';

/** Returns NONE if no row holds it. The end of a row is exclusive, unless the row is empty. */
export function findRow({ root, key, left, right }: OrderedRows, end: Float64Array, offset: number): number {
  let row = root;
  while (row !== NONE) {
    if (offset < key[row]) row = left[row];
    else if (offset > end[row] || (offset === end[row] && end[row] !== key[row])) row = right[row];
    else return row;
  }
  return NONE;
}
