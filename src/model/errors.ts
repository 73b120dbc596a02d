/**
 * The three roads of trouble meet here: `PtflameError` for what the user or the machine can mend, `assert` for
 * what only we can. What is wrong with a trace is neither: it is counted in `Quality`.
 */

/** Each code is one situation that somebody can act on; messages may be reworded, codes stay. */
export type ErrorCode =
  | 'BAD_OPTION'
  | 'INPUT_UNREADABLE'
  | 'INPUT_KIND'
  | 'NEWER_VERSION'
  | 'NO_BRANCHES'
  | 'NO_PROCESS_IDS'
  | 'NO_THREAD_NAMES'
  | 'NOTHING_SELECTED'
  | 'OUTPUT_UNWRITABLE'
  | 'PROFILE_DAMAGED'
  | 'RECORDING_COMPRESSED'
  | 'RECORDING_DAMAGED'
  | 'RECORDING_FOREIGN'
  | 'RECORDING_PIPED'
  | 'TEMPORARY_FILE'
  | 'TIMELESS'
  | 'TOO_LARGE';

/** The user's or the machine's fault: what happened, and what to do about it. */
export class PtflameError extends Error {
  override readonly name = 'PtflameError';
  readonly code: ErrorCode;
  /** What the reader can do now; a sentence, or a command to copy. */
  readonly hint: string;

  constructor(code: ErrorCode, message: string, details: { hint: string; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
  }
}

/** Our own fault: a fact that the code relies on does not hold. */
export function assert(fact: boolean, what: string): asserts fact {
  if (!fact) throw new Error(`ptflame is wrong here, please report it: ${what}`);
}
