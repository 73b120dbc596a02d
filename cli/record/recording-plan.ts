/**
 * Plans a recording: turns options, target and machine into the arguments of `perf record`. Starts nothing.
 */

import { PtflameError } from '../../src/model/errors.js';
import { wakingsPath } from '../../src/perfdata/beside.js';
import { kebabCase } from '../usage/flag.js';
import type { Timeouts } from './await-end.js';
import { type Buffers, chooseBuffers, eventBuffers } from './buffers.js';
import { type Machine, type PmuCaps, threadCount } from './machine/probe.js';
import { WAKING } from './machine/tracing.js';
import { isAtLeast, type PerfVersion } from './machine/version.js';
import type { RecordOptions } from './options.js';
import { type ProbesPlan, planProbes } from './probes.js';
import { bufferCount, type Target, targetArguments } from './target.js';
import { targetEvents, wakingsFilter } from './tracepoints.js';

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
  const event = options.noTrace ? null : ptEvent(options, machine.pmu?.caps ?? null);
  const tracepoints = targetEvents(options, machine);
  const probes = planProbes(options, group, machine.tracing.directory);
  const chains = await planChains(input, has(5, 4));
  const buffers = await planBuffers(input, tracepoints.length > 0 || probes !== null);
  const output = options.output.startsWith('-') ? `./${options.output}` : options.output;
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
export function mmapPages({ dataBytes, auxBytes }: Buffers): string {
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
    throw contradiction('--trigger signal works only with --snapshot', 'add --snapshot');
  refuseWithoutTrace(options);
  if (options.probe && (target.kind === 'cpus' || target.kind === 'all-cpus')) throw probeEverywhere();
  if (!options.dryRun) refuseOfflineCpus(offlineCpus(target, machine), machine);
  if (version === null) return;
  if (snapshot !== undefined && !isAtLeast(version, 5, 4)) throw tooOld(version, '--snapshot', '5.4');
  if (kernel && !isAtLeast(version, 5, 5)) throw tooOld(version, '--kernel', '5.5');
  hasCycles(options, machine.pmu?.caps ?? ASSUMED_CAPS);
}

/** @throws PtflameError if nothing would be recorded, or if an option needs Intel PT */
export function refuseWithoutTrace({ noTrace, waits, why, probe, ...options }: RecordOptions): void {
  if (!noTrace) return;
  if (waits === undefined && !why && probe === undefined && options.trigger === undefined)
    throw contradiction('--no-trace leaves nothing to record', 'add --waits, --why, --probe or --trigger');
  const useless = TRACE_OPTIONS.find((name) => options[name] !== undefined && options[name] !== false);
  if (useless === undefined) return;
  throw contradiction(`--no-trace and --${kebabCase(useless)} are mutually exclusive`);
}

const TRACE_OPTIONS = [
  ...(['kernel', 'syscalls', 'only', 'filter', 'snapshot', 'render', 'cyc', 'noCyc'] as const),
  ...(['cycThresh', 'mtcPeriod', 'psbPeriod', 'noretcomp'] as const),
];

