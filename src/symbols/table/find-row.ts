/**
 * An offset → the row that holds it: the first one met on the way down, which is not the only one if rows overlap.
 */
import { NONE } from '../../model/units.js';
import type { OrderedRows } from './ordered-rows.js';

/** NONE if there is none. Of a row, its end is no part, unless it is empty. */
export function findRow({ root, key, left, right }: OrderedRows, end: Float64Array, offset: number): number {
  let row = root;
  while (row !== NONE) {
    if (offset < key[row]) row = left[row];
    else if (offset > end[row] || (offset === end[row] && end[row] !== key[row])) row = right[row];
    else return row;
  }
  return NONE;
}
