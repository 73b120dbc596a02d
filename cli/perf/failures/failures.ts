/**
 * The end of a perf process → the error that tells what happened, why, and what to do. perf's own words come below, for those
 * who know them.
 */
import { PtflameError } from '../../../src/text.js';
import { FAILURES, type Failure } from './failure-table.js';

export interface PerfEnd {
  readonly command: 'record' | 'script';
  /** undefined: it did not start, or a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** All that it said, or the end of it. */
  readonly stderr: string;
  /** Why it could not be started or waited for. */
  readonly cause?: unknown;
}

const MAX_LINES = 8;
const MAX_LINE_LENGTH = 200;

/** Of a perf that failed: one that did its work may have said a good deal too. */
export function perfFailure(end: PerfEnd): PtflameError {
  const { stderr, cause } = end;
  if (cause !== undefined) return perfNotStarted(cause);
  for (const failure of FAILURES) {
    const match = appliesTo(failure, end) ? failure.match.exec(stderr) : null;
    if (match === null) continue;
    const words = match.map((group) => (group ?? '').slice(0, MAX_LINE_LENGTH));
    const said = stderrLines(stderr).slice(0, MAX_LINES);
    return new PtflameError(failure.code, failure.message(words), { hint: failure.hint(words), said });
  }
  const killer = end.signal ?? SHELL_EXIT_SIGNALS[end.exitCode ?? 0];
  return killer === undefined ? unknownFailure(end) : killedBy(killer, end);
}

function appliesTo({ command }: Failure, end: PerfEnd): boolean {
  return command === undefined || command === end.command;
}

/** perf's lines without the list of its options, none of them endless. */
function stderrLines(stderr: string): string[] {
  const [words = ''] = stderr.split(/^ *Usage: perf /m);
  const lines = words.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => (line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}…`));
}

function perfNotStarted(cause: unknown): PtflameError {
  const { code, path = 'perf' } = cause as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT' ? `there is no ${path}` : code === 'EACCES' ? `no permission to run ${path}` : String(cause);
  return new PtflameError('PERF_MISSING', `perf cannot be started: ${why}`, { hint: INSTALL_PERF, cause });
}

export const INSTALL_PERF =
  'apt install linux-perf (Debian), apt install linux-tools-$(uname -r) (Ubuntu), dnf install perf (Fedora); or name one with --perf PATH';

/** What a shell or a wrapper makes of a signal. 129 is not among them: so ends perf after wrong arguments. */
const SHELL_EXIT_SIGNALS: Readonly<Record<number, string>> = {
  134: 'SIGABRT',
  135: 'SIGBUS',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
};

function killedBy(signal: string, { command, stderr }: PerfEnd): PtflameError {
  const said = stderrLines(stderr).slice(-MAX_LINES);
  if (command === 'script' && signal === 'SIGBUS')
    return new PtflameError(
      'RECORDING_DAMAGED',
      'the recording is shorter than it says: it was not copied or written whole',
      {
        hint: 'copy it again, and compare with: sha256sum FILE; a disk that was full while perf wrote does this too',
        said,
      },
    );
  const why = signal === 'SIGKILL' ? '; the kernel does so when memory runs out (dmesg | grep -i oom)' : '';
  return new PtflameError('PERF_KILLED', `perf ${command} was ended by ${signal}${why}`, {
    hint:
      signal === 'SIGKILL'
        ? 'give it less to hold: a smaller -m, fewer processors'
        : 'try again, or another version of perf with --perf PATH',
    said,
  });
}

function unknownFailure({ command, exitCode, stderr }: PerfEnd): PtflameError {
  const said = stderrLines(stderr).slice(-MAX_LINES);
  const silence = said.length === 0 ? ', without a word' : '';
  return new PtflameError('PERF_FAILED', `perf ${command} failed with exit code ${exitCode ?? 'unknown'}${silence}`, {
    hint: 'ptflame doctor looks for what is missing; ptflame record --dry-run prints the command, to be tried by hand',
    said,
  });
}
