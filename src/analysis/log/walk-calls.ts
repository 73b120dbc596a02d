/**
 * Walks through the log of a thread and reports each call and each time interval to a listener.
 */
import { argumentOf, type CallLog, CallOp, FAR, opOf } from '../../model/calls/call-log.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Doubt } from '../../model/calls/doubts.js';
import { rowNumbers } from '../../model/columns.js';
import { assert } from '../../model/errors.js';
import { type Nanoseconds, NONE, type NodeId } from '../../model/units.js';
import { passRows } from '../../model/work.js';

/**
 * An open call, or a stop: `[syscall]` and the other stops are calls, too. Objects are reused after the call ends, so a
 * listener sets its own fields when a call opens.
 */
export class OpenCall {
  /** Row of the log that opened it, which identifies it. */
  row = NONE;
  node: NodeId = ROOT;
  entryNs: Nanoseconds = 0;
  /** Its caller, or the frame that a stop is on; null: none. */
  below: this | null = null;
  isStop = false;
  /** Its stack was switched away from and has not resumed yet. */
  isSuspended = false;
}

/** Receives the calls and the time of a log. */
export interface CallListener<Call extends OpenCall = OpenCall> {
  /** Creates a call object of the listener's own class. */
  newCall(): Call;
  opened(call: Call): void;
  /**
   * `ending`: an `Inference`, UNWOUND, or NONE if it returned; of a stop, NONE or 0. `knownNs`: how long it certainly
   * lasted; of a complete call, its duration.
   */
  closed(call: Call, exitNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void;
  /** Time of the call on top; null: no call. Reported in order with the other methods. */
  spent(top: Call | null, fromNs: Nanoseconds, toNs: Nanoseconds, doubt: Doubt): void;
  /**
   * If there is, in place of `opened`, `spent` and `closed`: a call without callees that was seen whole, and returned. No stop
   * is open.
   */
  calledLeaf?(node: NodeId, entryNs: Nanoseconds, exitNs: Nanoseconds, doubt: Doubt): void;
  /** Its stack is switched away from; it resumes later. */
  suspended?(call: Call): void;
  /** It resumes, possibly on other calls than before. */
  resumed?(call: Call): void;
}

/** `firstRow`: only what happens from this row of the log on is reported, and calls that begin before it. */
export function walkCalls<Call extends OpenCall>(log: CallLog, listener: CallListener<Call>, firstRow = 0): void {
  new Walk(log, listener, firstRow).run();
}

/** So many rows are passed at a time, for whoever shows progress. */
const ROWS_TOLD = 1 << 16;

class Walk<Call extends OpenCall> {
  private frame: Call | null = null;
  /** A stop on the frame, and possibly a stop inside that. */
  private readonly stops: Call[] = [];
  private readonly unused: Call[] = [];
  /** Stacks that were set aside, lowest call first, by the row that opened the uppermost call. */
  private readonly stacks = new Map<number, Call[]>();
  /** The next time in `farNs`. */
  private far = 0;

  constructor(
    private readonly log: CallLog,
    private readonly listener: CallListener<Call>,
    private readonly firstRow: number,
  ) {}

  run(): void {
    const { listener, stops, firstRow, unused } = this;
    const { length, sinceNs, farNs, code } = this.log;
    let nowNs = 0;
    let doubt: Doubt = 0;
    let told = 0;
    for (let row = 0; row < length; row++) {
      if (row - told >= ROWS_TOLD) {
        passRows(row - told);
        told = row;
      }
      const op = opOf(code[row]);
      const argument = argumentOf(code[row]);
      const since = sinceNs[row];
      const atNs = since === FAR ? farNs[this.far++] : nowNs + since;
      if (op === CallOp.KnownTime) continue; // belongs to the row before
      if (op !== CallOp.Begin && atNs > nowNs && row >= firstRow)
        listener.spent(stops.length > 0 ? stops[stops.length - 1] : this.frame, nowNs, atNs, doubt);
      nowNs = atNs;
      if (op === CallOp.Open) {
        if (listener.calledLeaf !== undefined && row >= firstRow && this.isLeaf(row)) {
          nowNs += sinceNs[++row];
          listener.calledLeaf(argument, atNs, nowNs, doubt);
          continue;
        }
        const call = this.begin(row, argument, atNs, this.frame, false);
        this.setFrame(call);
        listener.opened(call);
      } else if (op === CallOp.Close) {
        const call = this.popFrame();
        unused.push(call);
        if (row < firstRow) continue;
        const hasKnownTime = row + 1 < length && opOf(code[row + 1]) === CallOp.KnownTime;
        listener.closed(call, atNs, argument + NONE, hasKnownTime ? farNs[this.far] : atNs - call.entryNs);
      } else if (op === CallOp.SetDoubt) doubt = argument as Doubt;
      else this.handleRareOp(row, op, argument, atNs);
    }
  }

  /** Whether the call that a row opens returns in the next row. */
  private isLeaf(row: number): boolean {
    return this.log.code[row + 1] === CallOp.Close && this.log.sinceNs[row + 1] !== FAR && this.stops.length === 0;
  }

