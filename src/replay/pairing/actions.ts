/**
 * What each event does to the stack: the column that pairing writes and replay executes, a byte for each event.
 *
 * An action is one of the numbers below, and may carry flags. `link` of the same row tells what it is done to. Nearly all
 * events are one of the first three; their numbers are the lowest, and they carry no flag.
 */
export const Action = {
  /** Nothing: only time passes in the function on top. */
  Stay: 0,
  /** A function is called, or the kernel entered. `link`: the row that ends it, or NONE. */
  Call: 1,
  /** The call in row `link` returns: it and everything above it is over. */
  Return: 2,
  /** A call that was not shown returns: everything above the call in row `link` is over. */
  ReturnTo: 3,
  /** Returns to a caller that nobody saw calling. */
  UnmatchedReturn: 4,
  /** A signal handler returns into the code that ends the signal: the handler, entered in row `link`, is over. */
  SignalReturn: 5,
  /** A "return" to the start of a function only jumps there, as retpolines do. */
  JumpByReturn: 6,
  /** Goes back to a stack that was left before: by the `link`-th of `switches`. */
  SwitchBack: 7,
  /** Goes to a stack that was not seen before: the `link`-th of `stacks`. */
  NewStack: 8,
  /** A transaction is aborted: the calls of the `link`-th of `aborts`, which had returned in it, are open again. */
  Reopen: 9,
  /** The trace starts where the call, signal or kernel entry in row `link` goes back to: that is over. */
  StartAfterReturn: 10,
  /** The trace starts, and nothing is known of before. */
  Start: 11,
  /** The trace starts where it had stopped. */
  Resume: 12,
  /** The trace starts in a signal handler. */
  SignalEntry: 13,
  /** The trace starts in a function that code which is not traced has called, on the `link`-th of `stacks`. */
  EntryFromOutside: 14,
  /** A jump that was shown, on the same stack. */
  Jump: 15,
  /** Records, in the order of their steps. */
  Gap: 16,
  SwitchOut: 17,
  PreemptOut: 18,
  SwitchIn: 19,
  Exec: 20,
} as const;
export type Action = (typeof Action)[keyof typeof Action];

/** Flags: the trace stops behind the event, perhaps in a system call; before it the thread went to another stack: see `unseen`. */
export const ActionFlag = { Stops: 32, StopsInSyscall: 64, Unseen: 128 } as const;

const FLAGS = ActionFlag.Stops | ActionFlag.StopsInSyscall | ActionFlag.Unseen;

/** The action without its flags. */
export function actionOf(code: number): Action {
  return (code & ~FLAGS) as Action;
}

/** The trace stops behind it. */
export function isStop(code: number): boolean {
  return (code & (ActionFlag.Stops | ActionFlag.StopsInSyscall)) !== 0;
}

/** Frames may go for other stacks to come back later. */
export function canRemoveFrames(action: Action): boolean {
  return action >= Action.Return && action <= Action.StartAfterReturn;
}

export function isTraceStart(action: Action): boolean {
  return action >= Action.StartAfterReturn && action <= Action.EntryFromOutside;
}

/** No branch. */
export type RecordAction = (typeof Action)['Gap' | 'SwitchOut' | 'PreemptOut' | 'SwitchIn' | 'Exec'];

export function isRecord(action: Action): action is RecordAction {
  return action >= Action.Gap;
}
