/**
 * The classes of errors: `PtflameError` for what the user or the machine can fix, `assert` for what only we can. What
 * is wrong with a trace is neither; it is counted in `Quality`.
 */

/** Each code is one situation that a caller can act on. Messages may be reworded, codes stay. */
export type ErrorCode =
  | 'ABOVE_LIMIT'
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
  | 'OTHER_CLOCK'
  | 'OUTPUT_TOO_LARGE'
  | 'OUTPUT_UNWRITABLE'
  | 'PACK_DAMAGED'
  | 'PERF_FAILED'
  | 'PERF_HANGS'
  | 'PERF_KILLED'
  | 'PERF_MISSING'
  | 'PROFILE_DAMAGED'
  | 'PT_IN_USE'
  | 'RECORDING_DAMAGED'
  | 'RECORDING_FOREIGN'
  | 'RECORDING_PIPED'
  | 'SYSTEM'
  | 'TEMPORARY_FILE'
  | 'TIMELESS'
  | 'TOO_LARGE'
  | 'TRACE_FILE_DAMAGED';

/** An error that the user or the machine can fix: what happened, and what to do about it. */
export class PtflameError extends Error {
  override readonly name = 'PtflameError';
  readonly code: ErrorCode;
  /** What to do now: a sentence, or a command to copy. */
  readonly hint: string;
  /** A few lines that another program printed about it. */
  readonly output: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    details: { hint: string; output?: readonly string[] | undefined; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.output = details.output ?? [];
  }
}

const MORE_FILES = 'allow more open files: ulimit -n 4096; or name fewer inputs at a time';
const OPEN_REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'perf writes files that only root can read: sudo chown $USER FILE',
  EMFILE: MORE_FILES,
  ENFILE: MORE_FILES,
};

/** What the system says about a failure: "is a directory" of "EISDIR: is a directory, open '/x'"; other errors as they are. */
export function systemReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code, syscall, message } = cause as Error & { readonly code?: string; readonly syscall?: string };
  if (code === undefined || syscall === undefined || !message.startsWith(`${code}: `)) return message;
  return message.slice(`${code}: `.length).split(`, ${syscall}`, 1)[0] as string;
}

/** Explains why an input could not be opened. */
export function unreadableInput(path: string, cause: unknown): PtflameError {
  const code = (cause as { code?: string } | null)?.code;
  const why =
    code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : systemReason(cause);
  const hint = OPEN_REMEDIES[code ?? ''] ?? 'check the path';
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${path}: ${why}`, { hint, cause });
}

/** Throws if a condition that the code relies on does not hold: a bug in ptflame. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`bug in ptflame: ${what}`);
}
