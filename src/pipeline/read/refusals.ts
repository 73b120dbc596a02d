/**
 * Traces that cannot be replayed: what was found instead, and what to do.
 */
import { PtflameError } from '../../model/errors.js';
import type { LineCounts } from '../../model/quality.js';
import type { Selection } from '../../model/trace-chunk.js';
import type { InputReader } from './inputs.js';

const DECODE = 'perf script --itrace=cre --ns -F-event,-period,+addr,-comm,+flags,+dso,+symoff';

/** @throws PtflameError if nothing of what was read can be replayed as asked. */
export function refuseUnusable(reader: InputReader, select: Selection, byCalls: boolean): void {
  const { counts, words, store } = reader;
  if (counts.events === 0 && !store.knowsThreads)
    throw words.flagless > 0 ? noFlags(words.flagless) : noBranches(reader);
  if (words.timeless > 0 && !byCalls) throw timeless();
  if (select.pids && !store.names.knowsPids) throw noProcessIds();
  if (select.comm && !store.names.knowsComms) throw noThreadNames();
}

export function noProcessIds(): PtflameError {
  return new PtflameError('NO_PROCESS_IDS', 'the trace does not say which process a thread belongs to', {
    hint: 'decode it with process ids: perf script -F+pid …, or with --show-task-events',
  });
}

export function noThreadNames(): PtflameError {
  return new PtflameError('NO_THREAD_NAMES', 'the trace does not say what its threads are called', {
    hint: 'decode it with names: perf script -F+comm …, or with --show-task-events',
  });
}

export function nothingSelected(): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'no thread of the trace is selected', {
    hint: 'leave out --tid, --pid, --comm and --cpu, and see with ptflame render --by thread which threads there are',
  });
}

/** No thread has time or calls in what is looked at. */
export function nothingInside(): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'nothing of the trace lies in what is looked at', {
    hint: 'widen --window, --inside or --root: times are on the clock of perf, or +10ms from the start of the recording',
  });
}

function noBranches({ counts, broken, isDecodedHere }: InputReader): PtflameError {
  if (isDecodedHere && broken.length === 0) return nothingDecoded(counts);
  const found = broken[0] ? `${broken[0].input}: ${broken[0].reason}` : describe(counts);
  return new PtflameError('NO_BRANCHES', `no branch of an Intel PT trace was found: ${found}`, {
    hint: `the input is to be the text of: ${DECODE}`,
  });
}

/** Neither does the recording itself tell of a thread that was traced and switched. */
function nothingDecoded({ gapLines }: LineCounts): PtflameError {
  const errors = gapLines === 0 ? 'no error either' : `only ${gapLines} errors, which name no thread`;
  return new PtflameError('NO_BRANCHES', `perf printed no branch of the recording, and ${errors}`, {
    hint: 'ptflame info FILE tells how much trace it holds; keep the files that ran, or name where they are with --symfs',
  });
}

function describe({ lines, gapLines, ignoredLines, damagedLines }: LineCounts): string {
  if (lines === 0) return 'the input is empty';
  return `of ${lines} lines ${gapLines} are decode errors, ${ignoredLines} other events, ${damagedLines} not understood`;
}

function noFlags(lines: number): PtflameError {
  return new PtflameError('NO_BRANCHES', `${lines} branches, but no line says which kind of branch it is`, {
    hint: `decode with the flags column: ${DECODE}`,
  });
}

function timeless(): PtflameError {
  return new PtflameError('TIMELESS', 'the trace has no times, so there is no wall-clock time to show', {
    hint: 'record with tsc=1 and decode without the Z of --itrace; or weigh frames by their calls: ptflame render --by-calls',
  });
}

/** Of an input that was to be a trace. */
export function notATrace(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is a profile, not the text of a trace`, {
    hint: 'a profile is rendered alone: name no other input with it',
  });
}

/** @throws PtflameError for an imported trace beside anything else */
export function refuseOthersBesideStored(inputs: readonly { readonly name: string }[]): void {
  const stored = inputs.find((input) => 'stored' in input);
  if (stored === undefined || inputs.length === 1) return;
  throw new PtflameError('INPUT_KIND', `${stored.name} is an imported trace, which is read alone`, {
    hint: 'import what it was made of together with the other inputs: ptflame import INPUT… -o FILE.ptf',
  });
}

export function brokenProfile(name: string, cause: unknown): PtflameError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PtflameError('PROFILE_DAMAGED', `${name} cannot be read to its end: ${why}`, {
    hint: 'write it anew from the trace: ptflame render TRACE -o FILE.json',
    cause,
  });
}

export function tooLargeProfile(name: string, mostBytes: number): PtflameError {
  return new PtflameError('TOO_LARGE', `${name} is too large to be read back: it has more than ${mostBytes} bytes`, {
    hint: 'render the trace itself, or write profiles of fewer threads with --tid',
  });
}
