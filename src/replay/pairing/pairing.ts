/**
 * What is known of a thread's events once returns are paired with calls.
 */
import { ReusedColumn } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import type { OtherStack } from './open-calls.js';
import type { StackSwitch } from './parked-stacks.js';
import type { SkippedCalls } from './skipped-calls.js';

/** What an event turned out to be; where `Plain`, the step itself says all. */
export const Outcome = {
  Plain: 0,
  /** A return, or the end of a signal: everything from the call in `link` upwards is over. */
  Pop: 1,
  /** A return to a caller never seen calling. */
  Leave: 2,
  /** A "return" to the start of a function: it only jumps there, as retpolines do. */
  JumpByReturn: 3,
  /** A trace start where the trace had stopped. */
  Resume: 4,
  /** A trace start in another function: a signal handler was entered. */
  SignalEntry: 5,
  /** A return out of a signal handler, into the code that ends the signal. */
  SignalReturn: 6,
  /** Back to a stack that was left before: the `link`-th of `switches`. */
  StackSwitch: 7,
  /** To a stack that was not seen before: the `link`-th of `stacks`. */
  NewStack: 8,
  /** An aborted transaction: the calls of the `link`-th of `aborts`, which had returned in it, are open again. */
  Reopen: 9,
  /** The end of a call that was not shown: everything above the call in `link` is over. */
  ReturnTo: 10,
} as const;

/** A stretch of events without a loss. */
export interface Segment {
  readonly firstRow: number;
  /** Behind the last row. */
  readonly endRow: number;
  /**
   * Rows of the returns that leave what was running when the segment began, in their order; those of later segments,
   * if the same levels are seen to be left there, behind its own.
   */
  readonly leavingRows: readonly number[];
  /** Rows of the calls that are still open at the end, lowest first. */
  readonly openRows: readonly number[];
  /** Where the trace was stopped at the end; NaN if it ran. */
  readonly stoppedAt: Address;
}

/** Between two events the thread went to another stack, as a later return shows. */
export type UnseenSwitch =
  /** To one that was not seen before. */
  | { readonly to: 'new'; readonly stack: OtherStack }
  /** To one that was left before, whose last call that ended. */
  | { readonly to: 'left'; readonly change: StackSwitch }
  /** To the one that it came from, on which the call in this row went away; that is over, unless something was jumped to from there. */
  | { readonly to: 'below'; readonly callRow: number; readonly isOver: boolean };

export interface Pairing {
  readonly segments: Segment[];
  readonly outcome: Uint8Array; // by row
  /**
   * For a call, signal or kernel entry: the row that ended it, or NONE; its own row if it is left by its own return
   * behind a loss. For a Pop: the row of the call.
   */
  readonly link: Int32Array;
  readonly skipped: SkippedCalls;
  /** By the row of a return that leaves the beginning: the rows of the calls that it skips, if they are few. */
  readonly leftCalls: Map<number, readonly number[]>;
  readonly switches: StackSwitch[];
  readonly stacks: OtherStack[];
  /** By the row of the first event behind it. */
  readonly unseen: Map<number, UnseenSwitch>;
  /** Rows of calls that are open again, lowest first. */
  readonly aborts: number[][];
  /** Of events that go to another stack, from one that was gone to before: the row of the event that went there. */
  readonly replaces: Map<number, number>;
}

/** Of a return that skips more calls than this nobody asks which. */
export const MOST_LEFT_CALLS = 256;

/** The columns of a pairing, used again for the next thread. */
export class PairingMemory {
  private readonly outcome = new ReusedColumn(new Uint8Array(0));
  private readonly link = new ReusedColumn(new Int32Array(0));

  take(length: number): Pick<Pairing, 'outcome' | 'link'> {
    return { outcome: this.outcome.take(length, Outcome.Plain), link: this.link.take(length, NONE) };
  }
}
