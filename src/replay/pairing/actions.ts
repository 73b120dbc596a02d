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
   * `link` is not used; the row is listed in `unmatchedRows` of the segment or of the stack.
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
  /** Records, in the order of their steps. */
  Gap: 16,
  SwitchOut: 17,
  PreemptOut: 18,
  SwitchIn: 19,
  Exec: 20,
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

/** True if the action can take frames off the stack that a later stack switch puts back. */
export function canRemoveFrames(action: Action): boolean {
  return action >= Action.Return && action <= Action.StartAfterReturn;
}

export function isTraceStart(action: Action): boolean {
  return action >= Action.StartAfterReturn && action <= Action.EntryFromOutside;
}

/** Actions of records, which are not branches. */
export type RecordAction = (typeof Action)['Gap' | 'SwitchOut' | 'PreemptOut' | 'SwitchIn' | 'Exec'];

export function isRecord(action: Action): action is RecordAction {
  return action >= Action.Gap;
}