function probeEverywhere(): PtflameError {
  return new PtflameError('BAD_OPTION', '--probe would stop every process that runs the probed code', {
    hint: 'record a process, -p PID, or a command',
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

/**
 * Turns --filter, --only and --binary into perf's address filters, which limit the trace to ranges of code.
 *
 * Returns the arguments of `perf record --filter`; paths stay as given.
 */
function addressFilters({ filter = [], only = [], binary }: RecordOptions): string[] {
  if (only.length > 0 && binary === undefined)
    throw new PtflameError('BAD_OPTION', '--only needs the binary that contains the function', {
      hint: 'add --binary FILE',
    });
  if (only.length === 0 && binary !== undefined)
    throw new PtflameError('BAD_OPTION', '--binary needs a function', { hint: 'add --only FUNCTION' });
  for (const name of only)
    refuseSeparators(name, /[\s,/@]/, 'a function', 'use the name that nm prints (C++: the mangled name)');
  if (binary !== undefined) refuseSeparators(binary, /[\s,]/, 'a file', 'link to it under a name without them: ln -s');
  return [...filter, ...only.map((name) => `filter ${name} @ ${binary}`)];
}

/** perf splits filters at these characters and has no way to quote them. */
function refuseSeparators(text: string, separators: RegExp, what: string, hint: string): void {
  if (!separators.test(text)) return;
  throw new PtflameError(
    'BAD_OPTION',
    `perf cannot filter by ${what} whose name has blanks, commas or similar characters: ${text}`,
    {
      hint,
    },
  );
}

/**
 * Plans what shows why threads wait: call chains of the kernel at switches, and where the program was at each of them.
 *
 * perf's arguments.
 */
interface ChainsPlan {
  readonly arguments: readonly string[];
}

/** Walking the kernel's stack takes 1 to 2 µs: so many a second are 1 to 2 % of a CPU. */
const CHAINS_A_SECOND = 10_000;
/** Of a thread: at this rate, nearly all of its waits have their chain unless it waits for microseconds. */
const MAX_RATE = 2500;
/** A process with more threads than `CHAINS_A_SECOND` allows for has seldom that many that switch at once. */
const MIN_RATE = 10;
/** The threads of a command, or of those to come, are not known. */
const EXPECTED_THREADS = 4;

/** Threads that wait, not those that were preempted (include/linux/sched.h, TASK_REPORT). */
const BLOCKED = 'prev_state & 255';

/** The instruction of the program, and the first argument of its system call. */
const REGISTERS: Partial<Record<NodeJS.Architecture, string>> = { x64: 'ip,di', arm64: 'pc,x0' };

/** Returns null where chains are not wanted, or where the kernel does not tell this user what its functions are. */
async function planChains(input: PlanInput, isOffered: boolean): Promise<ChainsPlan | null> {
  const { options, target, machine } = input;
  const { switchId } = machine.tracing;
  if (options.waits !== 'full' || machine.kallsyms !== 'readable' || switchId === null || !isOffered) return null;
  const rate = Math.floor(CHAINS_A_SECOND / (await unitCount(target, machine)));
  const frequency = Math.min(Math.max(rate, MIN_RATE), MAX_RATE, machine.maxSampleRate ?? MAX_RATE);
  const registers = REGISTERS[process.arch];
  return {
    arguments: [
      ...['-e', `tracepoint/config=${switchId},freq=${frequency},call-graph=fp/`, '--filter', BLOCKED],
      '--kernel-callchains',
      ...(registers === undefined ? [] : [`--user-regs=${registers}`]),
    ],
  };
}

/** Each thread, or each CPU, has an event with a rate of its own. */
async function unitCount(target: Target, { cpu }: Machine): Promise<number> {
  switch (target.kind) {
    case 'cpus':
      return target.cpus.length;
    case 'all-cpus':
      return cpu.online.length;
    case 'threads':
      return target.tids.length;
    case 'processes':
      return (await Promise.all(target.pids.map(threadCount))).reduce((sum, count) => sum + count, 0);
    case 'command':
      return EXPECTED_THREADS;
  }
}

/**
 * Builds the event for `perf record -e`: the terms of Intel PT, checked against what the CPU supports.
 *
 * What --dry-run assumes on a machine without Intel PT: a CPU of the last ten years.
 */
const ASSUMED_CAPS: PmuCaps = {
  psbCyc: true,
  mtc: true,
  ipFiltering: true,
  mtcPeriods: 0xffff,
  cycleThresholds: 0xffff,
  psbPeriods: 0xffff,
};

/** Returns, for example, "intel_pt/cyc=1,mtc_period=0/u". `known`: null without Intel PT. */
export function ptEvent(options: RecordOptions, known: PmuCaps | null): string {
  const scope = options.kernel ? '' : 'u';
  return `intel_pt/${terms(options, known ?? ASSUMED_CAPS).join(',')}/${scope}`;
}

/** Returns whether times will be cycle-accurate. */
function hasCycles({ cyc, noCyc }: RecordOptions, caps: PmuCaps): boolean {
  if (cyc && !caps.psbCyc)
    throw new PtflameError('NOT_OFFERED', 'this CPU has no cycle-accurate times (caps/psb_cyc is 0)', {
      hint: 'omit --cyc: times are then accurate to about a microsecond',
    });
  return caps.psbCyc && !noCyc;
}

function terms(options: RecordOptions, caps: PmuCaps): string[] {
  const { cycThresh, mtcPeriod, psbPeriod, noretcomp } = options;
  const cycles = hasCycles(options, caps);
  if (cycThresh !== undefined && !cycles) throw needsCycles();
  return [
    ...(cycles ? ['cyc=1'] : []),
    ...term('cyc_thresh', cycThresh, caps.cycleThresholds),
    ...term('mtc_period', mtcPeriod ?? (cycles ? finestMtcPeriod(caps) : undefined), caps.mtcPeriods),
    ...term('psb_period', psbPeriod, caps.psbPeriods),
    ...(noretcomp ? ['noretcomp=1'] : []),
  ];
}

/** With cycle packets, MTC only ties cycles to wall-clock time; the finest period does so soonest after a loss. */
function finestMtcPeriod(caps: PmuCaps): number | undefined {
  return caps.mtc && (caps.mtcPeriods & 1) === 1 ? 0 : undefined;
}

function term(name: string, value: number | undefined, offered: number): string[] {
  if (value === undefined) return [];
  if (((offered >> value) & 1) === 1) return [`${name}=${value}`];
  const flag = `--${name.replace('_', '-')}`;
  const values = Array.from({ length: 16 }, (_, bit) => bit).filter((bit) => ((offered >> bit) & 1) === 1);
  const hint =
    values.length === 0 ? `omit ${flag}: this CPU supports no value` : `values of ${flag}: ${values.join(', ')}`;
  throw new PtflameError('NOT_OFFERED', `this CPU does not support ${name}=${value}`, { hint });
}

function needsCycles(): PtflameError {
  return new PtflameError('NOT_OFFERED', '--cyc-thresh needs cycle-accurate times, which are off', {
    hint: 'omit --no-cyc; if the CPU has no cycle-accurate times, omit --cyc-thresh',
  });
}

/** What a recording is planned from. */
export interface PlanInput {
  readonly options: RecordOptions;
  readonly target: Target;
  readonly machine: Machine;
  /** null if perf is missing; a recent one is assumed. */
  readonly version: PerfVersion | null;
  /** The name of the group of its probes. */
  readonly group: string;
}

/** What all parts of a running recording share. */
export interface RecordingContext {
  readonly machine: Machine;
  readonly version: PerfVersion;
  /** Shows the user a line. */
  readonly notify: (text: string) => void;
  readonly timeouts?: Timeouts;
  /** No status line. */
  readonly quiet?: boolean;
}

/**
 * Plans the recording of wakings, next to the recording of the target: whoever wakes a thread of the target may be any
 * process, or an interrupt.
 */
export interface WakingsPlan {
  readonly command: readonly string[];
  readonly manualCommand: readonly string[];
  readonly isControlled: boolean;
  readonly output: string;
  /** Size of all its buffers. */
  readonly bufferBytes: number;
}

const MIB = 1024 * 1024;
const DATA_BYTES = MIB;
/** It begins before the recording of the target and ends after it. */
const WAKINGS_SAFETY_MS = 30_000;

async function planWakings(input: PlanInput, recording: string, timeMs: number | null): Promise<WakingsPlan> {
  const { options, target, machine, version } = input;
  const has = (major: number, minor: number) => version === null || isAtLeast(version, major, minor);
  const output = wakingsPath(recording);
  const filter = await wakingsFilter(target);
  const common = [
    ...[options.perf, 'record', '-o', output, '-a', '-m', `${DATA_BYTES / MIB}M`],
    '--no-buildid', // perf would read all binaries of the machine
    ...(has(5, 15) ? ['--synth=task'] : []), // names of threads; no mappings
    ...['-e', WAKING, ...(filter === null ? [] : ['--filter', filter])],
  ];
  const sleep = timeMs === null ? [] : ['--', 'sleep', String((timeMs + WAKINGS_SAFETY_MS) / 1000)];
  return {
    command: [...common, ...(has(5, 10) ? ['--control', 'fd:3,4', '-D', '-1'] : []), ...sleep],
    manualCommand: [...common, ...sleep],
    isControlled: has(5, 10),
    output,
    bufferBytes: DATA_BYTES * machine.cpu.online.length,
  };
}
