/**
 * The call log of one thread: which calls began and ended when, and where time went in between, in order. Questions
 * about single calls are answered from it, as the call tree has only sums.
 *
 * A row is an operation with an argument, and the time up to which time is charged before it: to the stop that is open,
 * else to the frame on top.
 */
import { float64Column, resized } from '../columns.js';
import { PtflameError } from '../errors.js';
import { askForMemory } from '../memory.js';
import { type Nanoseconds, NONE, type NodeId, type SiteId } from '../units.js';
import { Doubt } from './doubts.js';

export const CallOp = {
  /** Starts charging time anew here: nothing is charged. */
  Begin: 0,
  /** Only charges time. */
  Charge: 1,
  /** Opens a call; argument: its node. */
  Open: 2,
  /** Closes the call on top; argument: 0 if it returned, else 1 + the reason (`Inference`, UNWOUND). */
  Close: 3,
  /**
   * Begins a stop: the trace stops, or the thread leaves its CPU; argument: the node. May be nested in another stop.
   */
  Stop: 4,
  /** Ends the last stop; argument: 0 if its end was seen, else 1. */
  EndStop: 5,
  /** Sets the calls on top aside, whose stack is parked; argument: how many. */
  SetAside: 6,
  /** Puts calls that were set aside on top again; argument: the row that opened the uppermost one. */
  PutBack: 7,
  /**
   * Changes the nodes of the calls that were put back last: if it occurs, then once for each, lowest first. Argument: the
   * node.
   */
  Renode: 8,
  /** Sets why what is charged from here on is inferred; argument: `Doubt`. */
  SetDoubt: 11,
  /**
   * Gives the call that ended last its known duration, in place of a time. Only for a call whose start or end was not
   * seen; without this row its whole duration is known.
   */
  KnownTime: 12,
} as const;
export type CallOp = (typeof CallOp)[keyof typeof CallOp];

export const OP_BITS = 4;
const OP_MASK = (1 << OP_BITS) - 1;

/** In place of the time since the row before: the time is in `farNs`. */
export const FAR = 0xffff;

export interface LogColumns {
  /** Nanoseconds since the row before, or `FAR`. */
  readonly sinceNs: Uint16Array;
  /** The times of rows with `FAR`, in their order: pauses, times before that of the row before, known durations. */
  readonly farNs: Float64Array;
  /** Operation and argument, see `opOf` and `argumentOf`. */
  readonly code: Int32Array;
}

export interface CallLog extends LogColumns {
  readonly length: number;
  /** When it ends. */
  readonly endNs: Nanoseconds;
  /** Where a call or a stop that a row opens was made, see `madeAt`; NONE: not known. Absent: not requested. */
  readonly place?: Int32Array | undefined;
}

// Places in the code: sites that calls come from, and of calls whose beginning was not seen, those that they return to.

/** Returns the place of a call that returns to where `site` leads. */
export function returningTo(site: SiteId): number {
  return NONE - 1 - site;
}

/** Returns the site of a place, and whether the call was made there, or returns to where that leads. */
export function madeAt(place: number): { readonly site: SiteId; readonly isReturn: boolean } {
  return place < NONE ? { site: NONE - 1 - place, isReturn: true } : { site: place, isReturn: false };
}

export function opOf(code: number): CallOp {
  return (code & OP_MASK) as CallOp;
}

export function argumentOf(code: number): number {
  return code >>> OP_BITS;
}

/** Nearly every event is a row; stops, and calls that were not seen, add some. */
const ROWS_PER_EVENT = 1.125;
const MIN_ROWS = 1024;

/** Without places, and without times in `farNs`, which are rare. */
export const ROW_BYTES = Uint16Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT;

/** @throws PtflameError TOO_LARGE */
function askForLog(events: number): void {
  try {
    askForMemory(ROW_BYTES * events);
  } catch (cause) {
    throw new PtflameError(
      'TOO_LARGE',
      `a thread has ${events.toLocaleString('en-US')} events: too many to keep each of its calls in memory`,
      {
        hint: 'allow more with --memory SIZE; or ask about a part of its time: --window; a page without a timeline, --time-detail 0, and other formats need only sums',
        cause,
      },
    );
  }
}

/** Writes the log while a thread is replayed. Reused for the next thread. */
export class CallLogBuilder {
  /** Time is charged up to here with the next row. */
  nowNs: Nanoseconds = 0;
  private sinceNs: Uint16Array = new Uint16Array(MIN_ROWS);
  private readonly farNs = float64Column();
  /** The time of the last row. */
  lastNs: Nanoseconds = 0;
  private code: Int32Array = new Int32Array(MIN_ROWS);
  /** null: not requested. */
  private place: Int32Array | null = null;
  length = 0;
  /** The doubt that was set last. */
  doubt: Doubt = Doubt.None;
  /** Rows before this one should not change any more; and whether one did. */
  private fixedRows = 0;
  hasChangedFixed = false;

