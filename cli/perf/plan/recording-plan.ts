/**
 * What is to be recorded → the command that records it, as a list of arguments. Nothing is started here.
 */
import { PtflameError } from '../../../src/text.js';
import type { RecordOptions } from '../../options/record.js';
import type { Machine } from '../machine/probe.js';
import { isAtLeast, type PerfVersion } from '../machine/version.js';
import { type Buffers, chooseBuffers } from './buffers.js';
import { ASSUMED_CAPS, hasCycles, ptEvent } from './event.js';
import { addressFilters } from './filters.js';
import { bufferCount, type Target, targetArguments } from './target.js';

export interface RecordingPlan {
  readonly target: Target;
  readonly event: string;
  readonly buffers: Buffers;
  /** null: as long as the target lives, or until Ctrl-C. */
  readonly timeMs: number | null;
  /** perf and its arguments, as they are run. */
  readonly command: readonly string[];
  /** The same without ptflame's hand on it. */
  readonly manualCommand: readonly string[];
  /** perf listens on descriptors 3 and 4. */
  readonly isControlled: boolean;
  /** Nothing is recorded before perf hears "enable". */
  readonly waitsForEnable: boolean;
  /** Taken at the end, at a signal, or not at all. */
  readonly snapshots: 'none' | 'at-end' | 'by-signal';
  readonly output: string;
  /** Where the trace lies: with the kernel's code beside it the output is a directory. */
  readonly dataFile: string;
}

const DEFAULT_TIME_MS = 1000;
/** If ptflame is killed, a recording with a time ends so much after it: perf waits for a sleep. */
const SAFETY_MS = 10_000;

/** `version`: null if there is no perf to ask; a recent one is assumed then. `event`: another one, for tests. */
export async function planRecording(
  options: RecordOptions,
  target: Target,
  machine: Machine,
  version: PerfVersion | null,
  event = ptEvent(options, machine.pmu?.caps ?? ASSUMED_CAPS),
): Promise<RecordingPlan> {
  refuseContradictions(options, target, machine, version);
  const has = (major: number, minor: number) => version === null || isAtLeast(version, major, minor);
  const buffers = chooseBuffers(machine, await bufferCount(target, machine), options.auxSize);
  const output = options.output.startsWith('-') ? `./${options.output}` : options.output;
  const waitsForEnable = has(5, 10) && target.kind !== 'command';
  const snapshots = options.snapshot === undefined ? 'none' : options.trigger === undefined ? 'at-end' : 'by-signal';
  const timeMs = options.time ?? (target.kind === 'command' || snapshots !== 'none' ? null : DEFAULT_TIME_MS);
  const common = [
    ...[options.perf, 'record', '-o', output, '-e', event],
    ...(event.startsWith('intel_pt/') ? ['-m', mmapPages(buffers)] : []),
    ...addressFilters(options).flatMap((filter) => ['--filter', filter]),
    ...(options.kernel ? ['--kcore'] : []),
    ...(snapshots === 'none' ? [] : [snapshotArgument(snapshots, options.snapshot?.bytes ?? null)]),
    ...targetArguments(target),
  ];
  const control = has(5, 10) ? ['--control', 'fd:3,4', ...(waitsForEnable ? ['-D', '-1'] : [])] : [];
  const sleepMs = timeMs === null ? null : waitsForEnable ? timeMs + SAFETY_MS : timeMs;
  return {
    target,
    event,
    buffers,
    timeMs,
    command: [...common, ...control, ...lifeArguments(target, sleepMs)],
    manualCommand: [...common, ...lifeArguments(target, timeMs)],
    isControlled: has(5, 10),
    waitsForEnable,
    snapshots,
    output,
    dataFile: options.kernel ? `${output}/data` : output,
  };
}

/** What perf starts, and whose end ends it. */
function lifeArguments(target: Target, sleepMs: number | null): string[] {
  if (target.kind === 'command') return ['--', ...target.command];
  return sleepMs === null ? [] : ['--', 'sleep', String(sleepMs / 1000)];
}

/** "-m ,32M": what stands before the comma is the buffer of all that is not trace. */
function mmapPages({ dataBytes, auxBytes }: Buffers): string {
  return `${dataBytes === null ? '' : inUnits(dataBytes)},${inUnits(auxBytes)}`;
}

function inUnits(bytes: number): string {
  const mib = 1024 * 1024;
  return bytes % mib === 0 ? `${bytes / mib}M` : `${bytes / 1024}K`;
}

/** perf reads "e" as: take one when you end; and the size in bytes. */
function snapshotArgument(snapshots: 'at-end' | 'by-signal', bytes: number | null): string {
  const value = `${snapshots === 'at-end' ? 'e' : ''}${bytes ?? ''}`;
  return value === '' ? '--snapshot' : `--snapshot=${value}`;
}

function refuseContradictions(
  options: RecordOptions,
  target: Target,
  machine: Machine,
  version: PerfVersion | null,
): void {
  const { trigger, snapshot, user, kernel, cyc, noCyc } = options;
  if (user && kernel) throw contradiction('--user and --kernel exclude each other');
  if (cyc && noCyc) throw contradiction('--cyc and --no-cyc exclude each other');
  if (trigger !== undefined && snapshot === undefined)
    throw contradiction('--trigger is of snapshots', 'add --snapshot');
  if (trigger !== undefined && trigger !== 'signal') throw noTrigger(trigger);
  if (!options.dryRun) refuseOfflineCpus(offlineCpus(target, machine), machine);
  if (version === null) return;
  if (snapshot !== undefined && !isAtLeast(version, 5, 4)) throw tooOld(version, '--snapshot', '5.4');
  if (kernel && !isAtLeast(version, 5, 5)) throw tooOld(version, '--kernel', '5.5');
  hasCycles(options, machine.pmu?.caps ?? ASSUMED_CAPS);
}

/**
 * Nothing in perf tells the kernel to stop a trace when a function is called, and keeps it stopped: the filter "tracestop"
 * lasts until the next switch of threads, and a probe is seen by a reader of its own, too late.
 */
function noTrigger(name: string): PtflameError {
  return new PtflameError('BAD_OPTION', `--trigger ${name}: a snapshot at a call cannot be had from perf as it is`, {
    hint: 'let the program send a signal there: --trigger signal, and kill(PTFLAME, SIGUSR2); or record only it: --only',
  });
}

/** Those of the target that this machine lacks, or that are offline: a dry run may be for another machine. */
export function offlineCpus(target: Target, { cpu }: Machine): number[] {
  return target.kind === 'cpus' ? target.cpus.filter((number) => !cpu.online.includes(number)) : [];
}

function refuseOfflineCpus(missing: readonly number[], { cpu }: Machine): void {
  if (missing.length === 0) return;
  throw new PtflameError('NO_SUCH_TARGET', `there is no CPU ${missing[0]} here, or it is offline`, {
    hint: `those that are there: ${cpu.online.join(', ')}`,
  });
}

function contradiction(message: string, hint = 'choose one of them'): PtflameError {
  return new PtflameError('BAD_OPTION', message, { hint });
}

function tooOld({ text }: PerfVersion, flag: string, needed: string): PtflameError {
  return new PtflameError('NOT_OFFERED', `${flag} needs perf ${needed} or newer, and this is ${text}`, {
    hint: 'install a newer perf and name it: --perf PATH',
  });
}
