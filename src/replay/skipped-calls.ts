/**
 * Calls that a return skips: an exception or a longjmp left them. Of all that one event skips, the newest is kept.
 */
import { int32Column } from '../model/columns.js';
import { NONE } from '../model/units.js';
import type { LeftStack } from './open-calls.js';

export class SkippedCalls {
  /** Rows of events that skip calls, ascending, and beside each the row of the newest call that it skips. */
  private readonly skippingRows = int32Column();
  private readonly newestRows = int32Column();

  /** The event in `row`, later than any before, skips these calls. */
  add(row: number, left: readonly LeftStack[]): void {
    const newest = left.reduce((max, { calls }) => Math.max(max, calls.at(-1)?.row ?? NONE), NONE);
    if (newest === NONE) return;
    this.skippingRows.push(row);
    this.newestRows.push(newest);
  }

  /** The row of the newest call that the event in `row` skips, or NONE. */
  newestOf(row: number): number {
    const { values, length } = this.skippingRows;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[middle] < row) low = middle + 1;
      else high = middle;
    }
    return low < length && values[low] === row ? this.newestRows.values[low] : NONE;
  }
}
