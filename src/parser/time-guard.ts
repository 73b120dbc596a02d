/**
 * Holds each event back until the next one has confirmed its time: a garbled digit may put a line seconds away
 * from its neighbours, and must become neither the end of the recording nor its beginning.
 */
import type { Nanoseconds } from '../model/units.js';

/** Far more than clocks of processors differ by, far less than a garbled second is off. */
const FARTHEST_STEP_NS = 1_000_000;

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

  // Ahead: the next line is back. Behind: the next line is where the stream was. Both neighbours must agree, so
  // that a second recording behind the first, or a long wait, is no outlier.
  private isOutlier(nextNs: Nanoseconds): boolean {
    const { heldNs, lastGoodNs } = this;
    const isAhead = heldNs - nextNs > FARTHEST_STEP_NS;
    if (Number.isNaN(lastGoodNs)) return false;
    if (lastGoodNs - nextNs > FARTHEST_STEP_NS) return false;
    return (isAhead && heldNs - lastGoodNs > FARTHEST_STEP_NS) || lastGoodNs - heldNs > FARTHEST_STEP_NS;
  }
}
