/**
 * Finds what a slow call did longer than the average one: functions that it called, and stops.
 */

import {
  CallGrid,
  durationRow,
  LongestCalls,
  MAX_LISTED_CALLS,
  type RankedCall,
  type TimeCell,
  timeColumn,
} from '../../../analysis/calls/over-time.js';
import { endingWithin, nsWithin, overlaps } from '../../../analysis/log/filter-thread.js';
import { rowsInWindow } from '../../../analysis/timeline/spans-builder.js';
import { bucketOf, type Histogram } from '../../../model/calls/durations.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { isComplete } from '../../../model/profile/profile.js';
import type { FunctionCalls } from '../../../model/profile/timeline.js';
import {
  PIECE,
  type Spans,
  type ThreadSpans,
  type TimedThread,
  type Timeline,
} from '../../../model/profile/timeline.js';
import type { Nanoseconds, NodeId, SymbolId, Tid } from '../../../model/units.js';
import { type Bounds, UNBOUNDED } from '../../../model/units.js';

/** What a call did longer than the average one. */
export interface LongerCallee {
  readonly symbol: SymbolId;
  /** At least this much, as short calls may not be listed. */
  readonly moreNs: Nanoseconds;
}

/** Smaller parts of the duration of the call are not worth a word. */
const MIN_SHARE = 0.05;
const MAX_CALLEES = 2;
/** A call with more calls inside is not searched. */
export const MAX_ROWS = 200_000;

/**
 * Returns how long the functions that the call called directly took in it, within `bounds`; null: unknown. `spans`: the calls
 * of its thread, of which those inside the call matter. `nodes`: the thread's nodes, as nodes of the shape.
 */
export function calleeTimes(
  call: ListedCall,
  spans: ThreadSpans,
  nodes: Int32Array,
  shape: Shape,
  bounds: Bounds,
): Map<SymbolId, Nanoseconds> | null {
  if (call.isSplit) return null;
  const { startNs, endNs } = call;
  const [fromNs, toNs] = [Math.max(startNs, bounds.startNs), Math.min(endNs, bounds.endNs)];
  const found = rowsInWindow(spans, 0, fromNs, toNs);
  if (found.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_ROWS) return null;
  const times = new Map<SymbolId, Nanoseconds>();
  for (const { level, from, to } of found) {
    const inner = spans.levels[level];
    for (let row = from; row < to; row++) {
      const node = nodes[inner.node[row]];
      const isInside = inner.startNs[row] >= startNs && inner.endNs[row] <= endNs && inner.ending[row] !== PIECE;
      if (!isInside || shape.parent[node] !== nodes[call.node]) continue;
      const symbol = shape.symbol[node];
      const ns = Math.min(inner.endNs[row], toNs) - Math.max(inner.startNs[row], fromNs);
      times.set(symbol, (times.get(symbol) ?? 0) + Math.max(0, ns));
    }
  }
  return times;
}

/**
 * `times`: by function called directly, in the call. `averageNs`: per call. Returns the largest difference first.
 */
export function longerCallees(
  { durationNs }: Pick<ListedCall, 'durationNs'>,
  times: ReadonlyMap<SymbolId, Nanoseconds>,
  averageNs: ReadonlyMap<SymbolId, Nanoseconds>,
): LongerCallee[] {
  return [...times]
    .map(([symbol, ns]) => ({ symbol, moreNs: ns - (averageNs.get(symbol) ?? 0) }))
    .filter(({ moreNs }) => moreNs > MIN_SHARE * durationNs)
    .sort((a, b) => b.moreNs - a.moreNs || a.symbol - b.symbol)
    .slice(0, MAX_CALLEES);
}

/** What a server of the page says of the calls of a function: all of them, but later. */
export interface CallsSearch {
  readonly timeline: Timeline;
  /** By tid. */
  readonly threads: readonly SearchedThread[];
  /** The time axis. */
  readonly bounds: Bounds;
  /** Only what is within them, which may cut calls. */
  readonly isPart: boolean;
}

export interface ServedCallsOf {
  /** null: not there yet. */
  readonly found: FoundCalls | null;
  /** The calls inside the slowest calls; null: too many. Those that are missing are not there yet. */
  readonly inside: ReadonlyMap<ListedCall, ThreadSpans | null>;
  /** Something is still to come. */
  readonly isAwaited: boolean;
  /** Why the server is not asked any more; null: it is. */
  readonly fault: string | null;
}

export interface AllCalls {
  /** Returns what is there, and asks for the rest. `key`: of the search. */
  of(key: string, search: CallsSearch): ServedCallsOf;
  /** Nothing that was asked for is needed any more. */
  stop(): void;
}

