/**
 * Finds frames by their path of symbols, which stays valid when the tree changes.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { State } from './state.js';

/** Returns the node at the end of a path; null if the path does not exist. */
export function nodeAt(table: FrameTable, path: readonly SymbolId[]): NodeId | null {
  const nodes = nodesOn(table, path);
  return nodes.length < path.length ? null : (nodes.at(-1) ?? ROOT);
}

/** Returns the longest prefix of a path that exists. */
export function existingPrefix(table: FrameTable, path: readonly SymbolId[]): readonly SymbolId[] {
  return path.slice(0, nodesOn(table, path).length);
}

/** Returns the nodes of a path, as far as it exists. */
function nodesOn({ tree, firstChild, nextSibling }: FrameTable, path: readonly SymbolId[]): NodeId[] {
  const nodes: NodeId[] = [];
  let node: NodeId = ROOT;
  for (const symbol of path) {
    node = firstChild[node];
    while (node !== NONE && tree.symbol[node] !== symbol) node = nextSibling[node];
    if (node === NONE) break;
    nodes.push(node);
  }
  return nodes;
}

/** Returns the siblings that fill the width; the root without a zoom or if the zoomed path does not exist. */
export function zoomedRange(
  table: FrameTable,
  { zoom, zoomLast }: Pick<State, 'zoom' | 'zoomLast'>,
): { readonly first: NodeId; readonly last: NodeId } {
  const first = nodeAt(table, zoom);
  if (first === null || first === ROOT) return { first: ROOT, last: ROOT };
  const last = zoomLast === null ? first : nodeAt(table, [...zoom.slice(0, -1), zoomLast]);
  return { first, last: last === null || last < first ? first : last };
}

/** Returns the path of symbols to a node. */
export function pathTo({ tree }: FrameTable, node: NodeId): SymbolId[] {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = tree.parent[at]) path.push(tree.symbol[at]);
  return path.reverse();
}
