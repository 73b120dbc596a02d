/**
 * Orders trees one after the other, in place: discarded columns would stay until the garbage collector runs, which is
 * late in workers.
 */

import { ReusedColumn, rowNumbers } from '../columns.js';
import { NONE } from '../units.js';
import { type CallTree, ROOT } from './call-tree.js';
import { NODE_COLUMNS } from './node-columns.js';
import { isOrdered, nodeOrder } from './node-order.js';

export class TreeSorter {
  private readonly rank: Int32Array;
  private readonly ranks = new ReusedColumn(new Int32Array(0));
  private readonly values = new ReusedColumn(new Float64Array(0));

  /** `rank`: by symbol, each different. */
  constructor(rank: Int32Array) {
    this.rank = rank;
  }

  /**
   * Returns the tree in pre-order with siblings by rank, and by node where it is now, until the next tree is sorted.
   * Overwrites the numbers of the tree, but not its links.
   */
  sort(tree: CallTree): { readonly tree: CallTree; readonly newId: Int32Array } {
    const { length, parent, symbol } = tree;
    if (isOrdered(tree, this.rank)) return { tree, newId: rowNumbers(length) };
    const ranks = this.ranks.uninitialized(length);
    for (let node = ROOT + 1; node < length; node++) ranks[node] = this.rank[symbol[node]];
    const order = nodeOrder(tree, ranks);
    const newId = ranks; // not needed any longer
    for (let row = 0; row < length; row++) newId[order[row]] = row;
    for (const name of NODE_COLUMNS) this.reorder(tree[name], order);
    const sorted = {
      ...tree,
      parent: order.map((node) => (node === ROOT ? NONE : newId[parent[node]])),
      symbol: order.map((node) => symbol[node]),
    };
    return { tree: sorted, newId };
  }

  private reorder(column: Float64Array, order: Int32Array): void {
    const values = this.values.uninitialized(column.length);
    values.set(column);
    for (let row = 0; row < order.length; row++) column[row] = values[order[row]];
  }
}
