/**
 * What is known of a thread's events once returns are paired with calls.
 */
import { ReusedColumn } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import { Action } from './actions.js';
import type { OtherStack } from './calls.js';
import type { StackSwitch } from './parked-stacks.js';
import type { SkippedCalls } from './skipped-calls.js';

/** A stretch of events without a loss. */
export interface Segment {
  readonly firstRow: number;
  /** Behind the last row. */
  readonly endRow: number;
  /**
   * Rows of the returns that leave what was running when the segment began, in their order; those of later segments,
   * if the same levels are seen to be left there, behind its own.
   */
  readonly unmatchedRows: readonly number[];
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
  | { readonly to: 'parked'; readonly change: StackSwitch }
  /** To the one that it came from, on which the call in this row went away; that is over, unless something was jumped to from there. */
  | { readonly to: 'below'; readonly callRow: number; readonly isOver: boolean };

export interface Pairing {
  readonly segments: Segment[];
  /** By row: `Action`, with flags. */
  readonly action: Uint8Array;
  /**
   * For a call, signal or kernel entry: the row that ended it, or NONE; its own row if it is left by its own return
   * behind a loss. For others what their `Action` says.
   */
  readonly link: Int32Array;
  readonly skipped: SkippedCalls;
  /** By the row of a return that leaves the beginning: the rows of the calls that it skips, if they are few. */
  readonly skippedByReturn: Map<number, readonly number[]>;
  readonly switches: StackSwitch[];
  readonly stacks: OtherStack[];
  /** By the row of the first event behind it. */
  readonly unseen: Map<number, UnseenSwitch>;
  /** Rows of calls that are open again, lowest first. */
  readonly aborts: number[][];
  /** Of events that go to another stack, from one that was gone to before: the row of the event that went there. */
  readonly replacedStack: Map<number, number>;
}

/** Of a return that skips more calls than this nobody asks which. */
export const MAX_SKIPPED_ROWS = 256;

/** The columns of a pairing, used again for the next thread. */
export class PairingMemory {
  private readonly action = new ReusedColumn(new Uint8Array(0));
  private readonly link = new ReusedColumn(new Int32Array(0));

  take(length: number): Pick<Pairing, 'action' | 'link'> {
    return { action: this.action.filled(length, Action.Stay), link: this.link.filled(length, NONE) };
  }
}
