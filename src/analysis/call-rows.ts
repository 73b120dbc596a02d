/**
 * The log of a thread → a row for each call, with where its time went: in one walk, batch by batch.
 */

import type { CallLog } from '../model/calls/call-log.js';
import type { CallTree } from '../model/calls/call-tree.js';
import { isComplete } from '../model/profile/profile.js';
import { type Bounds, type Nanoseconds, NONE, type NodeId } from '../model/units.js';
import { endingWithin, nsWithin, overlaps } from './log/filter-thread.js';
import { type CallListener, OpenCall, walkCalls } from './log/walk-calls.js';
import { outermostNodes } from './tree/functions.js';
import { isOffCpu } from './tree/outside.js';

export interface RowsQuestion {
  /** Calls outside of it are left out. */
  readonly window: Bounds;
  /** Shorter calls are left out. */
  readonly minNs: Nanoseconds;
}

/**
 * Reports the calls in the order in which they ended; stops are calls, too. Of a call that the window cuts, start and
 * duration are whole, and all other times are within the window. Nodes are those of `tree`, the log's own. `rows` are
 * filled again and again: those that `sink` receives are valid until it returns.
 */
export function callRows(
  log: CallLog,
  tree: CallTree,
  question: RowsQuestion,
  rows: CallRowsBuilder,
  sink: (rows: CallRows) => void,
): void {
  rows.clear();
  const lister = new CallLister(tree, question, rows, sink);
  walkCalls(log, lister);
  lister.finish();
}

/** Time since the thread began: of all calls, of stops, and of stops off CPU. */
interface Clocks {
  totalNs: Nanoseconds;
  outsideNs: Nanoseconds;
  offCpuNs: Nanoseconds;
}

/** A call on the thread's stack gets all time that passes; what is on top of the others also gets it as its own. */
class TimedCall extends OpenCall implements Clocks {
  number = 0;
  /** The number of the call below it when it began; 0: none. */
  parent = 0;
  depth = 0;
  /** The path on which it began. */
  firstNode: NodeId = NONE;
  selfNs: Nanoseconds = 0;
  totalNs: Nanoseconds = 0;
  outsideNs: Nanoseconds = 0;
  offCpuNs: Nanoseconds = 0;
  /** No call of its function was below it, at least at some time: then the times above are of this time. */
  isOutermost = false;
  /** The clocks when it came onto the stack; NaN: this time does not count. */
  readonly since: Clocks = noTime();
}

function noTime(): Clocks {
  return { totalNs: 0, outsideNs: 0, offCpuNs: 0 };
}

class CallLister implements CallListener<TimedCall> {
  private readonly now = noTime();
  private readonly isOutermost: Uint8Array;
  private calls = 0;
  private readonly window: Bounds;
  private readonly minNs: Nanoseconds;

  constructor(
    private readonly tree: CallTree,
    { window, minNs }: RowsQuestion,
    private readonly rows: CallRowsBuilder,
    private readonly sink: (rows: CallRows) => void,
  ) {
    this.window = window;
    this.minNs = minNs;
    this.isOutermost = outermostNodes(tree);
  }

  newCall(): TimedCall {
    return new TimedCall();
  }

  opened(call: TimedCall): void {
    const { below } = call;
    call.number = ++this.calls;
    call.parent = below === null ? 0 : below.number;
    call.depth = below === null ? 1 : below.depth + 1;
    call.firstNode = call.node;
    call.selfNs = call.totalNs = call.outsideNs = call.offCpuNs = 0;
    call.isOutermost = false;
    this.comeOn(call);
  }

  resumed(call: TimedCall): void {
    this.comeOn(call);
  }

  suspended(call: TimedCall): void {
    this.goOff(call);
  }

  spent(top: TimedCall | null, fromNs: Nanoseconds, toNs: Nanoseconds): void {
    const ns = nsWithin(this.window, fromNs, toNs);
    if (top === null || ns === 0) return;
    top.selfNs += ns;
    this.now.totalNs += ns;
    if (!top.isStop) return;
    this.now.outsideNs += ns;
    if (isOffCpu(this.tree.symbol[top.node])) this.now.offCpuNs += ns;
  }

