/**
 * Finds the nodes of one tree in another: a log refers to replay's tree, which is reduced and ordered for the profile.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { nodeOrder } from '../../model/calls/tree-view.js';
import { NONE } from '../../model/units.js';

type Paths = Pick<CallTree, 'length' | 'parent' | 'symbol'>;

/**
 * Returns by node of `from` the node of `to` with the same call path, or NONE. `to` has some of the paths of `from`, in
 * pre-order with siblings by rank. `rank`: by symbol, each different.
 */
export function sameNodes(from: Paths, to: Paths, rank: Int32Array): Int32Array {
  const ranks = from.symbol.map((symbol) => (symbol === NONE ? NONE : rank[symbol]));
  const found = new Int32Array(from.length).fill(NONE);
  found[ROOT] = ROOT;
  let next = ROOT + 1;
  for (const node of nodeOrder(from, ranks)) {
    if (node === ROOT || next === to.length) continue;
    const isSame = to.symbol[next] === from.symbol[node] && to.parent[next] === found[from.parent[node]];
    if (isSame) found[node] = next++;
  }
  return found;
}
