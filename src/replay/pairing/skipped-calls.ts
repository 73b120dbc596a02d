/**
 * Calls that a return skips because an exception or a longjmp ended them. For each event that skips calls, the newest
 * of them is kept, and those that passed an exception on.
 */
import { countBelow, int32Column } from '../../model/columns.js';
import { NONE } from '../../model/units.js';
import type { SkippedStack } from './calls.js';

export class SkippedCalls {
  /** Rows of events that skip calls, ascending, and the row of the newest call that each one skips. */
  private readonly skippingRows = int32Column();
  private readonly newestRows = int32Column();
  /** The rows of all skipped raisers, and for each event the end of its own, ascending within one event. */
  private readonly raiserEnds = int32Column();
  private readonly raiserRows = int32Column();

  /** Adds the calls that the event in `row` skips. Rows must be ascending. */
  add(row: number, skipped: readonly SkippedStack[], isRaiser: (callRow: number) => boolean): void {
    let newest: number = NONE;
    for (const { calls } of skipped)
      for (const call of calls) {
        if (isRaiser(call.row)) this.raiserRows.push(call.row);
        newest = Math.max(newest, call.row);
      }
    if (newest === NONE) return;
    this.skippingRows.push(row);
    this.newestRows.push(newest);
    this.raiserEnds.push(this.raiserRows.length);
  }

  /** Returns the row of the newest call that the event in `row` skips, or NONE. */
  newestOf(row: number): number {
    const index = this.indexOf(row);
    return index === NONE ? NONE : this.newestRows.values[index];
  }

  /** Returns the rows of the last raisers that the event in `row` skips, at most `max`. */
  raisersOf(row: number, max: number): Int32Array {
    const index = this.indexOf(row);
    if (index === NONE) return this.raiserRows.values.subarray(0, 0);
    const first = index === 0 ? 0 : this.raiserEnds.values[index - 1];
    const end = this.raiserEnds.values[index];
    return this.raiserRows.values.subarray(Math.max(first, end - max), end);
  }

  private indexOf(row: number): number {
    const { values, length } = this.skippingRows;
    const index = countBelow(values, row, 0, length);
    return index < length && values[index] === row ? index : NONE;
  }
}
