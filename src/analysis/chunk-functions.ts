/**
 * All calls of a thread by function, in chunks that are handed on while its log is walked: the calls of a function are in
 * few of them.
 */

import type { CallLog } from '../model/calls/call-log.js';
import { float64Column, int32Column, uint8Column, valuesOf } from '../model/columns.js';
import { FUNCTION_CHUNK_CALLS, type FunctionCalls } from '../model/profile/timeline.js';
import type { Bounds, Nanoseconds, SymbolId } from '../model/units.js';
import { overlaps } from './log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './log/walk-calls.js';

/** `first`, `last`: the functions of the first and the last call, numbered as in `FunctionIndex`. */
export type FunctionSink = (calls: FunctionCalls, first: number, last: number) => void;

/** The tree that is handed on. */
export interface ShownNodes {
  /** By node of the log, its node there. */
  readonly nodeOf: Int32Array;
  /** By its nodes. */
  readonly symbol: ArrayLike<SymbolId>;
}

/** So many calls are put in order at once. */
const BATCH_CALLS = 2 ** 18;

/** Times are relative to the start of the window; calls outside of it are left out. */
export function chunkFunctions(
  log: CallLog,
  window: Bounds,
  shown: ShownNodes,
  sink: FunctionSink,
  batchCalls = BATCH_CALLS,
): void {
  const chunker = new FunctionChunker(window, shown, sink, batchCalls);
  walkCalls(log, chunker);
  chunker.finish();
}

class WholeCall extends OpenCall {
  isSplit = false;
}

class FunctionChunker implements CallListener<WholeCall> {
  private batch = newColumns();
  private readonly functionOf: Int32Array;
  private readonly nodeOf: Int32Array;
  private readonly window: Bounds;
  private readonly sink: FunctionSink;
  private readonly batchCalls: number;

  constructor(window: Bounds, { nodeOf, symbol }: ShownNodes, sink: FunctionSink, batchCalls: number) {
    this.window = window;
    this.nodeOf = nodeOf;
    this.functionOf = firstNodes(symbol);
    this.sink = sink;
    this.batchCalls = batchCalls;
  }

  newCall(): WholeCall {
    return new WholeCall();
  }

  opened(call: WholeCall): void {
    call.isSplit = false;
  }

  spent(): void {}

  suspended(call: WholeCall): void {
    call.isSplit = true;
  }

  closed({ node, entryNs, isSplit }: WholeCall, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    const { window, batch } = this;
    if (!overlaps(window, entryNs, exitNs)) return;
    batch.startNs.push(entryNs - window.startNs);
    batch.endNs.push(exitNs - window.startNs);
    batch.node.push(this.nodeOf[node]);
    batch.ending.push(ending);
    batch.knownNs.push(knownNs);
    batch.isSplit.push(isSplit ? 1 : 0);
    if (batch.node.length === this.batchCalls) this.finish();
  }

  /** Hands on what waits. */
  finish(): void {
    const { startNs, endNs, node, ending, knownNs, isSplit } = this.batch;
    const rows = this.rowsByFunction(node.view());
    for (let at = 0; at < rows.length; at += FUNCTION_CHUNK_CALLS) {
      const some = rows.subarray(at, at + FUNCTION_CHUNK_CALLS);
      const calls = {
        startNs: valuesOf(startNs.view(), some),
        endNs: valuesOf(endNs.view(), some),
        node: valuesOf(node.view(), some),
        ending: valuesOf(ending.view(), some),
        knownNs: valuesOf(knownNs.view(), some),
        isSplit: valuesOf(isSplit.view(), some),
      };
      this.sink(calls, this.functionOf[calls.node[0]], this.functionOf[calls.node[some.length - 1]]);
    }
    this.batch = newColumns();
  }

  /** Numbers are sorted natively: function and row in one. */
  private rowsByFunction(node: Int32Array): Int32Array {
    const { length } = node;
    const keys = Float64Array.from(node, (own, row) => this.functionOf[own] * length + row).sort();
    return Int32Array.from(keys, (key) => key % length);
  }
}

/** Returns by node the first one of the same function. */
function firstNodes(symbol: ArrayLike<SymbolId>): Int32Array {
  const first = new Map<SymbolId, number>();
  return Int32Array.from(symbol, (own, node) => {
    const known = first.get(own);
    if (known === undefined) first.set(own, node);
    return known ?? node;
  });
}

function newColumns() {
  const [startNs, endNs, knownNs] = [float64Column(), float64Column(), float64Column()];
  return { startNs, endNs, node: int32Column(), ending: int32Column(), knownNs, isSplit: uint8Column() };
}
