/**
 * The result of pairing a thread's returns with its calls.
 */
import { countBelow, int32Column } from '../../model/columns.js';
import { type PageMemory, Pages } from '../../model/trace/pages.js';
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, NONE } from '../../model/units.js';
import type { Switcher } from '../functions/site-facts.js';
import { OwnRows, type Rows } from '../module-memory.js';
import type { ReplayModule } from '../replay-module.js';
import { CALL_BYTES, PAIRED_BYTES } from '../wasm/layout.js';
import type { OpenCall, Stack } from './stacks.js';

/** A thread's events between two losses. */
export interface Segment {
  readonly firstRow: number;
  /** The row after the last one. */
  readonly endRow: number;
  /**
   * The stack that it begins with. Its returns in later segments, too, end the levels that were open when this one
   * began.
   */
  readonly first: Stack;
  /** The stack that runs at the end. */
  readonly last: Stack;
  /** Rows of the calls that are still open on it then, lowest first. */
  readonly openRows: readonly number[];
  /** Address at which the trace was stopped at the end; NaN if it ran. */
  readonly stoppedAt: Address;
}

/** How the thread goes on with a stack that was parked. */
export interface StackSwitch {
  /** The row of the call that had left the stack; of the running stack, if the thread only goes on there. */
  readonly leftRow: number;
  /** The row of the call on it that is over now; those above it are over, too. NONE: all its calls are. */
  readonly callRow: number;
  /** That call has not returned: control jumped from there. */
  readonly isJump: boolean;
  /** The row of the call that returned on the stack that is left; or NONE. */
  readonly returnedRow?: number;
  /** The row of the call that the left stack waits at: those above it are over. Default: the last one. */
  readonly waitsAt?: number;
  /** Other stacks look alike. */
  readonly isGuess: boolean;
  /** In that case: the row of the lowest call on it whose return, as those above, does not tell stacks apart; or NONE. */
  readonly unsureRow?: number;
}

/** A stack switch between two events that the trace does not show. */
export type HiddenSwitch =
  /** To a stack that was not seen before. */
  | { readonly to: Stack }
  | { readonly back: StackSwitch }
  /** Back to the level that the event in `backTo` called: what is above is a stack of its own, its last call in row `left`. */
  | { readonly backTo: number; readonly left: number };

export interface Pairing {
  readonly segments: Segment[];
  readonly rows: PairedRows;
  readonly skipped: SkippedCalls;
  /** By the row of an unmatched return: the rows of the calls that it skips, unless there are too many. */
  readonly skippedByReturn: Map<number, readonly number[]>;
  readonly switches: StackSwitch[];
  /** Stacks that were not seen before. */
  readonly stacks: Stack[];
  /** By the row of the first event after the switch. */
  readonly hiddenSwitches: Map<number, HiddenSwitch>;
  /** By the row of a call on another stack: how the thread goes on there; null: the stack was not seen before. */
  readonly callsOnOther: Map<number, StackSwitch | null>;
  /** Rows of returns that no rule explains: what runs next may be on another stack. */
  readonly doubtfulRows: Set<number>;
  /** By the row of such a return that skips calls: the row of the last one. They may be open on another stack. */
  readonly splits: Map<number, number>;
  /** Rows of the calls that an aborted transaction reopens, lowest first. */
  readonly aborts: number[][];
  /** What turned out to switch stacks: the events are to be paired again; or null. */
  switcher: Switcher | null;
}

/** Returns the bytes of a page of what pairing finds. */
export function pairedPageBytes(pageRows: number): number {
  return PAIRED_BYTES * pageRows;
}

/** What pairing finds for each event, in pages: of a page, first the links. */
export class PairedRows {
  readonly pages: Pages;
  private readonly links: Int32Array;
  private readonly actions: Uint8Array;
  private readonly pageRows: number;

  constructor(memory: PageMemory, { length, pages: { pageRows, file } }: ThreadEvents) {
    const { slots } = memory;
    this.links = slots;
    this.actions = new Uint8Array(slots.buffer, slots.byteOffset, slots.byteLength);
    this.pageRows = pageRows;
    this.pages = new Pages(memory, pageRows, file, (slot, page) => {
      const rows = Math.min(pageRows, length - page * pageRows);
      const [link, action] = [this.linkIndex(slot, 0), this.actionIndex(slot, 0)];
      this.links.fill(NONE, link, link + rows);
      this.actions.fill(Action.Stay, action, action + rows);
    });
  }

  /** Returns what an event does: an `Action`, with flags. */
  actionAt(row: number): number {
    return this.actions[this.actionIndex(this.pages.slotAt(row), row)];
  }

