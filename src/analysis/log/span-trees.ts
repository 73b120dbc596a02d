/**
 * Lists the calls inside many intervals of a thread down to a minimum duration, in one walk over its log.
 *
 * A call is inside an interval if it begins or ends there: calls around the interval show nothing of how its time was
 * spent. So a call is listed for the intervals that are open when it ends, and when an interval ends, for those of the
 * open calls that began in it.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import { boundForLongest, float64Column, int32Column, rowNumbers, rowsOf, viewsOf } from '../../model/columns.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import {
  type CallListener,
  IntervalSweep,
  type Intervals,
  OpenCall,
  type SweepListener,
  walkCalls,
} from './walk-calls.js';

export interface SpanTreesQuestion extends Intervals {
  /** Calls that last shorter within an interval are left out. */
  readonly minNs: Nanoseconds;
  /** If there are more calls, only the longest: `minNs` is raised, so that no more than this are left. Default: all. */
  readonly maxCalls?: number;
}

/** A row for each call of an interval: by interval, then in the order in which they began. */
export interface SpanTrees {
  readonly interval: Int32Array;
  /** The row of the call below it; NONE: that call is not inside the interval. */
  readonly parent: Int32Array;
  readonly node: Int32Array;
  /** The part of the call within the interval. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** As in `Spans`; `CONTINUES`: it ends after the interval. */
  readonly ending: Int32Array;
  /** All calls that last at least this long are here; so many are not. */
  readonly minNs: Nanoseconds;
  readonly leftOut: number;
}

/** The ending of a call that goes on after the interval, or ends with it. */
export const CONTINUES = -2;

export function spanTrees(log: CallLog, question: SpanTreesQuestion): SpanTrees {
  const lister = new SpanLister(question);
  walkCalls(log, lister);
  return lister.build();
}

class ListedCall extends OpenCall {
  /** The row that opened the call below it. */
  belowRow = NONE;
  /** When the last one of it and the calls below it began: calls of stacks that were switched away from are older. */
  newestNs: Nanoseconds = 0;
}

/** In the order in which they were found; `call` and `below` are rows of the log that opened calls. */
function newRows() {
  const [interval, call, below] = [int32Column(), int32Column(), int32Column()];
  return {
    interval,
    call,
    below,
    node: int32Column(),
    startNs: float64Column(),
    endNs: float64Column(),
    ending: int32Column(),
  };
}

class SpanLister implements CallListener<ListedCall>, SweepListener {
  private readonly sweep: IntervalSweep;
  private rows = newRows();
  private minNs: Nanoseconds;
  private leftOut = 0;
  private readonly maxCalls: number;
  /** The open intervals; by interval, where it is among them. */
  private readonly open: number[] = [];
  private readonly openAt: Int32Array;
  private top: ListedCall | null = null;

  constructor(private readonly question: SpanTreesQuestion) {
    this.minNs = question.minNs;
    this.maxCalls = question.maxCalls ?? Number.POSITIVE_INFINITY;
    this.openAt = new Int32Array(question.fromNs.length);
    this.sweep = new IntervalSweep(question, this);
  }

  newCall(): ListedCall {
    return new ListedCall();
  }

  opened(call: ListedCall): void {
    this.top = null; // what was not passed yet was before the thread was observed
    this.passUntil(call.entryNs);
    this.resumed(call);
  }

  resumed(call: ListedCall): void {
    call.belowRow = call.below === null ? NONE : call.below.row;
    call.newestNs = Math.max(call.entryNs, call.below === null ? call.entryNs : call.below.newestNs);
  }

  spent(top: ListedCall | null, _fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.top = top;
    this.passUntil(toNs);
  }

  closed(call: ListedCall, exitNs: Nanoseconds, ending: number): void {
    if (exitNs - call.entryNs < this.minNs) {
      if (this.open.length > 0) this.leftOut++; // once, however many intervals it is in
      return;
    }
    const { fromNs, toNs } = this.question;
    for (const row of this.open) {
      const isBegunInside = call.entryNs >= fromNs[row] && call.entryNs < toNs[row];
      const isEndedInside = exitNs > fromNs[row] && exitNs < toNs[row];
      if (isBegunInside || isEndedInside) this.list(row, call, exitNs, ending);
    }
  }

  started(row: number): void {
    this.openAt[row] = this.open.length;
    this.open.push(row);
  }

  ended(row: number): void {
    this.remove(row);
    const fromNs = this.question.fromNs[row];
    const toNs = this.question.toNs[row];
    for (let call = this.top; call !== null && (call.isStop || call.newestNs >= fromNs); call = call.below)
      if (call.entryNs >= fromNs && call.entryNs < toNs) this.list(row, call, toNs, CONTINUES);
  }

  build(): SpanTrees {
    if (this.rows.call.length > this.maxCalls) this.keepLongest();
    const rows = viewsOf(this.rows);
    const order = rowNumbers(rows.call.length).sort(
      (a, b) => rows.interval[a] - rows.interval[b] || rows.call[a] - rows.call[b],
    );
    const { call, below, ...listed } = rowsOf(rows, order);
    return { ...listed, parent: parentsOf(listed.interval, call, below), minNs: this.minNs, leftOut: this.leftOut };
  }

  /** Starts at this moment are passed before what the thread does then, and ends after it. */
  private passUntil(ns: Nanoseconds): void {
    while (this.sweep.nextNs < ns) this.sweep.passNext();
    this.sweep.passStarts(ns);
  }

  private remove(row: number): void {
    const last = this.open.pop() as number;
    if (last === row) return;
    this.open[this.openAt[row]] = last;
    this.openAt[last] = this.openAt[row];
  }

  private list(row: number, call: ListedCall, endNs: Nanoseconds, ending: number): void {
    const startNs = Math.max(call.entryNs, this.question.fromNs[row]);
    if (endNs - startNs < this.minNs) {
      this.leftOut++;
      return;
    }
    const { rows } = this;
    rows.interval.push(row);
    rows.call.push(call.row);
    rows.below.push(call.isStop && call.below !== null ? call.below.row : call.belowRow);
    rows.node.push(call.node);
    rows.startNs.push(startNs);
    rows.endNs.push(endNs);
    rows.ending.push(ending);
    if (rows.call.length > 2 * this.maxCalls) this.keepLongest();
  }

  private keepLongest(): void {
    const { startNs, endNs, call } = this.rows;
    const durations = endNs.view().map((ns, row) => ns - startNs.values[row]);
    this.minNs = boundForLongest(durations, this.maxCalls);
    const kept = rowNumbers(call.length).filter((row) => durations[row] >= this.minNs);
    this.leftOut += call.length - kept.length;
    const longest = rowsOf(viewsOf(this.rows), kept);
    this.rows = newRows();
    for (const name of Object.keys(longest) as (keyof typeof longest)[]) this.rows[name].append(longest[name]);
  }
}

/** Rows of an interval are contiguous. */
function parentsOf(intervals: Int32Array, calls: Int32Array, below: Int32Array): Int32Array {
  const parents = new Int32Array(below.length);
  for (let first = 0, end = 0; first < parents.length; first = end) {
    const rows = new Map<number, number>(); // by call
    for (end = first; end < parents.length && intervals[end] === intervals[first]; end++) rows.set(calls[end], end);
    for (let row = first; row < end; row++) parents[row] = rows.get(below[row]) ?? NONE;
  }
  return parents;
}
