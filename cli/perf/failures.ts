/**
 * Turns the end of a failed perf process into an error that says what happened, why, and what to do. It also shows perf's own
 * messages.
 */
import { PtflameError, systemReason } from '../../src/model/errors.js';
import type { Machine } from '../record/machine/probe.js';
import { FAILURES, type Failure, NO_PT_HINT } from './failure-table.js';

export interface PerfEnd {
  readonly command: 'record' | 'script';
  /** undefined if perf did not start or a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Everything that perf printed, or the end of it. */
  readonly stderr: string;
  /** Set if perf could not be started or waited for. */
  readonly cause?: unknown;
}

const MAX_LINES = 8;
const MAX_LINE_LENGTH = 200;

/** Call it only for a perf that failed: a successful one may print the same warnings. */
export function perfFailure(end: PerfEnd): PtflameError {
  const { stderr, cause } = end;
  if (cause !== undefined) return perfNotStarted(cause);
  for (const failure of FAILURES) {
    const match = appliesTo(failure, end) ? failure.match.exec(stderr) : null;
    if (match === null) continue;
    const groups = match.map((group) => (group ?? '').slice(0, MAX_LINE_LENGTH));
    const output = stderrLines(stderr).slice(0, MAX_LINES);
    return new PtflameError(failure.code, failure.message(groups), { hint: failure.hint(groups), output });
  }
  const killer = end.signal ?? SHELL_EXIT_SIGNALS[end.exitCode ?? 0];
  return killer === undefined ? unknownFailure(end) : killedBy(killer, end);
}

function appliesTo({ command }: Failure, end: PerfEnd): boolean {
  return command === undefined || command === end.command;
}

/** Splits stderr into lines of limited length, without blank lines and perf's list of options. */
function stderrLines(stderr: string): string[] {
  const [text = ''] = stderr.split(/^ *Usage: perf /m);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => (line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}…`));
}

function perfNotStarted(cause: unknown): PtflameError {
  const { code, path = 'perf' } = cause as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT'
      ? `no such program: ${path}`
      : code === 'EACCES'
        ? `no permission to run ${path}`
        : systemReason(cause);
  return new PtflameError('PERF_MISSING', `cannot start perf: ${why}`, { hint: INSTALL_PERF, cause });
}

export const INSTALL_PERF =
  'apt install linux-perf (Debian), apt install linux-tools-$(uname -r) (Ubuntu), dnf install perf (Fedora); or pass another perf with --perf PATH';

/** Exit codes that a shell or a wrapper makes of signals. 129 is absent: perf exits with it after wrong arguments. */
const SHELL_EXIT_SIGNALS: Readonly<Record<number, string>> = {
  134: 'SIGABRT',
  135: 'SIGBUS',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
};

function killedBy(signal: string, { command, stderr }: PerfEnd): PtflameError {
  const output = stderrLines(stderr).slice(-MAX_LINES);
  if (command === 'script' && signal === 'SIGBUS')
    return new PtflameError(
      'RECORDING_DAMAGED',
      'the recording is incomplete: the file is shorter than its header says',
      {
        hint: 'copy it again and compare both with sha256sum; if the disk was full while recording, record again',
        output,
      },
    );
  const why = signal === 'SIGKILL' ? ', perhaps because memory ran out (dmesg | grep -i oom)' : '';
  return new PtflameError('PERF_KILLED', `perf ${command} was killed by ${signal}${why}`, {
    hint:
      signal === 'SIGKILL'
        ? 'use less memory: a smaller -m, fewer CPUs'
        : 'try again, or use another version of perf: --perf PATH',
    output,
  });
}

function unknownFailure({ command, exitCode, stderr }: PerfEnd): PtflameError {
  const output = stderrLines(stderr).slice(-MAX_LINES);
  const silence = output.length === 0 ? ' and no message' : '';
  return new PtflameError('PERF_FAILED', `perf ${command} failed with exit code ${exitCode ?? 'unknown'}${silence}`, {
    hint: 'ptflame doctor shows what is missing; ptflame record --dry-run prints the command, to run it by hand',
    output,
  });
}

/** Returns the reason for a machine without the intel_pt PMU. */
export function noPtReason({ cpu }: Machine): string {
  const model = cpu.model || cpu.vendor || 'unknown';
  if (cpu.vendor !== '' && cpu.vendor !== 'GenuineIntel') return `its CPU is not from Intel (${model})`;
  if (cpu.hasPt)
    return cpu.isVirtual
      ? 'the CPU has it, but the hypervisor hides it from this virtual machine'
      : 'the CPU has it, but the kernel does not: disabled in the BIOS, used by KVM (kvm_intel pt_mode=1), or not built in';
  if (cpu.isVirtual) return 'this is a virtual machine, and its hypervisor does not provide it';
  return `its CPU does not support it (${model})`;
}

export function noIntelPt(machine: Machine): PtflameError {
  return new PtflameError('NO_INTEL_PT', `this machine has no Intel PT: ${noPtReason(machine)}`, { hint: NO_PT_HINT });
}
