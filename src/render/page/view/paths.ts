/**
 * Frames by the symbols that lead to them: in another tree they are other nodes.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import { NONE, type NodeId, type SymbolId } from '../../../model/units.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { State } from './state.js';

/** The node to which symbols lead; null if they lead nowhere. */
export function nodeAt({ tree, firstChild, nextSibling }: FrameTable, path: readonly SymbolId[]): NodeId | null {
  let node: NodeId = ROOT;
  for (const symbol of path) {
    node = firstChild[node];
    while (node !== NONE && tree.symbol[node] !== symbol) node = nextSibling[node];
    if (node === NONE) return null;
  }
  return node;
}

/** As much of a path as leads somewhere. */
export function existingPrefix(table: FrameTable, path: readonly SymbolId[]): readonly SymbolId[] {
  let part = path;
  while (nodeAt(table, part) === null) part = part.slice(0, -1);
  return part;
}

/** The run of siblings that fills the width; the root if nothing was zoomed in on, or what was is not there. */
export function zoomedRange(
  table: FrameTable,
  { zoom, zoomLast }: Pick<State, 'zoom' | 'zoomLast'>,
): { readonly first: NodeId; readonly last: NodeId } {
  const first = nodeAt(table, zoom);
  if (first === null || first === ROOT) return { first: ROOT, last: ROOT };
  const last = zoomLast === null ? first : nodeAt(table, [...zoom.slice(0, -1), zoomLast]);
  return { first, last: last === null || last < first ? first : last };
}

/** The symbols that lead to a node. */
export function pathTo({ tree }: FrameTable, node: NodeId): SymbolId[] {
  const path: SymbolId[] = [];
  for (let at = node; at !== ROOT; at = tree.parent[at]) path.push(tree.symbol[at]);
  return path.reverse();
}
