/**
 * The three roads of trouble meet here: `PtflameError` for what the user or the machine can mend, `assert` for
 * what only we can. What is wrong with a trace is neither: it is counted in `Quality`.
 */

/** Each code is one situation that somebody can act on; messages may be reworded, codes stay. */
export type ErrorCode =
  | 'AUX_TOO_LARGE'
  | 'BAD_OPTION'
  | 'INPUT_KIND'
  | 'INPUT_UNREADABLE'
  | 'INTERNAL'
  | 'INTERRUPTED'
  | 'NEWER_VERSION'
  | 'NOTHING_SELECTED'
  | 'NOT_OFFERED'
  | 'NOT_RECORDED'
  | 'NO_BRANCHES'
  | 'NO_INTEL_PT'
  | 'NO_PERMISSION'
  | 'NO_PROCESS_IDS'
  | 'NO_SUCH_FUNCTION'
  | 'NO_SUCH_TARGET'
  | 'NO_THREAD_NAMES'
  | 'OUTPUT_UNWRITABLE'
  | 'PACK_DAMAGED'
  | 'PERF_FAILED'
  | 'PERF_HANGS'
  | 'PERF_KILLED'
  | 'PERF_MISSING'
  | 'PROFILE_DAMAGED'
  | 'PT_IN_USE'
  | 'RECORDING_COMPRESSED'
  | 'RECORDING_DAMAGED'
  | 'RECORDING_FOREIGN'
  | 'RECORDING_PIPED'
  | 'SYSTEM'
  | 'TEMPORARY_FILE'
  | 'TIMELESS'
  | 'TOO_LARGE'
  | 'TRACE_FILE_DAMAGED';

/** The user's or the machine's fault: what happened, and what to do about it. */
export class PtflameError extends Error {
  override readonly name = 'PtflameError';
  readonly code: ErrorCode;
  /** What the reader can do now; a sentence, or a command to copy. */
  readonly hint: string;
  /** What another program said about it: a few lines of its own. */
  readonly said: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    details: { hint: string; said?: readonly string[] | undefined; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.said = details.said ?? [];
  }
}

const MORE_FILES = 'allow more open files: ulimit -n 4096; or name fewer inputs at a time';
const OPEN_REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'perf writes files for root alone: sudo chown $USER FILE',
  EMFILE: MORE_FILES,
  ENFILE: MORE_FILES,
};

/** `cause`: of a file that could not be opened. */
export function unreadableInput(path: string, cause: unknown): PtflameError {
  const code = (cause as { code?: string } | null)?.code;
  const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'it may not be read' : String(cause);
  const hint = OPEN_REMEDIES[code ?? ''] ?? 'check the path';
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${path}: ${why}`, { hint, cause });
}

/** Our own fault: a fact that the code relies on does not hold. */
export function assert(fact: boolean, what: string): asserts fact {
  if (!fact) throw new Error(`ptflame is wrong here: ${what}`);
}
