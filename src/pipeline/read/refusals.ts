/**
 * Traces that cannot be replayed: what was found instead, and what to do.
 */
import { PtflameError } from '../../model/errors.js';
import type { LineCounts } from '../../model/profile/quality.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import type { ReadAccount, Trace } from './trace.js';

const DECODE = 'perf script --itrace=cre --ns -F-event,-period,+addr,-comm,+flags,+dso,+symoff';

/** @throws PtflameError if nothing of what was read can be replayed as asked. */
export function refuseUnusable({ account, store }: Trace, select: Selection, byCalls: boolean): void {
  const { counts, flagless, timeless } = account;
  if (counts.events === 0 && !store.hasThreads) throw flagless > 0 ? noFlags(flagless) : noBranches(account);
  if (timeless > 0 && !byCalls) throw noTimes();
  if (select.pids && !store.names.hasPids) throw noProcessIds();
  if (select.comm && !store.names.hasComms) throw noThreadNames();
  if (store.tids.length === 0) throw nothingSelected();
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

function noBranches({ counts, broken, isDecodedHere }: ReadAccount): PtflameError {
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

function noTimes(): PtflameError {
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

/** Of an imported trace beside other inputs. */
export function notAlone(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is an imported trace, which is read alone`, {
    hint: 'import what it was made of together with the other inputs: ptflame import INPUT… -o FILE.ptf',
  });
}
