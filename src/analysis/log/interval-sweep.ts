/**
 * Passes the starts and ends of intervals in the order of time. Intervals may overlap and nest.
 */
import { rowNumbers } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';

/** Columns; `fromNs` is included, `toNs` is not. An interval that does not end after it begins is empty. */
export interface Intervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

export interface SweepListener {
  /** `row`: of the interval. Empty intervals are not reported. */
  started(row: number): void;
  ended(row: number): void;
}

export class IntervalSweep {
  /** When the next interval starts or ends; Infinity: all have ended. */
  nextNs: Nanoseconds;
  private readonly fromNs: Float64Array;
  private readonly toNs: Float64Array;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private started = 0;
  private ended = 0;
  private readonly listener: SweepListener;

  constructor({ fromNs, toNs }: Intervals, listener: SweepListener) {
    this.fromNs = fromNs;
    this.toNs = toNs;
    this.listener = listener;
    const rows = rowNumbers(fromNs.length).filter((row) => fromNs[row] < toNs[row]);
    this.starts = inOrderOf(fromNs, rows);
    this.ends = inOrderOf(toNs, rows);
    this.nextNs = this.findNext();
  }

  /** Passes the next start or end. */
  passNext(): void {
    if (this.nextEndNs <= this.nextStartNs) this.listener.ended(this.ends[this.ended++]);
    else this.listener.started(this.starts[this.started++]);
    this.nextNs = this.findNext();
  }

  /** Passes the starts up to and including a moment; everything before it has been passed. */
  passStarts(untilNs: Nanoseconds): void {
    while (this.nextStartNs <= untilNs) this.listener.started(this.starts[this.started++]);
    this.nextNs = this.findNext();
  }

  private findNext(): Nanoseconds {
    return Math.min(this.nextStartNs, this.nextEndNs);
  }

  private get nextStartNs(): Nanoseconds {
    return this.started < this.starts.length ? this.fromNs[this.starts[this.started]] : Number.POSITIVE_INFINITY;
  }

  private get nextEndNs(): Nanoseconds {
    return this.ended < this.ends.length ? this.toNs[this.ends[this.ended]] : Number.POSITIVE_INFINITY;
  }
}

/** Returns rows by ascending value; equal ones in their own order. */
function inOrderOf(values: Float64Array, rows: Int32Array): Int32Array {
  const isAscending = rows.every((row, at) => at === 0 || values[rows[at - 1]] <= values[row]);
  return isAscending ? rows : rows.toSorted((a, b) => values[a] - values[b] || a - b);
}