  /**
   * For a call, signal or kernel entry, returns the row that ends it, or NONE; its own row if its own return ends it after
   * a loss. For other events: see their `Action`.
   */
  linkAt(row: number): number {
    return this.links[this.linkIndex(this.pages.slotAt(row), row)];
  }

  setAction(row: number, action: number): void {
    const slot = this.pages.slotToChange(row);
    this.actions[this.actionIndex(slot, row)] = action;
  }

  addFlag(row: number, flag: number): void {
    this.setAction(row, this.actionAt(row) | flag);
  }

  setLink(row: number, link: number): void {
    const slot = this.pages.slotToChange(row);
    this.links[this.linkIndex(slot, row)] = link;
  }

  private linkIndex(slot: number, row: number): number {
    const { pageRows } = this;
    return (PAIRED_BYTES / Int32Array.BYTES_PER_ELEMENT) * slot * pageRows + (row & (pageRows - 1));
  }

  private actionIndex(slot: number, row: number): number {
    const { pageRows } = this;
    return (PAIRED_BYTES * slot + Int32Array.BYTES_PER_ELEMENT) * pageRows + (row & (pageRows - 1));
  }
}

/** If a return skips more calls than this, their rows are not kept. */
export const MAX_SKIPPED_ROWS = 256;

/** The memory of pairing, reused for the next thread. */
export interface PairingMemory {
  /** Of open calls. */
  readonly calls: Rows;
  /** Pairs calls and returns; null if that is left to TypeScript. */
  readonly module: ReplayModule | null;
  /** Returns empty rows for the events of a thread. */
  take(events: ThreadEvents): PairedRows;
}

/** Memory that no module uses. */
export class OwnPairingMemory implements PairingMemory {
  readonly calls: Rows = new OwnRows(64 * CALL_BYTES);
  readonly module = null;
  private slots = new Int32Array(0);

  take(events: ThreadEvents): PairedRows {
    const { pages, pairedPages } = events;
    const { slotOf, pageRows } = pages;
    const length = (pairedPages * pairedPageBytes(pageRows)) / Int32Array.BYTES_PER_ELEMENT;
    if (length > this.slots.length) this.slots = new Int32Array(length);
    const memory = {
      slots: this.slots.subarray(0, length),
      slotOf: slotOf.slice(),
      isChanged: new Uint8Array(pairedPages),
    };
    return new PairedRows(memory, events);
  }
}

/** Memory that a module works on. */
export class ModulePairingMemory implements PairingMemory {
  readonly calls: Rows;

  constructor(readonly module: ReplayModule) {
    this.calls = module.memory.stack;
  }

  take(events: ThreadEvents): PairedRows {
    return new PairedRows(this.module.pairedMemory, events);
  }
}

/**
 * Calls that a return skips because an exception or a longjmp ended them. For each event that skips calls, the newest
 * of them is kept, and those that passed an exception on.
 */
export class SkippedCalls {
  /** Rows of events that skip calls, ascending, and the row of the newest call that each one skips. */
  private readonly skippingRows = int32Column();
  private readonly newestRows = int32Column();
  /** The rows of all skipped raisers, and for each event the end of its own, ascending within one event. */
  private readonly raiserEnds = int32Column();
  private readonly raiserRows = int32Column();

  /** Adds the calls that the event in `row` skips. Rows must be ascending. */
  add(row: number, skipped: readonly OpenCall[], isRaiser: (callRow: number) => boolean): void {
    let newest: number = NONE;
    for (const call of skipped) {
      if (isRaiser(call.row)) this.raiserRows.push(call.row);
      newest = Math.max(newest, call.row);
    }
    if (newest === NONE) return;
    this.skippingRows.push(row);
    this.newestRows.push(newest);
    this.raiserEnds.push(this.raiserRows.length);
  }

  /** Returns the row of the newest call that the event in `row` skips, or NONE. */
  newestOf(row: number): number {
    const index = this.indexOf(row);
    return index === NONE ? NONE : this.newestRows.values[index];
  }

  /** Returns the rows of the last raisers that the event in `row` skips, at most `max`. */
  raisersOf(row: number, max: number): Int32Array {
    const index = this.indexOf(row);
    if (index === NONE) return this.raiserRows.values.subarray(0, 0);
    const first = index === 0 ? 0 : this.raiserEnds.values[index - 1];
    const end = this.raiserEnds.values[index];
    return this.raiserRows.values.subarray(Math.max(first, end - max), end);
  }

