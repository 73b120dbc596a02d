/**
 * Calls that a return skips: an exception or a longjmp skipped them. Of all that one event skips, the newest is kept, and those
 * that passed an exception on.
 */
import { int32Column } from '../../model/columns.js';
import { NONE } from '../../model/units.js';
import type { SkippedStack } from './calls.js';

export class SkippedCalls {
  /** Rows of events that skip calls, ascending, and beside each the row of the newest call that it skips. */
  private readonly skippingRows = int32Column();
  private readonly newestRows = int32Column();
  /** How many raisers were skipped up to then, and the rows of all of them: for each event ascending. */
  private readonly raiserEnds = int32Column();
  private readonly raiserRows = int32Column();

  /** The event in `row`, later than any before, skips these calls. */
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

  /** The row of the newest call that the event in `row` skips, or NONE. */
  newestOf(row: number): number {
    const index = this.indexOf(row);
    return index === NONE ? NONE : this.newestRows.values[index];
  }

  /** The rows of the raisers that the event in `row` skips; not all, if they are too many. */
  raisersOf(row: number, most: number): Int32Array {
    const index = this.indexOf(row);
    if (index === NONE) return this.raiserRows.values.subarray(0, 0);
    const first = index === 0 ? 0 : this.raiserEnds.values[index - 1];
    const end = this.raiserEnds.values[index];
    return this.raiserRows.values.subarray(Math.max(first, end - most), end);
  }

  private indexOf(row: number): number {
    const { values, length } = this.skippingRows;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[middle] < row) low = middle + 1;
      else high = middle;
    }
    return low < length && values[low] === row ? low : NONE;
  }
}
