/**
 * Errors for traces that cannot be replayed: what was found instead, and what to do.
 */
import { PtflameError } from '../../model/errors.js';
import type { LineCounts } from '../../model/profile/profile.js';
import type { Selection } from '../../model/trace/trace-chunk.js';
import { formatMany } from '../../render/format.js';
import { selectsByName } from '../../trace/records/thread-names.js';
import type { ReadAccount, Trace } from './trace.js';

const DECODE = 'perf script --itrace=cre --ns -F-event,-period,+addr,-comm,+flags,+dso,+symoff';

/** `names`: of the inputs. @throws PtflameError if nothing in the trace can be replayed as requested */
export function refuseUnusable(
  { account, store }: Trace,
  names: readonly string[],
  select: Selection,
  byCalls: boolean,
): void {
  const { counts, flagless, timeless } = account;
  if (counts.events === 0 && !store.hasThreads) throw flagless > 0 ? noFlags(flagless) : noBranches(account, names);
  if (timeless > 0 && !byCalls) throw noTimes();
  if (select.pids && !store.names.hasPids) throw noProcessIds();
  if (selectsByName(select) && !store.names.hasComms) throw noThreadNames();
  if (store.tids.length === 0) throw nothingSelected();
}

export function noProcessIds(): PtflameError {
  return new PtflameError('NO_PROCESS_IDS', 'the trace has no process ids', {
    hint: 'decode it with process ids: perf script -F+pid …, or with --show-task-events',
  });
}

/** For a merged profile. */
export function noThreadIds(): PtflameError {
  return new PtflameError('BAD_OPTION', 'a merged profile has groups of threads, not their ids', {
    hint: 'select groups by name: --comm',
  });
}

export function noThreadNames(): PtflameError {
  return new PtflameError('NO_THREAD_NAMES', 'the trace has no thread names', {
    hint: 'decode it with names: perf script -F+comm …, or with --show-task-events',
  });
}

/** `listing`: the command that shows which threads there are. */
export function nothingSelected(listing = 'ptflame report --by thread --top 1'): PtflameError {
  return new PtflameError('NOTHING_SELECTED', 'no thread of the trace is selected', {
    hint: `omit --tid, --pid, --comm, --exclude-comm and --cpu; ${listing} shows which threads there are`,
  });
}

function noBranches(
  { counts, broken, isDecodedHere, withoutTrace }: ReadAccount,
  names: readonly string[],
): PtflameError {
  if (withoutTrace[0] !== undefined) return noTrace(withoutTrace[0]);
  if (isDecodedHere && broken.length === 0) return nothingDecoded(counts);
  const where = broken[0]?.input ?? (names.length === 1 ? names[0] : `any of ${names.length} inputs`);
  const found = broken[0] ? `: ${broken[0].reason}` : describe(counts);
  return new PtflameError('NO_BRANCHES', `found no Intel PT branches in ${where}${found}`, {
    hint: `${broken[0] ? 'it is damaged or cut there: copy it again; otherwise, ' : ''}pass a recording (perf.data), or the output of: ${DECODE}`,
  });
}

export function noTrace(name: string): PtflameError {
  return new PtflameError('NO_BRANCHES', `${name} is a recording without an Intel PT trace: it has no calls`, {
    hint: 'ptflame waits, locks and values answer from its samples and switches; for calls, record Intel PT, or functions with --probe NAME=FILE:FUNCTION%calls',
  });
}

/** Nor does the recording itself contain a thread that was traced and switched. */
function nothingDecoded({ gapLines }: LineCounts): PtflameError {
  const errors = gapLines === 0 ? 'no errors either' : `only ${gapLines} errors, none with a thread`;
  return new PtflameError('NO_BRANCHES', `the recording decodes to no branches, and ${errors}`, {
    hint: 'ptflame info FILE shows how much trace it holds; keep the binaries that ran, or pass where they are with --symfs',
  });
}

/** What there is instead: ": the input is empty"; ", only 3 decode errors, 1 line not understood". */
function describe({ lines, gapLines, ignoredLines, damagedLines }: LineCounts): string {
  if (lines === 0) return ': the input is empty';
  const found = [
    ...(gapLines > 0 ? [formatMany(gapLines, 'decode error')] : []),
    ...(ignoredLines > 0 ? [formatMany(ignoredLines, 'other line')] : []),
    ...(damagedLines > 0 ? [`${formatMany(damagedLines, 'line')} not understood`] : []),
  ];
  return `, only ${found.join(', ')}`;
}

function noFlags(lines: number): PtflameError {
  return new PtflameError('NO_BRANCHES', `${lines} branches, but none has flags that give its kind`, {
    hint: `decode with the flags column: ${DECODE}`,
  });
}

function noTimes(): PtflameError {
  return new PtflameError('TIMELESS', 'the trace has no times, so there is no wall-clock time to show', {
    hint: 'record with tsc=1 and decode without the Z of --itrace; or weight frames by calls: ptflame render --by-calls',
  });
}

/** For a profile where a trace is expected. */
export function notATrace(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is a profile, not a trace`, {
    hint: 'a profile must be the only input',
  });
}

/** For an imported trace among several inputs. */
export function notAlone(name: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${name} is an imported trace, which must be the only input`, {
    hint: 'import its original inputs together with the others: ptflame import INPUT… -o FILE.ptf',
  });
}

/** For recordings of several hosts, whose times and thread ids mean different things. `names`: of an input of each. */
export function severalHosts(names: readonly [string, string], hosts: readonly [string, string]): PtflameError {
  const said = names.map((name, row) => `${name} was recorded on ${hosts[row]}`).join(', ');
  return new PtflameError('INPUT_KIND', `${said}: their clocks and thread ids differ`, {
    hint: "read each one separately; only 'ptflame requests' joins hosts",
  });
}
