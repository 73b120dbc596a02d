/**
 * Finds the calls of a function that the timeline lists: when they were, and how long they took.
 */

import { LongestCalls, type RankedCall } from '../../../../analysis/calls/longest-calls.js';
import { CallGrid, MAX_LISTED_CALLS, type TimeCell } from '../../../../analysis/calls/over-time.js';
import { durationRow, timeColumn } from '../../../../analysis/calls/time-grid.js';
import { endingWithin, nsWithin, overlaps } from '../../../../analysis/log/filter-thread.js';
import { type Bounds, UNBOUNDED } from '../../../../analysis/questions.js';
import { isComplete } from '../../../../model/profile/quality.js';
import { PIECE, type Spans, type TimedThread } from '../../../../model/timeline/timeline.js';
import type { Nanoseconds, NodeId, Tid } from '../../../../model/units.js';

/** Times are since the start of the timeline. `entryNs`: the start, but not before the range that is shown. */
export interface ListedCall extends RankedCall {
  readonly tid: Tid;
  /** Row of the thread's nodes. */
  readonly node: NodeId;
  /** The whole call, also outside of the range. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** It lasted at least `durationNs`. */
  readonly isInferred: boolean;
  /** Its stack was switched away from meanwhile. */
  readonly isSplit: boolean;
}

export interface FoundCalls {
  readonly count: number;
  /** Of these, the inferred ones. */
  readonly inferred: number;
  /** Inferred calls of which is not known how long they lasted at least: they are neither counted nor drawn. */
  readonly unmeasured: number;
  readonly cells: readonly TimeCell[];
  /** At most `MAX_LISTED_CALLS`: longest first, then earliest, then by thread. */
  readonly longest: readonly ListedCall[];
}

/** A thread, and its nodes that are calls of the function. */
export interface SearchedThread {
  readonly timed: TimedThread;
  /** By node: 1 if it counts. */
  readonly isWanted: Uint8Array;
}

/** `threads`: by tid. `bounds`: the time axis. `isPart`: only what is within them, which may cut calls. */
export function findListedCalls(threads: readonly SearchedThread[], bounds: Bounds, isPart: boolean): FoundCalls {
  const collector = new Collector(bounds, isPart ? bounds : UNBOUNDED);
  for (const thread of threads) collector.addThread(thread);
  return collector.build();
}

class Collector {
  private count = 0;
  private inferred = 0;
  private unmeasured = 0;
  private readonly grid = new CallGrid();
  private readonly longest = new LongestCalls<ListedCall>(MAX_LISTED_CALLS);
  private readonly bounds: Bounds;
  private readonly range: Bounds;

  constructor(bounds: Bounds, range: Bounds) {
    this.bounds = bounds;
    this.range = range;
  }

  addThread(thread: SearchedThread): void {
    const known = new KnownTimes(thread);
    const { levels, split } = thread.timed.spans;
    for (const level of levels) this.addCalls(thread, level, false, known);
    this.addCalls(thread, split, true, known);
  }

  build(): FoundCalls {
    const { count, inferred, unmeasured, grid, longest } = this;
    return { count, inferred, unmeasured, cells: grid.build(), longest: longest.build() };
  }

  private addCalls({ timed, isWanted }: SearchedThread, spans: Spans, isSplit: boolean, known: KnownTimes): void {
    const { range } = this;
    const { startNs, endNs, node, ending } = spans;
    for (let row = 0; row < node.length; row++) {
      if (isWanted[node[row]] === 0 || ending[row] === PIECE || !overlaps(range, startNs[row], endNs[row])) continue;
      const isInferred = !isComplete(endingWithin(range, startNs[row], endNs[row], ending[row]));
      const withinNs = nsWithin(range, startNs[row], endNs[row]);
      const durationNs = isComplete(ending[row]) ? withinNs : known.atMost(spans, row, withinNs);
      if (durationNs === null) this.unmeasured++;
      else {
        const times = { startNs: startNs[row], endNs: endNs[row], durationNs, isInferred };
        this.add({ ...times, tid: timed.tid, node: node[row], isSplit });
      }
    }
  }

  private add(call: Omit<ListedCall, 'row' | 'entryNs'>): void {
    const entryNs = Math.max(call.startNs, this.bounds.startNs);
    this.grid.add(timeColumn(this.bounds, entryNs), durationRow(call.durationNs), 1, call.isInferred ? 1 : 0);
    this.longest.add({ ...call, entryNs, row: this.count++ });
    if (call.isInferred) this.inferred++;
  }
}

/** How long inferred calls certainly lasted, as far as the numbers of ranges list them. */
class KnownTimes {
  private known: Map<string, Nanoseconds> | null = null;
  private readonly thread: SearchedThread;

  constructor(thread: SearchedThread) {
    this.thread = thread;
  }

  /** null: unknown. */
  atMost({ node, startNs, endNs }: Spans, row: number, ns: Nanoseconds): Nanoseconds | null {
    this.known ??= this.read();
    const knownNs = this.known.get([node[row], startNs[row], endNs[row]].join());
    return knownNs === undefined ? null : Math.min(ns, knownNs);
  }

  private read(): Map<string, Nanoseconds> {
    const { timed, isWanted } = this.thread;
    const known = new Map<string, Nanoseconds>();
    if (timed.sums === null) return known;
    const { node, startNs, endNs, knownNs, ending } = timed.sums.calls;
    for (let row = 0; row < node.length; row++)
      if (isWanted[node[row]] === 1 && !isComplete(ending[row]))
        known.set([node[row], startNs[row], endNs[row]].join(), knownNs[row]);
    return known;
  }
}
