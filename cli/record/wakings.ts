/**
 * Plans the recording of wakings, next to the recording of the target: whoever wakes a thread of the target may be any
 * process, or an interrupt.
 */
import { wakingsPath } from '../input/data-file.js';
import { WAKING } from './machine/tracing.js';
import { isAtLeast } from './machine/version.js';
import type { PlanInput } from './plan-input.js';
import { wakingsFilter } from './tracepoints.js';

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
const SAFETY_MS = 30_000;

export async function planWakings(input: PlanInput, recording: string, timeMs: number | null): Promise<WakingsPlan> {
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
  const sleep = timeMs === null ? [] : ['--', 'sleep', String((timeMs + SAFETY_MS) / 1000)];
  return {
    command: [...common, ...(has(5, 10) ? ['--control', 'fd:3,4', '-D', '-1'] : []), ...sleep],
    manualCommand: [...common, ...sleep],
    isControlled: has(5, 10),
    output,
    bufferBytes: DATA_BYTES * machine.cpu.online.length,
  };
}
