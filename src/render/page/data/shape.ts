/**
 * The shape in the page and back: the depth of each node tells its caller, as nodes stand in the order of a walk.
 */

import type { NumberReader } from '../../../codec/number-reader.js';
import { NONE } from '../../../model/units.js';
import { pageWriter } from './numbers.js';
import type { Shape } from './page-data.js';

export function shapeBytes({ parent, symbol }: Shape): Uint8Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  const writer = pageWriter();
  writer.rows(depth);
  writer.guessed(symbol.subarray(1), new Float64Array(symbol.length - 1));
  return writer.view();
}

/** Of so many nodes, whose symbols are rows of a table with so many. */
export function readShape(reader: NumberReader, length: number, symbols: number): Shape {
  const parent = parentsOf(reader, length);
  const rows = reader.guessed(new Float64Array(length - 1));
  if (rows.some((row) => !(row >= 0 && row < symbols))) throw reader.fault('has a node without a symbol');
  const symbol = new Int32Array(length).fill(NONE);
  symbol.set(rows, 1);
  return { length, parent, symbol };
}

/** A caller is the last node before that is one level less deep. */
function parentsOf(reader: NumberReader, length: number): Int32Array {
  const depth = reader.rows(length, length);
  const parent = new Int32Array(depth.length).fill(NONE);
  const lastAt = new Int32Array(depth.length);
  if (depth[0] !== 0) throw reader.fault('has no root');
  for (let node = 1; node < depth.length; node++) {
    const level = depth[node];
    if (!(level > 0 && level <= depth[node - 1] + 1)) throw reader.fault('has a node without a caller');
    parent[node] = lastAt[level - 1];
    lastAt[level] = node;
  }
  return parent;
}
