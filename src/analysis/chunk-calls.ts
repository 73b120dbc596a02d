/**
 * All calls of a thread by when they were, in chunks that are handed on while its log is walked: what waits is bounded by
 * how many calls of a level are within the duration of one.
 */

import type { CallLog } from '../model/calls/call-log.js';
import { float64Column, int32Column, rowNumbers, rowsOf, uint8Column, viewsOf } from '../model/columns.js';
import {
  CHUNK_CALLS,
  FUNCTION_CHUNK_CALLS,
  type FunctionCalls,
  PIECE,
  type Spans,
  spanLevel,
} from '../model/profile/timeline.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import { overlaps } from './log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './log/walk-calls.js';
import { spansAt } from './timeline/spans-builder.js';

/** Instead of a level: the calls in pieces, each from its start to its end. */
const SPLIT = 'split';
export type CallList = number | typeof SPLIT;

/** Receives the chunks of each list in order. */
export type ChunkSink = (list: CallList, calls: Spans) => void;

/**
 * Times are relative to the start of the window; calls outside of it are left out. The lists are those of `ThreadSpans`,
 * but `split` is by start within each chunk. `chunkLength`: calls of a chunk.
 */
export function chunkCalls(log: CallLog, window: Bounds, sink: ChunkSink, chunkLength = CHUNK_CALLS): void {
  const chunker = new CallChunker(window, sink, chunkLength);
  walkCalls(log, chunker);
  chunker.finish();
}

class StackedCall extends OpenCall {
  /** When it came onto the thread's stack. */
  sinceNs: Nanoseconds = 0;
  isInPieces = false;
}

class CallChunker implements CallListener<StackedCall> {
  private readonly levels: PendingCalls[] = [];
  private readonly split: PendingCalls;
  private nowNs: Nanoseconds = 0;

  constructor(
    private readonly window: Bounds,
    private readonly sink: ChunkSink,
    private readonly chunkLength: number,
  ) {
    this.split = new PendingCalls(chunkLength);
  }

  newCall(): StackedCall {
    return new StackedCall();
  }

  opened(call: StackedCall): void {
    call.sinceNs = call.entryNs;
    call.isInPieces = false;
    this.nowNs = call.entryNs;
  }

  spent(_top: StackedCall | null, _fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.nowNs = toNs;
  }

  suspended(call: StackedCall): void {
    call.isInPieces = true;
    this.addPiece(call, this.nowNs);
  }

  resumed(call: StackedCall): void {
    call.sinceNs = this.nowNs;
  }

  closed(call: StackedCall, exitNs: Nanoseconds, ending: number): void {
    const { node, entryNs, isInPieces, isSuspended } = call;
    this.nowNs = Math.max(this.nowNs, exitNs);
    if (!isInPieces) return this.add(node, entryNs, exitNs, ending);
    if (!isSuspended) this.addPiece(call, exitNs);
    if (!overlaps(this.window, entryNs, exitNs)) return;
    this.split.push(node, entryNs - this.window.startNs, exitNs - this.window.startNs, ending);
    if (this.split.isFull) this.handOn(SPLIT, this.split, Number.POSITIVE_INFINITY);
  }

  finish(): void {
    for (const [level, pending] of this.levels.entries()) this.handOn(level, pending, Number.POSITIVE_INFINITY);
    this.handOn(SPLIT, this.split, Number.POSITIVE_INFINITY);
  }

  private addPiece({ node, sinceNs }: StackedCall, atNs: Nanoseconds): void {
    if (atNs > sinceNs) this.add(node, sinceNs, atNs, PIECE);
  }

  private add(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number): void {
    if (!overlaps(this.window, startNs, endNs)) return;
    const originNs = this.window.startNs;
    const level = spanLevel(endNs - startNs);
    while (this.levels.length <= level) this.levels.push(new PendingCalls(this.chunkLength));
    const pending = this.levels[level];
    pending.push(node, startNs - originNs, endNs - originNs, ending);
    // what ends from now on and is of this level started later
    if (pending.isFull) this.handOn(level, pending, this.nowNs - originNs - 4 ** (level + 1));
  }

