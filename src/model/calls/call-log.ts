/**
 * What replay found out about one thread, in the order in which it happened: which calls began and ended when, and where
 * time went between. Whoever asks about single calls reads it; the call tree alone has sums.
 *
 * A row is an operation with an argument, and the time up to which time is charged before it is done: to the stop that is
 * open, else to the frame on top.
 */
import { resized } from '../columns.js';
import { type Nanoseconds, NONE, type NodeId } from '../units.js';

export const CallOp = {
  /** Time begins anew here: nothing is charged. */
  Begin: 0,
  /** Nothing but the charge. */
  Charge: 1,
  /** A call begins; argument: its node. */
  Open: 2,
  /** The call on top ends; argument: 0 if it returned, else 1 + why not (`Inference`, UNWOUND). */
  Close: 3,
  /** The trace stops, or the thread leaves its processor; argument: the node. May stand in another stop. */
  Stop: 4,
  /** The last stop ends; argument: 0 if it was seen whole, else 1. */
  EndStop: 5,
  /** The call on top is set aside with its stack: it goes on later. */
  SetAside: 6,
  /** A call that was set aside is put on top again; argument: the row that opened it. */
  PutBack: 7,
  /** The call that was put back last has another node now; argument: the node. */
  Renode: 8,
  /** A call that was set aside ends where it is; argument: the row that opened it, and a `Why` row follows. */
  EndAside: 9,
  /** Of the call that ended last, set aside: as for `Close`. */
  EndReason: 10,
  /** Whether what is charged from here on is certain; argument: `Certainty`. */
  SetCertainty: 11,
  /**
   * Of the call that ended last: in place of a time, for how long it was surely there. Without this row that is all its time.
   * Only where its start or end was not seen.
   */
  KnownTime: 12,
} as const;
export type CallOp = (typeof CallOp)[keyof typeof CallOp];

/** Of time that is charged. Hidden: no address tells where a jump or an exception led, or when; nothing else is in doubt. */
export const Certainty = { Certain: 0, HiddenJump: 1, Unconfirmed: 2 } as const;
export type Certainty = (typeof Certainty)[keyof typeof Certainty];

const OP_BITS = 4;
const OP_MASK = (1 << OP_BITS) - 1;

export interface CallLog {
  readonly length: number;
  readonly timeNs: Float64Array; // Nanoseconds
  /** Operation and argument: `opOf`, `argumentOf`. */
  readonly code: Int32Array;
}

export function opOf(code: number): CallOp {
  return (code & OP_MASK) as CallOp;
}

export function argumentOf(code: number): number {
  return code >>> OP_BITS;
}

/** Nearly every event is a row; stops, and calls that were not seen, are some more. */
const ROWS_PER_EVENT = 1.125;
const MIN_ROWS = 1024;

/** Written while a thread is replayed; used again for the next one. */
export class CallLogBuilder {
  /** Up to here time is charged, as soon as anything happens. */
  nowNs: Nanoseconds = 0;
  private timeNs = new Float64Array(MIN_ROWS);
  private code: Int32Array = new Int32Array(MIN_ROWS);
  private length = 0;
  private certainty: Certainty = Certainty.Certain;

  /** Begins the log of another thread, of so many events: made at once, room for it is less than if it grew by copies. */
  clear(events = 0): void {
    this.length = 0;
    this.certainty = Certainty.Certain;
    const rows = Math.ceil(ROWS_PER_EVENT * events);
    if (rows <= this.code.length) return;
    this.timeNs = new Float64Array(rows);
    this.code = new Int32Array(rows);
  }

  /** Time goes on from here. */
  begin(ns: Nanoseconds): void {
    if (this.length > 0) this.add(CallOp.Charge, 0);
    this.nowNs = ns;
    this.add(CallOp.Begin, 0);
  }

  /** Returns its row. */
  open(node: NodeId): number {
    return this.add(CallOp.Open, node);
  }

  /** Time is charged up to here, and a call begins. */
  openAt(ns: Nanoseconds, node: NodeId): number {
    this.nowNs = ns;
    return this.addAt(ns, CallOp.Open, node);
  }

  /** Time is charged up to here, and the call on top ends, seen whole. */
  closeAt(ns: Nanoseconds): void {
    this.nowNs = ns;
    this.addAt(ns, CallOp.Close, 0);
  }

  /** The call that was opened in `row` turns out to be another one: it always was. */
  rename(row: number, node: NodeId): void {
    this.code[row] = (node << OP_BITS) | CallOp.Open;
  }

  /** `why`: an `Inference`, UNWOUND, or NONE if it returned. */
  close(why: number): void {
    this.add(CallOp.Close, why - NONE);
  }

  /** The call that ended last was surely there for so long. */
  setKnownTime(ns: Nanoseconds): void {
    this.addAt(ns, CallOp.KnownTime, 0);
  }

  stop(node: NodeId): void {
    this.add(CallOp.Stop, node);
  }

  endStop(isSeen: boolean): void {
    this.add(CallOp.EndStop, isSeen ? 0 : 1);
  }

  setAside(): void {
    this.add(CallOp.SetAside, 0);
  }

  putBack(row: number, node: NodeId): void {
    this.add(CallOp.PutBack, row);
    this.add(CallOp.Renode, node);
  }

  endAside(row: number, why: number): void {
    this.add(CallOp.EndAside, row);
    this.add(CallOp.EndReason, why - NONE);
  }

  setCertainty(certainty: Certainty): void {
    if (certainty === this.certainty) return;
    this.certainty = certainty;
    this.add(CallOp.SetCertainty, certainty);
  }

  /** Shares memory with the builder: it is good until that is cleared. */
  build(): CallLog {
    this.add(CallOp.Charge, 0);
    const { length } = this;
    return { length, timeNs: this.timeNs.subarray(0, length), code: this.code.subarray(0, length) };
  }

  private add(op: CallOp, argument: number): number {
    return this.addAt(this.nowNs, op, argument);
  }

  private addAt(ns: Nanoseconds, op: CallOp, argument: number): number {
    const row = this.length++;
    if (row === this.code.length) {
      this.timeNs = resized(this.timeNs, 2 * row);
      this.code = resized(this.code, 2 * row);
    }
    this.timeNs[row] = ns;
    this.code[row] = (argument << OP_BITS) | op;
    return row;
  }
}
