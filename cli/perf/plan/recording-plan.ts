/**
 * Plans a recording: turns options, target and machine into the arguments of `perf record`. Starts nothing.
 */
import { PtflameError } from '../../../src/model/errors.js';
import type { RecordOptions } from '../../options/record.js';
import { kebabCase } from '../../usage/flag.js';
import type { Machine } from '../machine/probe.js';
import { isAtLeast, type PerfVersion } from '../machine/version.js';
import { type Buffers, chooseBuffers, eventBuffers } from './buffers.js';
import { type ChainsPlan, planChains } from './chains.js';
import { ASSUMED_CAPS, hasCycles, ptEvent } from './event.js';
import { addressFilters } from './filters.js';
import type { PlanInput } from './plan-input.js';
import { type ProbesPlan, planProbes } from './probes.js';
import { bufferCount, type Target, targetArguments } from './target.js';
import { waitEvents } from './tracepoints.js';
import { planWakings, type WakingsPlan } from './wakings.js';

export interface RecordingPlan {
  readonly target: Target;
  /** Intel PT; null: not recorded. */
  readonly event: string | null;
  /** Tracepoints in the same file. */
  readonly tracepoints: readonly string[];
  readonly probes: ProbesPlan | null;
  /** What shows why threads wait; null: not recorded. */
  readonly chains: ChainsPlan | null;
  /** A second recording, at the same time. */
  readonly wakings: WakingsPlan | null;
  readonly buffers: Buffers;
  /** null: until the target ends or Ctrl-C. */
  readonly timeMs: number | null;
  /** perf and its arguments, as ptflame runs them. */
  readonly command: readonly string[];
  /** The same recording without ptflame's control, for users to run themselves. */
  readonly manualCommand: readonly string[];
  /** perf reads commands from descriptor 3 and acknowledges them on 4. */
  readonly isControlled: boolean;
  /** perf records nothing until it receives "enable". */
  readonly waitsForEnable: boolean;
  readonly snapshots: 'none' | 'at-end' | 'by-signal';
  readonly output: string;
  /** The perf.data file itself: with --kernel, `output` is a directory that also holds the kernel's code. */
  readonly dataFile: string;
}

const DEFAULT_TIME_MS = 1000;
/** perf runs a `sleep` that is this much longer than the recording: if ptflame is killed, the recording still ends. */
const SAFETY_MS = 10_000;

