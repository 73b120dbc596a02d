/**
 * Builds frame tables from trees: ordered siblings, with names, families and weights.
 */

import { functionSet } from '../../analysis/questions.js';
import { bottomUp, callersOfFunction } from '../../analysis/tree/callers.js';
import { ownWeights } from '../../analysis/tree/outside.js';
import { reroot } from '../../analysis/tree/reshape.js';
import { type CallTree, nodeColumns, ROOT, selectNodes, usedNodes } from '../../model/calls/call-tree.js';
import { inPreOrder, totalTimes } from '../../model/calls/tree-view.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { symbolRanks } from '../../model/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import { frameNames } from '../../render/frame-names.js';
import { type Family, familyOf } from '../../render/frames/families.js';
import { type FrameTable, frameTable, subtreeSums } from '../../render/frames/frame-table.js';
import { visibleText } from '../../render/visible-text.js';
import type { Order, Width } from './state.js';

/** Callers with a smaller share are not split further: they would be invisible. */
const MIN_SHARE = 1 / 20_000;

export class FrameTables {
  /** Names by symbol; families are by symbol, too. */
  readonly names: readonly string[];
  /** Names in frames: with the file if another file has a function of the same name. */
  readonly frameNames: readonly string[];
  private readonly families: readonly Family[];
  private readonly rank: Int32Array;
  private readonly hasSwitches: boolean;
  /** Cache by tree: only `weight`, `self` and `total` depend on the width. */
  private readonly known = new WeakMap<CallTree, FrameTable>();

  constructor(symbols: SymbolTable, hasSwitches: boolean) {
    this.names = symbols.name.map(visibleText);
    this.frameNames = frameNames(symbols);
    this.families = symbols.name.map((_, symbol) => familyOf(symbol, symbols));
    this.rank = symbolRanks(symbols);
    this.hasSwitches = hasSwitches;
  }

  /** Returns the same tree with siblings by name. */
  byName(tree: CallTree): CallTree {
    const { rank } = this;
    return inPreOrder(tree, (a, b) => rank[tree.symbol[a]] - rank[tree.symbol[b]]);
  }

  /** Returns the table of a tree whose siblings are ordered by name. */
  ofWidth(tree: CallTree, width: Width, order: Order): FrameTable {
    if (width === 'self') return this.table(this.bySize(bottomUp(tree, minTotal(tree))));
    const own = ownWeights(tree, width, this.hasSwitches);
    const weight = width === 'calls' ? 'calls' : 'ns';
    if (order === 'name') return this.table(tree, own, weight);
    const ordered = this.bySize(tree, own);
    return this.table(ordered, ownWeights(ordered, width, this.hasSwitches), weight);
  }

  /** Returns the table of some call paths with times of their own; null: all are 0. */
  ofTimes({ parent, symbol }: WaitsByPath['paths'], selfNs: Float64Array): FrameTable | null {
    const { length } = selfNs;
    const none = nodeColumns(() => new Float64Array(length));
    const tree = { ...none, length, parent: Int32Array.from(parent), symbol: Int32Array.from(symbol), selfNs };
    const used = usedNodes(tree);
    return used.length === 1 ? null : this.table(this.bySize(selectNodes(tree, used)));
  }

  /** Returns the callers and the callees of a function, each with the function itself below the root. */
  callersAndCallees(
    tree: CallTree,
    symbol: SymbolId,
    order: Order,
  ): { readonly callers: FrameTable; readonly callees: FrameTable } {
    const inside = reroot(tree, functionSet([symbol], this.names.length));
    const callees = order === 'name' ? this.byName(inside) : this.bySize(inside);
    const callers = this.bySize(callersOfFunction(tree, symbol, minTotal(callees)));
    return { callers: this.table(callers), callees: this.table(callees) };
  }

  /** Returns the same tree with siblings by weight, the heaviest first, equal ones by name. */
  private bySize(tree: CallTree, own = tree.selfNs): CallTree {
    const { rank } = this;
    const total = totalTimes({ parent: tree.parent, selfNs: own });
    return inPreOrder(tree, (a, b) => total[b] - total[a] || rank[tree.symbol[a]] - rank[tree.symbol[b]]);
  }

  private table(tree: CallTree, own = tree.selfNs, weight: 'ns' | 'calls' = 'ns'): FrameTable {
    const known = this.known.get(tree);
    if (known !== undefined) return { ...known, weight, self: own, total: subtreeSums(tree, own) };
    const { frameNames: names, families } = this;
    const table = frameTable({ tree, names, families, omitted: new Float64Array(tree.length), weight }, own);
    this.known.set(tree, table);
    return table;
  }
}

function minTotal(tree: CallTree): number {
  return totalTimes(tree)[ROOT] * MIN_SHARE;
}