  closed(call: TimedCall, exitNs: Nanoseconds, ending: number): void {
    if (!call.isSuspended) this.goOff(call);
    const { entryNs } = call;
    if (exitNs - entryNs < this.minNs || !overlaps(this.window, entryNs, exitNs)) return;
    const isWhole = isComplete(endingWithin(this.window, entryNs, exitNs, ending));
    this.rows.add(call, exitNs - entryNs, isWhole);
    if (this.rows.isFull) this.handOn();
  }

  finish(): void {
    if (this.rows.length > 0) this.handOn();
  }

  private handOn(): void {
    this.sink(this.rows.view());
    this.rows.clear();
  }

  /** Its path may be another than before: only then can a call that was outermost not be that any more, or become it. */
  private comeOn(call: TimedCall): void {
    const isOutermost = this.isOutermost[call.node] === 1;
    if (isOutermost && !call.isOutermost) {
      call.isOutermost = true;
      call.totalNs = call.outsideNs = call.offCpuNs = 0;
    }
    const { totalNs, outsideNs, offCpuNs } = this.now;
    call.since.totalNs = isOutermost === call.isOutermost ? totalNs : Number.NaN;
    call.since.outsideNs = outsideNs;
    call.since.offCpuNs = offCpuNs;
  }

  private goOff(call: TimedCall): void {
    const { since } = call;
    if (Number.isNaN(since.totalNs)) return;
    call.totalNs += this.now.totalNs - since.totalNs;
    call.outsideNs += this.now.outsideNs - since.outsideNs;
    call.offCpuNs += this.now.offCpuNs - since.offCpuNs;
  }
}

// Columns of calls that are filled and handed on again and again.

/** Calls of a thread: docs/parquet.md explains the columns. */
export interface CallRows {
  readonly length: number;
  readonly call: Int32Array;
  /** 0: none. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly node: Int32Array;
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly totalNs: Float64Array;
  readonly selfNs: Float64Array;
  readonly outsideNs: Float64Array;
  readonly offCpuNs: Float64Array;
  readonly isComplete: Uint8Array;
  readonly isStop: Uint8Array;
  readonly isOutermost: Uint8Array;
}

/** Rows of a batch: large enough that dictionaries pay off. */
export const BATCH_ROWS = 65_536;
const MIN_ROWS = 1024;

export class CallRowsBuilder {
  length = 0;
  private rows = columnsOf(MIN_ROWS);

  get isFull(): boolean {
    return this.length === BATCH_ROWS;
  }

  clear(): void {
    this.length = 0;
  }

  add(call: TimedCall, durationNs: Nanoseconds, isComplete: boolean): void {
    if (this.length === this.rows.call.length) this.grow();
    const { rows } = this;
    const row = this.length++;
    rows.call[row] = call.number;
    rows.parent[row] = call.parent;
    rows.depth[row] = call.depth;
    rows.node[row] = call.firstNode;
    rows.startNs[row] = call.entryNs;
    rows.durationNs[row] = durationNs;
    rows.totalNs[row] = call.totalNs;
    rows.selfNs[row] = call.selfNs;
    rows.outsideNs[row] = call.outsideNs;
    rows.offCpuNs[row] = call.offCpuNs;
    rows.isComplete[row] = isComplete ? 1 : 0;
    rows.isStop[row] = call.isStop ? 1 : 0;
    rows.isOutermost[row] = call.isOutermost ? 1 : 0;
  }

  /** Shares memory with the builder. */
  view(): CallRows {
    const columns = Object.entries(this.rows).map(([name, values]) => [name, values.subarray(0, this.length)]);
    return { length: this.length, ...(Object.fromEntries(columns) as typeof this.rows) };
  }

  private grow(): void {
    const larger = columnsOf(Math.min(BATCH_ROWS, 4 * this.length));
    for (const [name, values] of Object.entries(this.rows)) larger[name as keyof typeof larger].set(values);
    this.rows = larger;
  }
}

function columnsOf(rows: number) {
  return {
    call: new Int32Array(rows),
    parent: new Int32Array(rows),
    depth: new Int32Array(rows),
    node: new Int32Array(rows),
    startNs: new Float64Array(rows),
    durationNs: new Float64Array(rows),
    totalNs: new Float64Array(rows),
    selfNs: new Float64Array(rows),
    outsideNs: new Float64Array(rows),
    offCpuNs: new Float64Array(rows),
    isComplete: new Uint8Array(rows),
    isStop: new Uint8Array(rows),
    isOutermost: new Uint8Array(rows),
  };
}