export async function planRecording(input: PlanInput): Promise<RecordingPlan> {
  const { options, target, machine, version, group } = input;
  refuseContradictions(options, target, machine, version);
  const has = (major: number, minor: number) => version === null || isAtLeast(version, major, minor);
  const event = options.noTrace ? null : ptEvent(options, machine.pmu?.caps ?? ASSUMED_CAPS);
  const tracepoints = waitEvents(options);
  const probes = planProbes(options, group, machine.tracing.directory);
  const chains = await planChains(input, has(5, 4));
  const buffers = await planBuffers(input, tracepoints.length > 0 || probes !== null);
  const output = options.output.startsWith('-') ? `.//${options.output}` : options.output;
  const waitsForEnable = has(5, 10) && target.kind !== 'command';
  const snapshots = options.snapshot === undefined ? 'none' : options.trigger === undefined ? 'at-end' : 'by-signal';
  const timeMs = options.time ?? (target.kind === 'command' || snapshots !== 'none' ? null : DEFAULT_TIME_MS);
  const common = [
    ...[options.perf, 'record', '-o', output, ...(event === null ? ['--switch-events'] : ['-e', event])],
    ...['-m', mmapPages(buffers)],
    ...addressFilters(options).flatMap((filter) => ['--filter', filter]),
    ...[...tracepoints, ...(probes?.events ?? [])].flatMap((each) => ['-e', each]),
    ...(chains?.arguments ?? []),
    ...(options.kernel ? ['--kcore'] : []),
    ...(snapshots === 'none' ? [] : [snapshotArgument(snapshots, options.snapshot?.bytes ?? null)]),
    ...targetArguments(target),
  ];
  const control = has(5, 10) ? ['--control', 'fd:3,4', ...(waitsForEnable ? ['-D', '-1'] : [])] : [];
  const sleepMs = timeMs === null ? null : waitsForEnable ? timeMs + SAFETY_MS : timeMs;
  return {
    target,
    event,
    tracepoints,
    probes,
    chains,
    wakings: options.waits === undefined ? null : await planWakings(input, output, timeMs),
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

async function planBuffers({ options, target, machine }: PlanInput, hasEvents: boolean): Promise<Buffers> {
  const count = await bufferCount(target, machine);
  if (options.noTrace) return eventBuffers(machine, count, options.auxSize);
  return chooseBuffers(machine, count, options.auxSize, hasEvents);
}

/** Returns the command that perf runs; perf ends when it ends. */
function lifeArguments(target: Target, sleepMs: number | null): string[] {
  if (target.kind === 'command') return ['--', ...target.command];
  return sleepMs === null ? [] : ['--', 'sleep', String(sleepMs / 1000)];
}

/** Returns the value of -m, such as ",32M": the data buffer before the comma, the trace buffer after it. */
function mmapPages({ dataBytes, auxBytes }: Buffers): string {
  const data = dataBytes === null ? '' : inUnits(dataBytes);
  return auxBytes === 0 ? data : `${data},${inUnits(auxBytes)}`;
}

function inUnits(bytes: number): string {
  const mib = 1024 * 1024;
  return bytes % mib === 0 ? `${bytes / mib}M` : `${bytes / 1024}K`;
}

/** "e" makes perf take a snapshot on exit; the size is in bytes. */
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
  if (user && kernel) throw contradiction('--user and --kernel are mutually exclusive');
  if (cyc && noCyc) throw contradiction('--cyc and --no-cyc are mutually exclusive');
  if (trigger !== undefined && snapshot === undefined)
    throw contradiction('--trigger works only with --snapshot', 'add --snapshot');
  if (trigger !== undefined && trigger !== 'signal') throw noTrigger(trigger);
  refuseWithoutTrace(options);
  if (options.probe && (target.kind === 'cpus' || target.kind === 'all-cpus')) throw probeEverywhere();
  if (!options.dryRun) refuseOfflineCpus(offlineCpus(target, machine), machine);
  if (version === null) return;
  if (snapshot !== undefined && !isAtLeast(version, 5, 4)) throw tooOld(version, '--snapshot', '5.4');
  if (kernel && !isAtLeast(version, 5, 5)) throw tooOld(version, '--kernel', '5.5');
  hasCycles(options, machine.pmu?.caps ?? ASSUMED_CAPS);
}

/** @throws PtflameError if nothing would be recorded, or if an option needs Intel PT */
function refuseWithoutTrace({ noTrace, waits, probe, ...options }: RecordOptions): void {
  if (!noTrace) return;
  if (waits === undefined && probe === undefined)
    throw contradiction('--no-trace leaves nothing to record', 'add --waits or --probe');
  const useless = TRACE_OPTIONS.find((name) => options[name] !== undefined && options[name] !== false);
  if (useless === undefined) return;
  throw contradiction(`--no-trace and --${kebabCase(useless)} are mutually exclusive`);
}

const TRACE_OPTIONS = [
  ...(['kernel', 'only', 'filter', 'snapshot', 'render', 'cyc', 'noCyc'] as const),
  ...(['cycThresh', 'mtcPeriod', 'psbPeriod', 'noretcomp'] as const),
];

function probeEverywhere(): PtflameError {
  return new PtflameError('BAD_OPTION', '--probe would stop every process that runs the probed code', {
    hint: 'record a process, -p PID, or a command',
  });
}

/**
 * perf cannot make the kernel stop a trace for good when a function is called: the filter "tracestop" lasts only until the
 * next context switch, and a probe is read by another process, too late.
 */
function noTrigger(name: string): PtflameError {
  return new PtflameError('BAD_OPTION', `--trigger ${name}: perf cannot take a snapshot when a function is called`, {
    hint: 'use --trigger signal and call kill(PTFLAME, SIGUSR2) in the program; or record only the function: --only',
  });
}

/** Returns the CPUs of the target that this machine lacks or that are offline; a dry run may be for another machine. */
export function offlineCpus(target: Target, { cpu }: Machine): number[] {
  return target.kind === 'cpus' ? target.cpus.filter((number) => !cpu.online.includes(number)) : [];
}

function refuseOfflineCpus(missing: readonly number[], { cpu }: Machine): void {
  if (missing.length === 0) return;
  throw new PtflameError('NO_SUCH_TARGET', `CPU ${missing[0]} does not exist or is offline`, {
    hint: `CPUs online: ${cpu.online.join(', ')}`,
  });
}

function contradiction(message: string, hint = 'choose one of them'): PtflameError {
  return new PtflameError('BAD_OPTION', message, { hint });
}

function tooOld({ text }: PerfVersion, flag: string, needed: string): PtflameError {
  return new PtflameError('NOT_OFFERED', `${flag} needs perf ${needed} or newer; this is ${text}`, {
    hint: 'install a newer perf and pass it with --perf PATH',
  });
}
