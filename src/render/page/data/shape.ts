/**
 * The shape in the page and back: the depth of each node tells its caller, as nodes stand in the order of a walk.
 */
import { assert } from '../../../model/errors.js';
import { NONE } from '../../../model/units.js';
import type { NumberReader } from './number-reader.js';
import { NumberWriter } from './number-writer.js';
import type { Shape } from './page-data.js';

export function shapeBytes({ parent, symbol }: Shape): Uint8Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  const writer = new NumberWriter();
  writer.rows(depth);
  writer.column(symbol.subarray(1), new Float64Array(symbol.length - 1));
  return writer.taken();
}

/** Of so many nodes, whose symbols are rows of a table with so many. */
export function readShape(reader: NumberReader, length: number, symbols: number): Shape {
  const parent = parentsOf(reader.rows(length, length));
  const rows = reader.column(new Float64Array(length - 1));
  for (const row of rows) assert(row >= 0 && row < symbols, 'the page has a node without a symbol');
  const symbol = new Int32Array(length).fill(NONE);
  symbol.set(rows, 1);
  return { length, parent, symbol };
}

/** A caller is the last node before that is one level less deep. */
function parentsOf(depth: Float64Array): Int32Array {
  const parent = new Int32Array(depth.length).fill(NONE);
  const lastAt = new Int32Array(depth.length);
  assert(depth[0] === 0, 'the page has no root');
  for (let node = 1; node < depth.length; node++) {
    const level = depth[node];
    assert(level > 0 && level <= depth[node - 1] + 1, 'the page has a node without a caller');
    parent[node] = lastAt[level - 1];
    lastAt[level] = node;
  }
  return parent;
}