/**
 * Finds the calls of a function, in the timeline or in what a server sent: when they were, and how long they took.
 *
 * Times are since the start of the timeline. `entryNs`: the start, but not before the range that is shown.
 */
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
  /** Of the complete ones. */
  readonly durations: Histogram;
  /** At most `MAX_LISTED_CALLS`: longest first, then earliest, then by thread. */
  readonly longest: readonly ListedCall[];
}

/** A thread, and its nodes that are calls of the function. */
export interface SearchedThread {
  readonly timed: TimedThread;
  /** By node: 1 if it counts. */
  readonly isWanted: Uint8Array;
  /** The number of the function, as in `FunctionIndex`. */
  readonly fn: NodeId;
  /** Anything was called at this node. */
  readonly hasCallees: (node: NodeId) => boolean;
}

/** `threads`: by tid. `bounds`: the time axis. `isPart`: only what is within them, which may cut calls. */
export function findListedCalls(threads: readonly SearchedThread[], bounds: Bounds, isPart: boolean): FoundCalls {
  const collector = new CallsCollector(bounds, isPart);
  for (const thread of threads) collector.addThread(thread);
  return collector.build();
}

export class CallsCollector {
  private count = 0;
  private inferred = 0;
  private unmeasured = 0;
  private readonly grid = new CallGrid();
  /** By bucket. */
  private readonly durations = new Map<number, number>();
  private readonly longest = new LongestCalls<ListedCall>(MAX_LISTED_CALLS);
  private readonly range: Bounds;

  /** As for `findListedCalls`. */
  constructor(
    private readonly bounds: Bounds,
    isPart: boolean,
  ) {
    this.range = isPart ? bounds : UNBOUNDED;
  }

  addThread(thread: SearchedThread): void {
    const known = new KnownTimes(thread);
    const { levels, split } = thread.timed.spans;
    for (const level of levels) this.addWanted(thread, level, () => false, known.of(level));
    this.addWanted(thread, split, () => true, known.of(split));
  }

  /** Adds calls of a thread that a server sent; threads in any order that is always the same. */
  addCalls(thread: SearchedThread, calls: FunctionCalls): void {
    const { isSplit, knownNs } = calls;
    const isSplitAt = (row: number) => isSplit[row] === 1;
    this.addWanted(thread, calls, isSplitAt, (row) => knownNs[row]);
  }

  build(): FoundCalls {
    const { count, inferred, unmeasured, grid, longest } = this;
    const durations = [...this.durations].sort(([a], [b]) => a - b);
    const histogram = { bucket: durations.map(([bucket]) => bucket), calls: durations.map(([, calls]) => calls) };
    return { count, inferred, unmeasured, cells: grid.build(), durations: histogram, longest: longest.build() };
  }

  /** `knownNs`: how long the inferred call of a row certainly lasted; null: unknown. */
  private addWanted(
    { timed, isWanted }: SearchedThread,
    { startNs, endNs, node, ending }: Spans,
    isSplit: (row: number) => boolean,
    knownNs: (row: number) => Nanoseconds | null,
  ): void {
    const { range } = this;
    for (let row = 0; row < node.length; row++) {
      if (isWanted[node[row]] !== 1 || ending[row] === PIECE || !overlaps(range, startNs[row], endNs[row])) continue;
      const isInferred = !isComplete(endingWithin(range, startNs[row], endNs[row], ending[row]));
      const withinNs = nsWithin(range, startNs[row], endNs[row]);
      const atLeastNs = isComplete(ending[row]) ? withinNs : knownNs(row);
      if (atLeastNs === null) {
        this.unmeasured++;
        continue;
      }
      const times = { startNs: startNs[row], endNs: endNs[row], durationNs: Math.min(withinNs, atLeastNs), isInferred };
      this.add({ ...times, tid: timed.tid, node: node[row], isSplit: isSplit(row) });
    }
  }

  private add(call: Omit<ListedCall, 'row' | 'entryNs'>): void {
    const entryNs = Math.max(call.startNs, this.bounds.startNs);
    this.grid.add(timeColumn(this.bounds, entryNs), durationRow(call.durationNs), 1, call.isInferred ? 1 : 0);
    this.longest.add({ ...call, entryNs, row: this.count++ });
    if (call.isInferred) this.inferred++;
    else {
      const bucket = bucketOf(call.durationNs);
      this.durations.set(bucket, 1 + (this.durations.get(bucket) ?? 0));
    }
  }
}

/** How long inferred calls certainly lasted, as far as the numbers of ranges list them. */
class KnownTimes {
  private known: Map<string, Nanoseconds> | null = null;

  constructor(private readonly thread: SearchedThread) {}

  /** Of a row of some calls; null: unknown. */
  of({ node, startNs, endNs }: Spans): (row: number) => Nanoseconds | null {
    return (row) => {
      this.known ??= this.read();
      return this.known.get([node[row], startNs[row], endNs[row]].join()) ?? null;
    };
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
