/**
 * Holds each event back until the next one has confirmed its time: a garbled digit may put a line seconds away
 * from its neighbours, and must become neither the end of the recording nor its beginning.
 */
import type { Nanoseconds } from '../../model/units.js';

/** Far more than clocks of processors differ by, far less than a garbled second is off. */
export const MAX_STEP_BACK_NS = 1_000_000;

export class TimeGuard {
  private lastGoodNs = Number.NaN;
  private heldNs = Number.NaN;

  /** Takes the next time of a stream; says whether the one before it was out of line and is to be dropped. */
  contradicts(nextNs: Nanoseconds): boolean {
    const dropped = this.isOutlier(nextNs);
    if (!dropped) this.lastGoodNs = this.heldNs;
    this.heldNs = nextNs;
    return dropped;
  }

  /** The last time of all stands alone: so far from the one before it that only a garbled digit explains it. */
  isFarFromLast(ns: Nanoseconds): boolean {
    return Math.abs(this.heldNs - this.lastGoodNs) >= ns; // false for the only one, which follows nothing
  }

  /** Nothing is in doubt: as long as no time steps back far, none will be dropped. */
  get isInOrder(): boolean {
    return !(this.lastGoodNs - this.heldNs > MAX_STEP_BACK_NS);
  }

  /** Times went on in order, and these were the last two. */
  goOn(beforeNs: Nanoseconds, lastNs: Nanoseconds): void {
    this.lastGoodNs = beforeNs;
    this.heldNs = lastNs;
  }

  // Ahead: the next line is back. Behind: the next line is where the stream was. Both neighbours must agree, so
  // that a second recording behind the first, or a long wait, is no outlier.
  private isOutlier(nextNs: Nanoseconds): boolean {
    const { heldNs, lastGoodNs } = this;
    const isAhead = heldNs - nextNs > MAX_STEP_BACK_NS;
    if (Number.isNaN(lastGoodNs)) return false;
    if (lastGoodNs - nextNs > MAX_STEP_BACK_NS) return false;
    return (isAhead && heldNs - lastGoodNs > MAX_STEP_BACK_NS) || lastGoodNs - heldNs > MAX_STEP_BACK_NS;
  }
}
