/**
 * Columns of calls that are filled and handed on again and again.
 */
import type { Nanoseconds, NodeId } from '../model/units.js';

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

/** A call as a row needs it. */
export interface ListedCall {
  readonly number: number;
  readonly parent: number;
  readonly depth: number;
  readonly firstNode: NodeId;
  readonly entryNs: Nanoseconds;
  readonly totalNs: Nanoseconds;
  readonly selfNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly isStop: boolean;
  readonly isOutermost: boolean;
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

  add(call: ListedCall, durationNs: Nanoseconds, isComplete: boolean): void {
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
