/**
 * Overlays the trees of all threads: one shape with all their paths, and the node of the shape for each node of a tree.
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

/** A tree reordered like the shape. */
export interface OverlaidTree {
  readonly tree: CallTree;
  /** Node of the shape for each row of the tree; ascending. */
  readonly node: Int32Array;
}

/** Overlays the threads, each with its own tree. Symbols are renumbered. */
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

/** Adds the paths of a tree; returns the node of the builder for each of its nodes. */
function addPaths(builder: CallTreeBuilder, { length, parent, symbol }: CallTree, rankOf: Int32Array): Int32Array {
  askForMemory(length * Int32Array.BYTES_PER_ELEMENT);
  const here = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) here[node] = builder.child(here[parent[node]], rankOf[symbol[node]]);
  return here;
}

/** Reorders a tree like the shape. `nodeOf`: node of the shape by node of the tree. `rowOf`: scratch memory, as long as the shape. */
function overlaid(tree: CallTree, nodeOf: Int32Array, rowOf: Int32Array): OverlaidTree {
  for (let row = 0; row < nodeOf.length; row++) rowOf[nodeOf[row]] = row;
  const node = nodeOf.toSorted();
  const rows = node.map((inShape) => rowOf[inShape]);
  return { node, tree: selectNodes(tree, rows) };
}

function inverse(order: Int32Array): Int32Array {
  const positions = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) positions[order[at]] = at;
  return positions;
}
