/**
 * Plans the two perfs of a capture: the recorder, which overwrites its buffer until a snapshot is ordered, and the watcher, which
 * writes each passage of the function to a pipe. Starts nothing.
 */
import { PtflameError } from '../../../src/model/errors.js';
import { RETURN_SUFFIX } from '../../../src/pipeline/read/probed-calls.js';
import { chooseBuffers } from '../buffers.js';
import { canTraceEverything, type Machine } from '../machine/probe.js';
import { FUTEXES, SWITCH } from '../machine/tracing.js';
import { isAtLeast, type PerfVersion } from '../machine/version.js';
import type { RecordOptions } from '../options.js';
import { appendProbes, type PlannedProbe, type ProbesPlan, planProbes, STACK_POINTER } from '../probes.js';
import { mmapPages, ptEvent } from '../recording-plan.js';
import { CURRENT } from './log.js';
import type { Place } from './place.js';
import type { CallTrigger } from './spec.js';

export interface CapturePlan {
  readonly recorder: readonly string[];
  readonly watcher: readonly string[];
  /** Those of the watcher, where breakpoints do not suffice, and those that the user wants in the snapshots. */
  readonly probes: ProbesPlan | null;
  /** By the number of the watcher's event. */
  readonly events: readonly ('entry' | 'end')[];
}

export interface CaptureInput {
  readonly options: RecordOptions;
  readonly trigger: CallTrigger;
  readonly pids: readonly number[];
  readonly place: Place;
  /** What ends the way from there; null: the function's own returns do. */
  readonly to: Place | null;
  readonly machine: Machine;
  readonly version: PerfVersion;
  /** Breakpoints of the CPU are hit. */
  readonly hasBreakpoints: boolean;
  /** The name of the group of its probes. */
  readonly group: string;
  readonly directory: string;
}

/** x86-64 has four; one is for the entry. */
export const MAX_EXITS = 3;
/** Of the watcher: a few thousand hits, which perf reads at once. */
const WATCHER_BUFFER = '1M';
/** Per CPU, without Intel PT: seconds of a busy program. */
const EVENTS_BUFFER = '512K';
const CONTROL = ['--control', 'fd:3,4', '-D', '-1'];

/** @throws PtflameError if this machine, user or perf cannot do it */
export function planCapture(input: CaptureInput): CapturePlan {
  const { options, trigger, place, to, version, pids } = input;
  if (!isAtLeast(version, 5, 10))
    throw new PtflameError('NOT_OFFERED', `--trigger FUNCTION needs perf 5.10 or newer; this is ${version.text}`, {
      hint: 'install a newer perf and pass it with --perf PATH',
    });
  const exits = trigger.at === 'entry' ? [] : to === null ? returnsOf(place) : [to.entry];
  const isByBreakpoint = input.hasBreakpoints && exits.length <= MAX_EXITS;
  if (!isByBreakpoint) refuseWithoutProbes(input, exits.length);
  const ends = exits.map(() => 'end' as const);
  const kinds = ['entry' as const, ...(isByBreakpoint ? ends : ends.slice(0, 1))]; // one probe for all returns
  const watched = isByBreakpoint ? [] : probesAt(input, exits);
  const asked = planProbes(options, input.group, input.machine.tracing.directory);
  const all = [...watched, ...(asked?.probes ?? [])];
  const names = all.map(({ probe }) => probe.name);
  const events = isByBreakpoint
    ? [place.addressOf(place.entry), ...exits.map((to ?? place).addressOf)].map((at) => `mem:0x${at.toString(16)}:x:u`)
    : watched.map(({ probe }) => `${input.group}:${patternOf(probe.name, names)}`);
  const probes =
    all.length === 0
      ? null
      : { group: input.group, probes: all, events: [`${input.group}:*`], warnings: asked?.warnings ?? [] };
  return {
    recorder: recorderCommand(input, probes?.events ?? []),
    watcher: [
      ...[options.perf, 'record', '-q', '-o', '-', '-m', WATCHER_BUFFER, '--no-bpf-event', '--no-buffering'],
      ...['--user-regs=sp', ...events.flatMap((event) => ['-e', event])],
      ...['-p', pids.join(','), ...CONTROL],
    ],
    probes,
    events: kinds,
  };
}

