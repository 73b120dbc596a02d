/**
 * Sums up call trees by function and by pair of caller and callee, as callgrind files have them.
 */
import { outermostNodes } from '../../analysis/tree/functions.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import { float64Column } from '../../model/columns.js';
import type { NodeId } from '../../model/units.js';

/** The calls from one function to another. */
export interface CallRow {
  readonly callee: number;
  readonly calls: number;
  /** By measure, with all callees. */
  readonly costs: Float64Array;
}

/**
 * Functions and threads are numbered alike, functions first. A call costs what it took with its callees, unless its
 * function was on the stack already: then it costs nothing. So the calls of a function cost its total, in which
 * recursion counts once.
 */
export class Costs {
  /** By function, then measure: without callees. */
  private readonly self: Float64Array;
  /** By pair, then calls and measures. */
  private readonly values = float64Column();
  private readonly rows = new Map<number, number>();
  private readonly functions: number;
  private readonly measures: number;

  constructor(functions: number, measures: number) {
    this.functions = functions;
    this.measures = measures;
    this.self = new Float64Array(functions * measures);
  }

  /** `caller`: of functions without a caller; `functionOf`: by symbol; `own`: the values of each measure, by node. */
  add(tree: CallTree, caller: number, functionOf: Int32Array, own: readonly Float64Array[]): void {
    const { length, parent, symbol } = tree;
    const totals = own.map((values) => totalTimes({ parent, selfNs: values }));
    const isOutermost = outermostNodes(tree);
    for (let node: NodeId = ROOT + 1; node < length; node++) {
      const callee = functionOf[symbol[node]];
      const row = this.rowOf(parent[node] === ROOT ? caller : functionOf[symbol[parent[node]]], callee);
      this.values.values[row] += tree.calls[node];
      own.forEach((values, measure) => {
        this.self[callee * this.measures + measure] += values[node];
        if (isOutermost[node]) this.values.values[row + 1 + measure] += (totals[measure] as Float64Array)[node];
      });
    }
  }

  /** By measure; threads have none. */
  selfOf(caller: number): Float64Array {
    const row = caller * this.measures;
    return row < this.self.length ? this.self.subarray(row, row + this.measures) : new Float64Array(this.measures);
  }

  /** By measure: of everything. */
  sum(): Float64Array {
    const sum = new Float64Array(this.measures);
    for (let row = 0; row < this.self.length; row++) sum[row % this.measures] += this.self[row];
    return sum;
  }

  /** Yields the calls of each function, then of each thread, callees in the order of their numbers. `callers`: how many. */
  *callsOfEach(callers: number): Generator<readonly CallRow[]> {
    const pairs = Float64Array.from(this.rows.keys()).sort();
    for (let caller = 0, at = 0; caller < callers; caller++) {
      const calls: CallRow[] = [];
      for (; at < pairs.length && pairs[at] < (caller + 1) * this.functions; at++) calls.push(this.callRow(pairs[at]));
      yield calls;
    }
  }

  private callRow(pair: number): CallRow {
    const row = this.rows.get(pair) as number;
    const { values } = this.values;
    return {
      callee: pair % this.functions,
      calls: values[row],
      costs: values.subarray(row + 1, row + 1 + this.measures),
    };
  }

  private rowOf(caller: number, callee: number): number {
    const pair = caller * this.functions + callee;
    const known = this.rows.get(pair);
    if (known !== undefined) return known;
    const row = this.values.length;
    this.rows.set(pair, row);
    for (let value = 0; value <= this.measures; value++) this.values.push(0);
    return row;
  }
}
