/**
 * Overlays the trees of all threads, ordered and numbered as in the page.
 */
import type { CallTree } from '../../model/calls/call-tree.js';
import { orderedTree } from '../../model/calls/node-order.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { symbolRanks } from '../../model/names/symbol-order.js';
import type { SymbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import { NONE } from '../../model/units.js';

export interface ThreadsOverlay {
  /** Its symbols are numbered as in the page. */
  readonly shape: Shape;
  readonly threads: readonly OverlaidTree[];
}

/** A tree in the order of the shape. */
export interface OverlaidTree {
  readonly tree: CallTree;
  /** Node of the shape for each row of the tree; ascending. */
  readonly node: Int32Array;
}

/** Overlays the threads, each with its own tree. */
export function overlay({ symbols, threads }: Profile, { rankOf }: SymbolOrder): ThreadsOverlay {
  const rank = symbolRanks(symbols);
  const trees = threads.map(({ tree }) => orderedTree(tree, rank));
  const { shape, nodes } = overlayTrees(trees, rank);
  return {
    shape: { ...shape, symbol: shape.symbol.map((symbol) => (symbol === NONE ? NONE : rankOf[symbol])) },
    threads: trees.map((tree, at) => ({ tree, node: nodes[at] as Int32Array })),
  };
}
