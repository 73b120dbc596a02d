/**
 * What a search finds in a graph, and the graph of that alone.
 */
import { ROOT } from '../../../model/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import { type FrameTable, summedUp } from '../../frames/frame-table.js';
import { type Found, find, matcherOf } from '../../frames/search.js';

/** null: the search asks for nothing. */
export function matchesIn(table: FrameTable, search: string): Found | null {
  const matcher = search === '' ? null : matcherOf(search);
  return matcher && find(table, matcher);
}

/** Only the weight of what is found, with all below it. */
export function onlyMatches(table: FrameTable, { isMatch }: Found): FrameTable {
  const isInside = new Uint8Array(table.tree.length);
  for (let node: NodeId = ROOT; node < isInside.length; node++)
    isInside[node] = isMatch[node] || (node !== ROOT && isInside[table.parent[node]]) ? 1 : 0;
  const self = table.self.map((own, node) => (isInside[node] ? own : 0));
  return { ...table, self, total: summedUp(table.tree, self) };
}
