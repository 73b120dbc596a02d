/**
 * Keeps the longest calls.
 */
import type { Nanoseconds } from '../../model/units.js';

export interface LongCall {
  readonly row: number;
  readonly entryNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** It ended in an exception or a longjmp. */
  readonly isUnwound: boolean;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
}

/** Keeps `maxCalls` calls; of equally long ones, those that began first. */
export class LongestCalls {
  private readonly calls: LongCall[] = [];
  /** Shorter calls are not among the longest. */
  private minNs = Number.NEGATIVE_INFINITY;
  private readonly maxCalls: number;

  constructor(maxCalls: number) {
    this.maxCalls = maxCalls;
  }

  add(call: LongCall): void {
    if (this.maxCalls === 0 || call.durationNs < this.minNs) return;
    this.calls.push(call);
    if (this.calls.length >= 2 * this.maxCalls + 16) this.keepLongest();
  }

  build(): readonly LongCall[] {
    this.keepLongest();
    return this.calls;
  }

  private keepLongest(): void {
    this.calls.sort((a, b) => b.durationNs - a.durationNs || a.entryNs - b.entryNs || a.row - b.row);
    if (this.maxCalls === 0 || this.calls.length < this.maxCalls) return;
    this.calls.length = this.maxCalls;
    this.minNs = (this.calls.at(-1) as LongCall).durationNs;
  }
}
