/**
 * The events that show who waits for whom: futexes and switches of the target, and wakings on the whole machine.
 */
import { PtflameError } from '../../src/model/errors.js';
import { canTraceEverything, type Machine, threadNames } from './machine/probe.js';
import { FUTEXES, KERNEL_WORK, SWITCH, SYSCALLS } from './machine/tracing.js';
import type { RecordOptions } from './options.js';
import type { Target } from './target.js';

/** Returns the tracepoints of `--waits`, `--why` and `--syscalls` that are recorded with the target. */
export function targetEvents({ waits, why, syscalls }: RecordOptions, { tracing }: Machine): readonly string[] {
  const ofWaits = waits === undefined ? [] : FUTEXES;
  const ofKernel = [...(waits === 'full' || why ? [SWITCH] : []), ...(why ? knownWork(tracing) : [])];
  return [...ofWaits, ...ofKernel, ...(syscalls ? [SYSCALLS] : [])];
}

/** A dry run may be for another machine. */
function knownWork({ directory, kernelWork }: Machine['tracing']): readonly string[] {
  return directory === null ? KERNEL_WORK : kernelWork;
}

/** What `--why` cannot count, in words; empty: it can count all. */
export function missingWork({ why }: RecordOptions, { tracing }: Machine): string[] {
  const known = knownWork(tracing);
  const lacking = KERNEL_WORK.filter((event) => !known.includes(event));
  return why && lacking.length > 0 ? [`the kernel has no ${lacking.join(', ')}: --why leaves them out`] : [];
}

/** Threads that the kernel starts in a process that uses io_uring: iou-wrk-TID, iou-sqp-PID. */
const IO_WORKERS = ' || comm ~ "iou-*"';
/** The kernel accepts filters of less than a page. */
const MAX_FILTER_BYTES = 4095 - IO_WORKERS.length;

/**
 * Returns a filter for `sched_waking` that lets through wakings of threads that have the target's names now, which threads
 * started later mostly share; null if the names are unknown or too many.
 */
export async function wakingsFilter(target: Target): Promise<string | null> {
  if (target.kind !== 'processes' && target.kind !== 'threads') return null;
  const filter = nameFilter(await threadNames(target.kind === 'threads' ? target.tids : target.pids, target.kind));
  return filter === null ? null : filter + IO_WORKERS;
}

export function nameFilter(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const exact = anyOf(names.map(nameTest));
  if (exact.length <= MAX_FILTER_BYTES) return exact;
  const merged = anyOf(names.map((name) => globTest(`${globOf(name.replace(/\d+$/, ''))}*`)));
  return merged.length <= MAX_FILTER_BYTES ? merged : null;
}

function anyOf(tests: readonly string[]): string {
  return [...new Set(tests)].sort().join(' || ');
}

/** The filter's language has no escapes; only the pattern's `?` stands for any character. */
function nameTest(name: string): string {
  return /^[ !#-~]*$/.test(name) ? `comm == "${name}"` : globTest(globOf(name));
}

function globTest(glob: string): string {
  return `comm ~ "${glob}"`;
}

function globOf(name: string): string {
  return name.replace(/[^ !#-)+->@-Z^-~]/g, '?');
}

/** @throws PtflameError if this machine or user cannot record these events */
export function refuseMissingTracing({ waits, why, syscalls, probe }: RecordOptions, machine: Machine): void {
  if (waits === undefined && probe === undefined && !why && !syscalls) return;
  const { directory, isReadable, missing, canProbe } = machine.tracing;
  const flag = waits !== undefined ? '--waits' : why ? '--why' : syscalls ? '--syscalls' : '--probe';
  if (directory === null) throw new PtflameError('NOT_OFFERED', `${flag}: tracefs is not mounted`, { hint: MOUNT });
  if (!isReadable) throw noPermission(`${flag}: this user may not read ${directory}`, MAKE_READABLE);
  if (!canTraceEverything(machine)) throw noPermission(`${flag}: this user may not record tracepoints`, TRACEPOINTS);
  if (waits !== undefined && missing.length > 0) throw noTracepoint(missing);
  if (probe === undefined || canProbe) return;
  if (canProbe === null) throw new PtflameError('NOT_OFFERED', 'the kernel has no uprobes', { hint: OTHER_KERNEL });
  throw noPermission(`--probe: this user may not write ${directory}/uprobe_events`, 'use sudo');
}

function noPermission(message: string, hint: string): PtflameError {
  return new PtflameError('NO_PERMISSION', message, { hint });
}

function noTracepoint(missing: readonly string[]): PtflameError {
  return new PtflameError('NOT_OFFERED', `the kernel has no ${missing.join(', ')}`, { hint: OTHER_KERNEL });
}

export const MOUNT = 'sudo mount -t tracefs tracefs /sys/kernel/tracing';
export const MAKE_READABLE = 'use sudo; or sudo mount -o remount,mode=755 /sys/kernel/tracing';
export const TRACEPOINTS =
  'use sudo; or sudo sysctl kernel.perf_event_paranoid=-1; or give perf the capability cap_perfmon';
export const OTHER_KERNEL =
  'boot a kernel with CONFIG_FTRACE_SYSCALLS and CONFIG_UPROBE_EVENTS, as distributions build it';
