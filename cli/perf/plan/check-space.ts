/**
 * Checks that there is enough memory for the buffers and enough disk space for the recording.
 */
import { dirname } from 'node:path';
import { PtflameError } from '../../../src/model/errors.js';
import { formatBytes } from '../../../src/render/format.js';
import { freeDiskBytes, type Machine } from '../machine/probe.js';
import { canLock, totalBytes } from './buffers.js';
import type { RecordingPlan } from './recording-plan.js';

/** A busy CPU writes 50 to 500 MB of trace per second. */
const BYTES_PER_CPU_SECOND = 200e6;
const MIN_DISK_BYTES = 128 * 1024 * 1024;
const MAX_MEMORY_SHARE = 0.8;

/** @throws PtflameError if perf would run out of memory or disk space; `notify` receives warnings */
export async function checkSpace(plan: RecordingPlan, machine: Machine, notify: (text: string) => void): Promise<void> {
  const needed = totalBytes(plan.buffers) + (plan.wakings?.bufferBytes ?? 0);
  if (needed > machine.availableBytes * MAX_MEMORY_SHARE) throw noMemory(plan, needed, machine.availableBytes);
  if (!canLock(machine, plan.buffers))
    notify(`note: the buffers (${formatBytes(needed)}) are larger than this user may lock: perf will probably refuse`);
  const free = await freeDiskBytes(plan.output);
  if (free === null) return;
  if (free < MIN_DISK_BYTES) throw noDisk(plan, free);
  const expected = expectedBytes(plan, machine);
  if (expected > free)
    notify(
      `note: this may write ${formatBytes(expected)}, but only ${formatBytes(free)} are free in ${dirname(plan.output)}`,
    );
}

/** Returns what busy CPUs would write; 0 if the recording has no time limit. */
function expectedBytes({ event, timeMs, buffers, snapshots }: RecordingPlan, { cpu }: Machine): number {
  if (event === null || timeMs === null || snapshots !== 'none') return 0;
  const cpus = Math.min(buffers.count, cpu.online.length);
  return (timeMs / 1000) * cpus * BYTES_PER_CPU_SECOND;
}

function noMemory({ buffers }: RecordingPlan, needed: number, available: number): PtflameError {
  const { count, auxBytes, dataBytes } = buffers;
  const message = `${count} buffers of ${formatBytes(auxBytes || (dataBytes ?? 0))} need ${formatBytes(needed)} of memory, but only ${formatBytes(available)} are available`;
  return new PtflameError('AUX_TOO_LARGE', message, { hint: 'use smaller buffers (-m 4M) or fewer CPUs (-C 0-3)' });
}

function noDisk({ output }: RecordingPlan, free: number): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `only ${formatBytes(free)} of disk space are free for ${output}`, {
    hint: 'choose another directory with -o',
  });
}