  private handleRareOp(row: number, op: CallOp, argument: number, atNs: Nanoseconds): void {
    switch (op) {
      case CallOp.Stop:
        return this.openStop(row, argument, atNs);
      case CallOp.EndStop:
        return this.end(this.stops.pop(), atNs, argument + NONE, row + 1);
      case CallOp.SetAside:
        return this.suspend(argument);
      case CallOp.PutBack:
        return this.resume(argument, row + 1);
    }
  }

  private openStop(row: number, node: NodeId, atNs: Nanoseconds): void {
    const stop = this.begin(row, node, atNs, this.stops.at(-1) ?? this.frame, true);
    this.stops.push(stop);
    this.listener.opened(stop);
  }

  /** `next`: the row after the ones that describe the end. */
  private end(call: Call | undefined, atNs: Nanoseconds, ending: number, next: number): void {
    assert(call !== undefined, 'a call ends that never began');
    const { length, farNs, code } = this.log;
    this.unused.push(call);
    if (next <= this.firstRow) return;
    const hasKnownTime = next < length && opOf(code[next]) === CallOp.KnownTime;
    this.listener.closed(call, atNs, ending, hasKnownTime ? farNs[this.far] : atNs - call.entryNs);
  }

  private suspend(calls: number): void {
    const stack: Call[] = [];
    while (stack.length < calls) {
      const call = this.popFrame();
      call.isSuspended = true;
      stack.push(call);
      this.listener.suspended?.(call);
    }
    this.stacks.set((stack[0] as Call).row, stack.reverse());
  }

  /** `next`: the row after the one that resumes them, where their new nodes may be. */
  private resume(openedIn: number, next: number): void {
    const { length, code } = this.log;
    const stack = this.stacks.get(openedIn);
    assert(stack !== undefined, 'calls resume that were not suspended');
    this.stacks.delete(openedIn);
    const isMoved = next < length && opOf(code[next]) === CallOp.Renode;
    for (const [index, call] of stack.entries()) {
      if (isMoved) call.node = argumentOf(code[next + index]);
      call.below = this.frame;
      call.isSuspended = false;
      this.setFrame(call);
      this.listener.resumed?.(call);
    }
  }

  private popFrame(): Call {
    const { frame } = this;
    assert(frame !== null, 'a call ends that never began');
    this.setFrame(frame.below);
    return frame;
  }

  /** Frames may change below a stop that is still open. */
  private setFrame(frame: Call | null): void {
    this.frame = frame;
    if (this.stops.length > 0) this.stops[0].below = frame;
  }

  private begin(row: number, node: NodeId, atNs: Nanoseconds, below: Call | null, isStop: boolean): Call {
    const call = this.unused.pop() ?? this.listener.newCall();
    call.row = row;
    call.node = node;
    call.entryNs = atNs;
    call.below = below;
    call.isStop = isStop;
    call.isSuspended = false;
    return call;
  }
}

// Passes the starts and ends of intervals in the order of time. Intervals may overlap and nest.

/** Columns; `fromNs` is included, `toNs` is not. An interval that does not end after it begins is empty. */
export interface Intervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

export interface SweepListener {
  /** `row`: of the interval. Empty intervals are not reported. */
  started(row: number): void;
  ended(row: number): void;
}

export class IntervalSweep {
  /** When the next interval starts or ends; Infinity: all have ended. */
  nextNs: Nanoseconds;
  private readonly fromNs: Float64Array;
  private readonly toNs: Float64Array;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private started = 0;
  private ended = 0;

  constructor(
    { fromNs, toNs }: Intervals,
    private readonly listener: SweepListener,
  ) {
    this.fromNs = fromNs;
    this.toNs = toNs;
    const rows = rowNumbers(fromNs.length).filter((row) => fromNs[row] < toNs[row]);
    this.starts = inOrderOf(fromNs, rows);
    this.ends = inOrderOf(toNs, rows);
    this.nextNs = this.findNext();
  }

  /** Passes the next start or end. */
  passNext(): void {
    if (this.nextEndNs <= this.nextStartNs) this.listener.ended(this.ends[this.ended++]);
    else this.listener.started(this.starts[this.started++]);
    this.nextNs = this.findNext();
  }

  /** Passes the starts up to and including a moment; everything before it has been passed. */
  passStarts(untilNs: Nanoseconds): void {
    while (this.nextStartNs <= untilNs) this.listener.started(this.starts[this.started++]);
    this.nextNs = this.findNext();
  }

  private findNext(): Nanoseconds {
    return Math.min(this.nextStartNs, this.nextEndNs);
  }

  private get nextStartNs(): Nanoseconds {
    return this.started < this.starts.length ? this.fromNs[this.starts[this.started]] : Number.POSITIVE_INFINITY;
  }

  private get nextEndNs(): Nanoseconds {
    return this.ended < this.ends.length ? this.toNs[this.ends[this.ended]] : Number.POSITIVE_INFINITY;
  }
}

/** Returns rows by ascending value; equal ones in their own order. */
function inOrderOf(values: Float64Array, rows: Int32Array): Int32Array {
  const isAscending = rows.every((row, at) => at === 0 || values[rows[at - 1]] <= values[row]);
  return isAscending ? rows : rows.toSorted((a, b) => values[a] - values[b] || a - b);
}
