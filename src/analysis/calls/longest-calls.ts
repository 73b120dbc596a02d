/**
 * Keeps the longest calls.
 */
import type { Nanoseconds } from '../../model/units.js';

/** `row`: of the log, in which the call was opened. */
export interface RankedCall {
  readonly row: number;
  readonly entryNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
}

export interface LongCall extends RankedCall {
  /** It ended in an exception or a longjmp. */
  readonly isUnwound: boolean;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
}

/** Keeps `maxCalls` calls; of equally long ones, those that began first. */
export class LongestCalls<Call extends RankedCall> {
  private readonly calls: Call[] = [];
  /** Shorter calls are not among the longest. */
  private minNs = Number.NEGATIVE_INFINITY;
  private readonly maxCalls: number;

  constructor(maxCalls: number) {
    this.maxCalls = maxCalls;
  }

  add(call: Call): void {
    if (this.maxCalls === 0 || call.durationNs < this.minNs) return;
    this.calls.push(call);
    if (this.calls.length >= 2 * this.maxCalls + 16) this.keepLongest();
  }

  build(): readonly Call[] {
    this.keepLongest();
    return this.calls;
  }

  private keepLongest(): void {
    this.calls.sort((a, b) => b.durationNs - a.durationNs || a.entryNs - b.entryNs || a.row - b.row);
    if (this.maxCalls === 0 || this.calls.length < this.maxCalls) return;
    this.calls.length = this.maxCalls;
    this.minNs = (this.calls.at(-1) as Call).durationNs;
  }
}
