/**
 * Encodes and decodes the shape. Nodes are in pre-order, so the depth of a node determines its caller.
 */

import type { NumberReader } from '../../codec/number-reader.js';
import { pageWriter } from '../../codec/page-numbers.js';
import type { Shape } from '../../model/calls/overlay.js';
import { NONE } from '../../model/units.js';

export function shapeBytes({ parent, symbol }: Shape): Uint8Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  const writer = pageWriter();
  writer.rows(depth);
  writer.guessed(symbol.subarray(1), new Float64Array(symbol.length - 1));
  return writer.view();
}

/** Reads a shape. `length`: number of nodes. `symbols`: number of symbols. */
export function readShape(reader: NumberReader, length: number, symbols: number): Shape {
  const parent = parentsOf(reader, length);
  const rows = reader.guessed(new Float64Array(length - 1));
  if (rows.some((row) => !(row >= 0 && row < symbols))) throw reader.fault('has a node without a symbol');
  const symbol = new Int32Array(length).fill(NONE);
  symbol.set(rows, 1);
  return { length, parent, symbol };
}

/** Returns the callers: the caller of a node is the last node before it with a depth smaller by one. */
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