  private handOn(list: CallList, pending: PendingCalls, lastStartNs: Nanoseconds): void {
    for (const calls of pending.takeUpTo(lastStartNs)) this.sink(list, calls);
  }
}

/** Calls of one list that wait for earlier ones which have not ended yet. */
class PendingCalls {
  private columns = newColumns();
  private nextTry: number;

  constructor(private readonly chunkLength: number) {
    this.nextTry = 2 * chunkLength;
  }

  /** Whether it is time to look for those that wait for none. */
  get isFull(): boolean {
    return this.columns.node.length >= this.nextTry;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number): void {
    const { columns } = this;
    columns.startNs.push(startNs);
    columns.endNs.push(endNs);
    columns.node.push(node);
    columns.ending.push(ending);
  }

  /**
   * Removes and returns chunks of those that started up to a moment, by start; of two that start together, the one that
   * ended last comes first. Calls that do not fill a chunk stay, unless all are requested.
   */
  takeUpTo(lastStartNs: Nanoseconds): Spans[] {
    const rows = viewsOf(this.columns);
    const { startNs } = rows;
    const order = rowNumbers(startNs.length).sort((a, b) => startNs[a] - startNs[b] || b - a);
    const { chunkLength } = this;
    const isLast = lastStartNs === Number.POSITIVE_INFINITY;
    const late = order.findIndex((row) => startNs[row] > lastStartNs);
    const final = late === NONE ? order.length : late;
    const taken = isLast ? final : final - (final % chunkLength);
    const chunks: Spans[] = [];
    for (let at = 0; at < taken; at += chunkLength)
      chunks.push(spansAt(rows, order.subarray(at, Math.min(at + chunkLength, taken))));
    this.keep(rows, order.slice(taken).sort());
    return chunks;
  }

  /** `kept`: in the order in which they ended. */
  private keep({ startNs, endNs, node, ending }: Spans, kept: Int32Array): void {
    this.columns = newColumns();
    for (const row of kept) this.push(node[row], startNs[row], endNs[row], ending[row]);
    this.nextTry = 2 * Math.max(this.chunkLength, kept.length);
  }
}

function newColumns() {
  return { startNs: float64Column(), endNs: float64Column(), node: int32Column(), ending: int32Column() };
}

// All calls of a thread by function, in chunks that are handed on while its log is walked: the calls of a function are in
// few of them.

/** `first`, `last`: the functions of the first and the last call, numbered as in `FunctionIndex`. */
type FunctionSink = (calls: FunctionCalls, first: number, last: number) => void;

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
  private batch = newBatch();
  private readonly functionOf: Int32Array;
  private readonly nodeOf: Int32Array;

  constructor(
    private readonly window: Bounds,
    { nodeOf, symbol }: ShownNodes,
    private readonly sink: FunctionSink,
    private readonly batchCalls: number,
  ) {
    this.nodeOf = nodeOf;
    this.functionOf = firstNodes(symbol);
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
    const batch = viewsOf(this.batch);
    const rows = this.rowsByFunction(batch.node);
    for (let at = 0; at < rows.length; at += FUNCTION_CHUNK_CALLS) {
      const some = rows.subarray(at, at + FUNCTION_CHUNK_CALLS);
      const calls = rowsOf(batch, some);
      this.sink(calls, this.functionOf[calls.node[0]], this.functionOf[calls.node[some.length - 1]]);
    }
    this.batch = newBatch();
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

function newBatch() {
  const [startNs, endNs, knownNs] = [float64Column(), float64Column(), float64Column()];
  return { startNs, endNs, node: int32Column(), ending: int32Column(), knownNs, isSplit: uint8Column() };
}
