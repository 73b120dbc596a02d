/**
 * Compares one call with the average of many, frame by frame: where it spent more time than they did.
 */
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { compareSymbols } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { timeSums } from '../tree/outside.js';

export interface DifferenceRow {
  /** NONE: the self time of the frame above. */
  readonly symbol: SymbolId;
  /** 0: the call itself. */
  readonly depth: number;
  readonly calls: number;
  readonly ns: Nanoseconds;
  /** Of the average call. */
  readonly averageCalls: number;
  readonly averageNs: number;
  /** How much more time than the average; the rows below add up to it. */
  readonly differenceNs: number;
}

/** In pre-order, at each frame the largest difference first. `calls`: the number of calls that `all` sums up. */
export function differences(one: CallTree, all: CallTree, calls: number, symbols: SymbolTable): DifferenceRow[] {
  return new Comparison(one, all, calls, symbols).rows();
}

/** A frame with all below it, or the self time of a frame. */
interface Part {
  readonly node: NodeId;
  readonly isSelf: boolean;
}

class Comparison {
  private readonly symbol: Int32Array;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  /** Total time, self time and calls, by node of the merged tree. */
  private readonly one: NodeColumns;
  private readonly average: NodeColumns;
  private readonly found: DifferenceRow[] = [];

  constructor(
    one: CallTree,
    all: CallTree,
    calls: number,
    private readonly symbols: SymbolTable,
  ) {
    const both = new CallTreeBuilder();
    const oneNodes = both.addPaths(one);
    const allNodes = both.addPaths(all);
    const tree = both.build();
    const view = viewOf(tree);
    this.symbol = tree.symbol;
    this.firstChild = view.firstChild;
    this.nextSibling = view.nextSibling;
    this.one = mergedColumns(one, oneNodes, tree.length, 1);
    this.average = mergedColumns(all, allNodes, tree.length, calls);
  }

  rows(): DifferenceRow[] {
    const open: (Part & { readonly depth: number })[] = [{ node: ROOT, depth: 0, isSelf: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { node, depth, isSelf } = next;
      this.found.push(this.rowOf(node, depth, isSelf));
      if (isSelf || this.firstChild[node] === NONE) continue;
      open.push(
        ...this.partsOf(node)
          .map((part) => ({ ...part, depth: depth + 1 }))
          .reverse(),
      );
    }
    return this.found;
  }

  private partsOf(node: NodeId): Part[] {
    const parts: Part[] = [{ node, isSelf: true }];
    for (let child = this.firstChild[node]; child !== NONE; child = this.nextSibling[child])
      parts.push({ node: child, isSelf: false });
    const sized = parts.map((part) => ({ part, ns: this.differenceNs(part.node, part.isSelf) }));
    const byName = (a: Part, b: Part) => compareSymbols(this.symbols, this.symbolOf(a), this.symbolOf(b));
    return sized.sort((a, b) => b.ns - a.ns || byName(a.part, b.part)).map(({ part }) => part);
  }

  private symbolOf({ node, isSelf }: Part): SymbolId {
    return isSelf ? NONE : this.symbol[node];
  }

  private differenceNs(node: NodeId, isSelf: boolean): number {
    const { one, average } = this;
    return isSelf ? one.selfNs[node] - average.selfNs[node] : one.totalNs[node] - average.totalNs[node];
  }

  private rowOf(node: NodeId, depth: number, isSelf: boolean): DifferenceRow {
    const { one, average, symbol } = this;
    return {
      symbol: isSelf ? NONE : symbol[node],
      depth,
      calls: isSelf ? 0 : one.calls[node],
      ns: isSelf ? one.selfNs[node] : one.totalNs[node],
      averageCalls: isSelf ? 0 : average.calls[node],
      averageNs: isSelf ? average.selfNs[node] : average.totalNs[node],
      differenceNs: this.differenceNs(node, isSelf),
    };
  }
}

interface NodeColumns {
  readonly totalNs: Float64Array;
  readonly selfNs: Float64Array;
  readonly calls: Float64Array;
}

function mergedColumns(tree: CallTree, nodes: Int32Array, length: number, calls: number): NodeColumns {
  const { totalNs } = timeSums(tree);
  const spread = (values: Float64Array) => {
    const result = new Float64Array(length);
    for (let node = 0; node < tree.length; node++) result[nodes[node]] = values[node] / Math.max(calls, 1);
    return result;
  };
  return { totalNs: spread(totalNs), selfNs: spread(tree.selfNs), calls: spread(tree.calls) };
}