  private indexOf(row: number): number {
    const { values, length } = this.skippingRows;
    const index = countBelow(values, row, 0, length);
    return index < length && values[index] === row ? index : NONE;
  }
}

/**
 * The actions: what each event does to the stack. Pairing writes them as a column with one byte per event, and replay
 * executes them.
 *
 * An action is one of the numbers below, possibly with flags. `link` of the same row names what the action applies to
 * (a row, or an index of a list in `Pairing`). Nearly all events are one of the first three without flags; these have
 * the lowest numbers, so that the fast loop tests them with one comparison.
 */
export const Action = {
  /** Leaves the stack as it is: only time passes in the function on top. */
  Stay: 0,
  /** Pushes a level: a call, or an entry into the kernel. `link`: the row that ends it, or NONE if it stays open. */
  Call: 1,
  /** Returns from the call in row `link`, and closes every level above it. */
  Return: 2,
  /**
   * Returns from a call that the trace does not show to the level that row `link` called: closes every level above that
   * one, which itself stays open.
   */
  ReturnTo: 3,
  /**
   * Returns although no call in this segment matches: reveals a caller that was entered before the segment began.
   * `link` is not used; the row is listed in `unmatchedRows` of the stack.
   */
  UnmatchedReturn: 4,
  /** Returns from the signal handler that row `link` entered, into the code that ends the signal (`__restore_rt`). */
  SignalReturn: 5,
  /** A "return" to the start of a function: pushes no level and ends none, but jumps there, as retpolines do. */
  JumpByReturn: 6,
  /** Switches to a parked stack: entry `link` of `switches`. */
  SwitchBack: 7,
  /** Switches to a stack that was not seen before: entry `link` of `stacks`. */
  NewStack: 8,
  /**
   * A transaction aborts: the calls in entry `link` of `aborts`, which had returned inside the transaction, are open
   * again.
   */
  Reopen: 9,
  /** The trace starts where the call, signal or kernel entry in row `link` returns to: that call is over. */
  StartAfterReturn: 10,
  /** The trace starts, and nothing earlier is known. */
  Start: 11,
  /** The trace starts where it had stopped: the stack is unchanged. */
  Resume: 12,
  /** The trace starts in a signal handler: pushes a level for it. */
  SignalEntry: 13,
  /** The trace starts in a function that untraced code called: it runs on entry `link` of `stacks`. */
  EntryFromOutside: 14,
  /** A jump that the trace shows, on the same stack. */
  Jump: 15,
  /** A call on another stack: see `Pairing.callsOnOther`. `link`: as for `Call`. */
  CallOnOther: 16,
  /** The kernel, whose entry was not seen, or is not followed by traced code, is left: closes all its frames. */
  LeaveKernel: 17,
  /** The kernel is left to a signal handler: closes all its frames, and pushes a level. `link`: as for `Call`. */
  HandlerEntry: 18,
  /** The kernel is left to a new program: closes everything; that runs on entry `link` of `stacks`. */
  NewProgram: 19,
  /** The trace starts where the kernel is entered from code that is not traced: pushes a level. `link`: as for `Call`. */
  KernelStart: 20,
  /** Records, in the order of their steps. */
  Gap: 21,
  SwitchOut: 22,
  PreemptOut: 23,
  SwitchIn: 24,
  Exec: 25,
} as const;
export type Action = (typeof Action)[keyof typeof Action];

/**
 * Flags. `Stops`: the trace stops after the event. `StopsInSyscall`: it stops in a system call. `HiddenSwitch`: before the
 * event the thread switched stacks, see `Pairing.hiddenSwitches`.
 */
export const ActionFlag = { Stops: 32, StopsInSyscall: 64, HiddenSwitch: 128 } as const;

const FLAGS = ActionFlag.Stops | ActionFlag.StopsInSyscall | ActionFlag.HiddenSwitch;

/** Removes the flags from an action. */
export function actionOf(code: number): Action {
  return (code & ~FLAGS) as Action;
}

/** True if the trace stops after the event. */
export function isStop(code: number): boolean {
  return (code & (ActionFlag.Stops | ActionFlag.StopsInSyscall)) !== 0;
}

export function isTraceStart(action: Action): boolean {
  return action >= Action.StartAfterReturn && action <= Action.EntryFromOutside;
}

/** Actions of records, which are not branches. */
export type RecordAction = (typeof Action)['Gap' | 'SwitchOut' | 'PreemptOut' | 'SwitchIn' | 'Exec'];

export function isRecord(action: Action): action is RecordAction {
  return action >= Action.Gap;
}
