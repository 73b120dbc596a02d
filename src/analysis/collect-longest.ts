/**
 * The longest calls of all threads, from those of each thread.
 */
import type { LongestCalls } from '../model/calls/call-events.js';
import type { Nanoseconds, Tid } from '../model/units.js';
import { longestBound, type TimedEvents, withoutShorter } from './longest.js';
import type { EventsQuestion, ThreadEventsOfCalls } from './question.js';

/** Up to this many times the wanted calls are kept, because leaving out the shortest takes time. */
const SLACK = 2;

/** Collects threads, in any order. */
export class LongestCallsCollector {
  private readonly threads = new Map<Tid, TimedEvents>();
  private calls = 0;
  /** Of calls. */
  private nextCheck: number;
  private minNs: Nanoseconds;
  private leftOut = 0;
  private readonly maxCalls: number;

  constructor({ minNs, maxCalls }: EventsQuestion) {
    this.minNs = minNs;
    this.maxCalls = maxCalls;
    this.nextCheck = SLACK * maxCalls;
  }

  add(tid: Tid, { events, minNs, leftOut }: ThreadEventsOfCalls): void {
    this.minNs = Math.max(this.minNs, minNs);
    this.leftOut += leftOut;
    this.threads.set(tid, events);
    this.calls += events.kind.length / 2;
    if (this.calls > this.nextCheck) this.dropShortest();
  }

  /** `shiftNs`: from the times of the result to the trace's. */
  build(shiftNs: Nanoseconds): LongestCalls {
    this.dropShortest();
    const byTid = [...this.threads].sort(([a], [b]) => a - b);
    const threads = byTid.map(([tid, { timeNs, node, kind }]) => ({
      tid,
      timeNs: timeNs.map((ns) => ns - shiftNs),
      node,
      kind,
    }));
    return { threads, minNs: this.minNs, leftOut: this.leftOut };
  }

  private dropShortest(): void {
    this.minNs = Math.max(this.minNs, longestBound([...this.threads.values()], this.maxCalls));
    this.calls = 0;
    for (const [tid, all] of this.threads) {
      const kept = withoutShorter(all, this.minNs);
      this.leftOut += (all.kind.length - kept.kind.length) / 2;
      this.calls += kept.kind.length / 2;
      this.threads.set(tid, kept);
    }
    // Of calls that all lasted as long, more are kept than are wanted. Looking at a thread takes time, too.
    this.nextCheck = SLACK * Math.max(this.maxCalls, this.calls, this.threads.size);
  }
}
