/**
 * Delays each time until the next one confirms it: a garbled digit may move a line by seconds, and must not move the
 * start or the end of the recording.
 */
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../../model/units.js';

/** Far more than the clocks of CPUs differ, far less than a garbled second. */
export const MAX_STEP_BACK_NS = 1_000_000;

export class TimeGuard {
  private lastGoodNs = Number.NaN;
  private heldNs = Number.NaN;

  /** Adds the next time of a stream. Returns whether the previous one is an outlier and must be dropped. */
  contradicts(nextNs: Nanoseconds): boolean {
    const dropped = this.isOutlier(nextNs);
    if (!dropped) this.lastGoodNs = this.heldNs;
    this.heldNs = nextNs;
    return dropped;
  }

  /** Returns whether the last time is at least `ns` from the one before it, which only a garbled digit explains. */
  isLastOutlier(ns: Nanoseconds): boolean {
    return Math.abs(this.heldNs - this.lastGoodNs) >= ns; // false for the first time, which has none before it
  }

  /** True if the held time is in order: none is dropped unless a later one steps back far. */
  get isInOrder(): boolean {
    return !(this.lastGoodNs - this.heldNs > MAX_STEP_BACK_NS);
  }

  /** Sets the last two times of a stream that continued in order. */
  continueFrom(beforeNs: Nanoseconds, lastNs: Nanoseconds): void {
    this.lastGoodNs = beforeNs;
    this.heldNs = lastNs;
  }

  // Too late: the next line is earlier again. Too early: the next line is where the stream was. Both neighbours must
  // agree, so that neither a second recording after the first nor a long wait counts as an outlier.
  private isOutlier(nextNs: Nanoseconds): boolean {
    const { heldNs, lastGoodNs } = this;
    const isAhead = heldNs - nextNs > MAX_STEP_BACK_NS;
    if (Number.isNaN(lastGoodNs)) return false;
    if (lastGoodNs - nextNs > MAX_STEP_BACK_NS) return false;
    return (isAhead && heldNs - lastGoodNs > MAX_STEP_BACK_NS) || lastGoodNs - heldNs > MAX_STEP_BACK_NS;
  }
}

/** The newest event of an input, held until the next one confirms its time. */
export class HeldEvent {
  isHeld = false;
  tid: Tid = NONE;
  cpu: number = NONE;
  site: SiteId = 0;
  timeNs: Nanoseconds = 0;
  /** Line number, from 1. */
  line = 0;
  /** Offset of the line in the bytes being parsed. */
  start = 0;
  /** The line itself, once those bytes are gone. */
  text: string | null = null;

  set(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds, line: number, start: number): void {
    this.isHeld = true;
    this.tid = tid;
    this.cpu = cpu;
    this.site = site;
    this.timeNs = timeNs;
    this.line = line;
    this.start = start;
    this.text = null;
  }
}
