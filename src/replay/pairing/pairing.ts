/**
 * The result of pairing a thread's returns with its calls.
 */
import { ReusedColumn } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import type { ReplayKernel } from '../host/replay-kernel.js';
import { OwnRows, type Rows } from '../host/rows.js';
import { CALL_BYTES } from '../wasm/layout.js';
import { Action } from './actions.js';
import type { OtherStack } from './calls.js';
import type { StackSwitch } from './parked-stacks.js';
import type { SkippedCalls } from './skipped-calls.js';

/** A thread's events between two losses. */
export interface Segment {
  readonly firstRow: number;
  /** The row after the last one. */
  readonly endRow: number;
  /**
   * Rows of the returns whose call this segment does not contain, in order: they end the levels that were open when it
   * began. Returns in later segments that end the same levels follow those of this segment.
   */
  readonly unmatchedRows: readonly number[];
  /** Rows of the calls that are still open at the end, lowest first. */
  readonly openRows: readonly number[];
  /** Address at which the trace was stopped at the end; NaN if it ran. */
  readonly stoppedAt: Address;
}

/** A stack switch between two events that the trace does not show and a later return reveals. */
export type HiddenSwitch =
  /** To a stack that was not seen before. */
  | { readonly to: 'new'; readonly stack: OtherStack }
  /** To a parked stack, whose last call that ended. */
  | { readonly to: 'parked'; readonly change: StackSwitch }
  /**
   * To the stack below, which the call in `callRow` had switched away from. `isOver`: that call has returned; else
   * control jumped from there.
   */
  | { readonly to: 'below'; readonly callRow: number; readonly isOver: boolean };

export interface Pairing {
  readonly segments: Segment[];
  /** By row: `Action`, with flags. */
  readonly action: Uint8Array;
  /**
   * For a call, signal or kernel entry: the row that ends it, or NONE; its own row if its own return ends it after a
   * loss. For other events: see their `Action`.
   */
  readonly link: Int32Array;
  readonly skipped: SkippedCalls;
  /** By the row of an unmatched return: the rows of the calls that it skips, unless there are too many. */
  readonly skippedByReturn: Map<number, readonly number[]>;
  readonly switches: StackSwitch[];
  readonly stacks: OtherStack[];
  /** By the row of the first event after the switch. */
  readonly hiddenSwitches: Map<number, HiddenSwitch>;
  /** Rows of the calls that an aborted transaction reopens, lowest first. */
  readonly aborts: number[][];
  /** By the row of an event that switches stacks: the row of the event that had switched to the stack it leaves. */
  readonly replacedStack: Map<number, number>;
}

/** If a return skips more calls than this, their rows are not kept. */
export const MAX_SKIPPED_ROWS = 256;

/** The memory of pairing, reused for the next thread. */
export interface PairingMemory {
  /** Of open calls. */
  readonly calls: Rows;
  /** Pairs calls and returns; null if that is left to TypeScript. */
  readonly kernel: ReplayKernel | null;
  /** Returns columns for a thread, which are empty. */
  take(length: number): Pick<Pairing, 'action' | 'link'>;
}

/** Memory that no kernel uses. */
export class OwnPairingMemory implements PairingMemory {
  readonly calls: Rows = new OwnRows(64 * CALL_BYTES);
  readonly kernel = null;
  private readonly action = new ReusedColumn(new Uint8Array(0));
  private readonly link = new ReusedColumn(new Int32Array(0));

  take(length: number): Pick<Pairing, 'action' | 'link'> {
    return { action: this.action.filled(length, Action.Stay), link: this.link.filled(length, NONE) };
  }
}

/** Memory that a kernel works on. */
export class KernelPairingMemory implements PairingMemory {
  readonly calls: Rows;
  readonly kernel: ReplayKernel;

  constructor(kernel: ReplayKernel) {
    this.kernel = kernel;
    this.calls = kernel.memory.stack;
  }

  take(length: number): Pick<Pairing, 'action' | 'link'> {
    const { action, link } = this.kernel.columns(length);
    return { action: action.fill(Action.Stay), link: link.fill(NONE) };
  }
}