  /**
   * Clears the log for a thread with this many events. Allocating it at once needs less memory than growing by copies.
   */
  clear(events = 0, hasPlaces = false): void {
    this.length = 0;
    this.farNs.length = 0;
    this.lastNs = 0;
    this.doubt = Doubt.None;
    this.fixedRows = 0;
    this.hasChangedFixed = false;
    this.place = hasPlaces ? new Int32Array(Math.max(MIN_ROWS, this.code.length)) : null;
    const rows = Math.ceil(ROWS_PER_EVENT * events);
    if (rows <= this.code.length) return;
    askForLog(events);
    this.sinceNs = new Uint16Array(rows);
    this.code = new Int32Array(rows);
    if (hasPlaces) this.place = new Int32Array(rows);
  }

  get hasPlaces(): boolean {
    return this.place !== null;
  }

  /** Starts charging time at this moment. */
  begin(ns: Nanoseconds): void {
    if (this.length > 0) this.add(CallOp.Charge, 0);
    this.nowNs = ns;
    this.add(CallOp.Begin, 0);
  }

  /** Opens a call and returns its row. `site`: of the event that makes the call. */
  open(node: NodeId, site: SiteId = NONE): number {
    return this.add(CallOp.Open, node, site);
  }

  /** Notes the place of the call opened in `row`, unless it is known. */
  setPlace(row: number, place: number): void {
    if (this.place?.[row] === NONE) this.place[row] = place;
  }

  /**
   * Appends so many rows, with the times of those that are `FAR`. Rows among them that set the doubt come in pairs: the
   * second one sets it back. `lastNs`: the time of the last row.
   */
  appendAll({ sinceNs, farNs, code }: LogColumns, rows: number, farRows: number, lastNs: Nanoseconds): void {
    const first = this.length;
    this.makeSpace(rows);
    this.place?.fill(NONE, first, first + rows);
    this.sinceNs.set(sinceNs.subarray(0, rows), first);
    this.code.set(code.subarray(0, rows), first);
    this.farNs.append(farNs.subarray(0, farRows));
    this.length += rows;
    this.lastNs = lastNs;
  }

  /** Charges time up to now. From here on, no earlier row should change. */
  fix(): void {
    this.add(CallOp.Charge, 0);
    this.fixedRows = this.length;
  }

  /** Corrects the node of the call opened in `row`. */
  rename(row: number, node: NodeId): void {
    if (row < this.fixedRows) this.hasChangedFixed = true;
    this.code[row] = (node << OP_BITS) | CallOp.Open;
  }

  /** `reason`: an `Inference`, UNWOUND, or NONE if it returned. */
  close(reason: number): void {
    this.add(CallOp.Close, reason - NONE);
  }

  /** Sets for how long the call that ended last certainly lasted. */
  setKnownTime(ns: Nanoseconds): void {
    this.append(CallOp.KnownTime, 0, this.far(ns));
  }

  stop(node: NodeId, site: SiteId = NONE): void {
    this.add(CallOp.Stop, node, site);
  }

  endStop(isSeen: boolean): void {
    this.add(CallOp.EndStop, isSeen ? 0 : 1);
  }

  /** `calls`: how many. */
  setAside(calls: number): void {
    this.add(CallOp.SetAside, calls);
  }

  /** `row`: the one that opened the uppermost call. */
  putBack(row: number): void {
    this.add(CallOp.PutBack, row);
  }

  renode(node: NodeId): void {
    this.add(CallOp.Renode, node);
  }

  setDoubt(doubt: Doubt): void {
    if (doubt === this.doubt) return;
    this.doubt = doubt;
    this.add(CallOp.SetDoubt, doubt);
  }

  /** Returns the log. It shares memory with the builder, and is valid until that is cleared. */
  build(): CallLog {
    this.add(CallOp.Charge, 0);
    const { length, place, farNs, lastNs: endNs } = this;
    const log = {
      length,
      endNs,
      sinceNs: this.sinceNs.subarray(0, length),
      farNs: farNs.values.subarray(0, farNs.length),
      code: this.code.subarray(0, length),
    };
    return place ? { ...log, place: place.subarray(0, length) } : log;
  }

  private add(op: CallOp, argument: number, site: SiteId = NONE): number {
    return this.append(op, argument, this.since(this.nowNs), site);
  }

  private append(op: CallOp, argument: number, since: number, site: SiteId = NONE): number {
    this.makeSpace(1);
    const row = this.length++;
    if (this.place) this.place[row] = site;
    this.sinceNs[row] = since;
    this.code[row] = (argument << OP_BITS) | op;
    return row;
  }

  private makeSpace(rows: number): void {
    const needed = this.length + rows;
    if (needed <= this.code.length) return;
    const space = Math.max(needed, 2 * this.code.length);
    this.sinceNs = resized(this.sinceNs, space);
    this.code = resized(this.code, space);
    this.place &&= resized(this.place, space);
  }

  private since(ns: Nanoseconds): number {
    const { lastNs } = this;
    this.lastNs = ns;
    const since = ns - lastNs;
    return (since & FAR) === since && since !== FAR && lastNs + since === ns ? since : this.far(ns);
  }

  private far(ns: Nanoseconds): number {
    this.farNs.push(ns);
    return FAR;
  }
}
