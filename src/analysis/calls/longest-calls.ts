/**
 * Which calls took longest.
 */
import type { Nanoseconds } from '../../model/units.js';

export interface LongCall {
  readonly row: number;
  readonly entryNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** An exception or a longjmp ended it. */
  readonly isUnwound: boolean;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
}

/** Keeps so many: of equal ones those that began first. */
export class LongestCalls {
  private readonly calls: LongCall[] = [];
  /** Shorter ones are none of them. */
  private leastNs = Number.NEGATIVE_INFINITY;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  add(call: LongCall): void {
    if (this.most === 0 || call.durationNs < this.leastNs) return;
    this.calls.push(call);
    if (this.calls.length >= 2 * this.most + 16) this.keepLongest();
  }

  build(): readonly LongCall[] {
    this.keepLongest();
    return this.calls;
  }

  private keepLongest(): void {
    this.calls.sort((a, b) => b.durationNs - a.durationNs || a.entryNs - b.entryNs || a.row - b.row);
    if (this.most === 0 || this.calls.length < this.most) return;
    this.calls.length = this.most;
    this.leastNs = (this.calls.at(-1) as LongCall).durationNs;
  }
}
