/**
 * The trees of all threads, laid over each other: the shape that they have together, and where each of their nodes is in it.
 */
import { type CallTree, CallTreeBuilder, ROOT, selectNodes } from '../../../model/calls/call-tree.js';
import { askForMemory } from '../../../model/memory-watch.js';
import { symbolRanks } from '../../../model/names/symbol-order.js';
import { nodeOrder, type SymbolOrder } from '../../../model/profile/file-order.js';
import type { Profile } from '../../../model/profile/profile.js';
import { NONE } from '../../../model/units.js';
import type { Shape } from './page-data.js';

export interface Overlay {
  readonly shape: Shape;
  readonly threads: readonly OverlaidTree[];
}

/** A tree in the order of the shape. */
export interface OverlaidTree {
  readonly tree: CallTree;
  /** In the shape, by row of the tree; ascending. */
  readonly node: Int32Array;
}

/** Of threads that have trees of their own. Symbols are numbered anew. */
export function overlay({ threads }: Profile, { table, rankOf }: SymbolOrder): Overlay {
  const builder = new CallTreeBuilder();
  const paths = threads.map(({ tree }) => ({ tree, path: addPaths(builder, tree, rankOf) }));
  const union = builder.build();
  const rank = symbolRanks(table);
  const order = nodeOrder(
    union,
    union.symbol.map((row) => (row === NONE ? NONE : rank[row])),
  );
  const { length, parent, symbol } = selectNodes(union, order);
  const newId = inverse(order);
  const rowOf = new Int32Array(length);
  const inShape = (path: Int32Array) => path.map((node) => newId[node]);
  return {
    shape: { length, parent, symbol },
    threads: paths.map(({ tree, path }) => overlaid(tree, inShape(path), rowOf)),
  };
}

/** Where each node of the tree is in the builder's. */
function addPaths(builder: CallTreeBuilder, { length, parent, symbol }: CallTree, rankOf: Int32Array): Int32Array {
  askForMemory(length * Int32Array.BYTES_PER_ELEMENT);
  const here = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) here[node] = builder.child(here[parent[node]], rankOf[symbol[node]]);
  return here;
}

/** `nodeOf`: in the shape, by node of the tree. `rowOf`: memory, as long as the shape. */
function overlaid(tree: CallTree, nodeOf: Int32Array, rowOf: Int32Array): OverlaidTree {
  for (let row = 0; row < nodeOf.length; row++) rowOf[nodeOf[row]] = row;
  const node = nodeOf.toSorted();
  const rows = node.map((place) => rowOf[place]);
  return { node, tree: selectNodes(tree, rows) };
}

function inverse(order: Int32Array): Int32Array {
  const place = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) place[order[at]] = at;
  return place;
}
