/**
 * The shape in the page and back: the depth of each node tells its caller, as nodes stand in the order of a walk.
 */
import { assert } from '../../../model/errors.js';
import { NONE } from '../../../model/units.js';
import type { NumberReader } from './number-reader.js';
import { any, following, NumberWriter } from './number-writer.js';
import type { Shape } from './page-data.js';

export function shapeBytes({ parent, symbol }: Shape): Uint8Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  const writer = new NumberWriter();
  writer.rows(depth, following);
  writer.rows(symbol.subarray(1), any);
  return writer.taken();
}

/** Of so many nodes, whose symbols are rows of a table with so many. */
export function readShape(reader: NumberReader, length: number, symbols: number): Shape {
  const parent = parentsOf(reader.rows(length, following, length));
  const symbol = new Int32Array(length).fill(NONE);
  symbol.set(reader.rows(length - 1, any, symbols), 1);
  return { length, parent, symbol };
}

/** A caller is the last node before that is one level less deep. */
function parentsOf(depth: Int32Array): Int32Array {
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