function returnsOf({ name, exits }: Place): readonly number[] {
  const refuse = (why: string, hint: string) => new PtflameError('NO_SUCH_TARGET', `--trigger: ${why}`, { hint });
  if (exits === null)
    throw refuse(
      `the end of ${name} is unknown: no function begins there, or its code cannot be read`,
      `take another function, '${name}..PLACE' or ${name}@entry`,
    );
  if (exits.returns.length === 0)
    throw refuse(
      `${name} has no return instruction`,
      `it goes on in ${exits.jumpsTo.join(', ') || 'another function'}; or take ${name}@entry`,
    );
  return exits.returns;
}

/** Without Intel PT, probes show calls. `probes`: their events. */
function recorderCommand({ options, pids, machine, directory }: CaptureInput, probes: readonly string[]): string[] {
  const output = ['-o', `${directory}/${CURRENT}`];
  const common = ['--switch-output=signal', '--no-bpf-event', '-p', pids.join(','), ...CONTROL];
  if (options.noTrace)
    return [
      ...[options.perf, 'record', ...output, '--overwrite', '-m', EVENTS_BUFFER, '--switch-events'],
      ...[...tracepoints(options, machine), ...probes].flatMap((event) => ['-e', event]),
      ...['-e', 'cpu-clock/freq=1000/u', '--no-buildid', ...common], // -F would thin out the tracepoints, too
    ];
  const { pmu, cpu } = machine;
  const buffers = chooseBuffers(machine, cpu.online.length, options.auxSize);
  const size = options.snapshot?.bytes ?? null;
  return [
    ...[options.perf, 'record', ...output, '-e', ptEvent(options, pmu?.caps ?? null), '-m', mmapPages(buffers)],
    ...[size === null ? '--snapshot' : `--snapshot=${size}`, ...common],
  ];
}

/** Users who may not record tracepoints get samples and switches alone. */
function tracepoints({ why }: RecordOptions, machine: Machine): readonly string[] {
  const { isReadable, missing, kernelWork } = machine.tracing;
  if (!isReadable || !canTraceEverything(machine)) return [];
  return [...[SWITCH, ...FUTEXES].filter((event) => !missing.includes(event)), ...(why ? kernelWork : [])];
}

function refuseWithoutProbes({ place, machine, hasBreakpoints }: CaptureInput, exits: number): void {
  if (machine.tracing.canProbe) return;
  const [why, other] = hasBreakpoints
    ? [
        `${place.name} returns at ${exits} places, and the CPU has breakpoints for ${MAX_EXITS}`,
        '; or take a function with fewer returns',
      ]
    : ['the breakpoints of this virtual machine are never hit', ''];
  throw new PtflameError(machine.tracing.directory === null ? 'NOT_OFFERED' : 'NO_PERMISSION', `--trigger: ${why}`, {
    hint: `use sudo, with tracefs mounted, for probes${other}`,
  });
}

/** Named as those that `--probe 'NAME=FILE:FUNCTION%calls'` makes, so that the snapshots have the calls, too. */
function probesAt(
  { options, trigger, place, to, machine, group }: CaptureInput,
  exits: readonly number[],
): PlannedProbe[] {
  const tracing = machine.tracing.directory as string; // else this user could not probe
  const taken = options.probe?.map(({ name }) => name) ?? [];
  const eventOf = (name: string) => {
    const event = name.replace(/^(?=\d)|\W+/g, '_').slice(0, MAX_EVENT_NAME);
    return taken.includes(event) ? `${event}_trigger` : event;
  };
  const planned = (name: string, { file, name: symbol }: Place, offsets: readonly number[]) => ({
    probe: { name, file, definition: symbol, symbol, offset: 0, at: 'returns' as const, args: '' },
    offsets,
    commands: [appendProbes({ tracing, group, name, file, offsets, args: STACK_POINTER })],
  });
  const entry = eventOf(trigger.function);
  const end = trigger.to === null ? `${entry}${RETURN_SUFFIX}` : eventOf(trigger.to);
  return [planned(entry, place, [place.entry]), ...(exits.length > 0 ? [planned(end, to ?? place, exits)] : [])];
}

const MAX_EVENT_NAME = 40;

/**
 * "rea?", as perf has a meaning of its own for `read`, `store` and other words, but not for patterns.
 *
 * `names`: those of the group, of which it matches no other
 */
function patternOf(name: string, names: readonly string[]): string {
  const without = (text: string, at: number) => `${text.slice(0, at)}?${text.slice(at + 1)}`;
  const at = Array.from(name).findLastIndex((_, index) => {
    return names.every((other) => other === name || without(other, index) !== without(name, index));
  });
  return at < 0 ? name : without(name, at);
}
