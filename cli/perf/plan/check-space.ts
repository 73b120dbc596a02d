/**
 * Is there memory for the buffers, and room on the disk for what comes out of them?
 */
import { dirname } from 'node:path';
import { formatBytes, PtflameError } from '../../../src/text.js';
import { freeDiskBytes, type Machine } from '../machine/probe.js';
import { canLock, totalBytes } from './buffers.js';
import type { RecordingPlan } from './recording-plan.js';

/** A busy CPU writes 50 to 500 MB in a second. */
export const BYTES_PER_CPU_SECOND = 200e6;
const MIN_DISK_BYTES = 128 * 1024 * 1024;
const MAX_MEMORY_SHARE = 0.8;

/** @throws PtflameError if perf would fail for lack of room; `say` hears what may become tight */
export async function checkSpace(plan: RecordingPlan, machine: Machine, notify: (text: string) => void): Promise<void> {
  const needed = totalBytes(plan.buffers);
  if (needed > machine.availableBytes * MAX_MEMORY_SHARE) throw noMemory(plan, needed, machine.availableBytes);
  if (!canLock(machine, plan.buffers))
    notify(
      `note: the buffers (${formatBytes(needed)}) are larger than what this user may lock: perf will likely refuse`,
    );
  const free = await freeDiskBytes(plan.output);
  if (free === null) return;
  if (free < MIN_DISK_BYTES) throw noDisk(plan, free);
  const expected = expectedBytes(plan, machine);
  if (expected > free)
    notify(
      `note: this may write ${formatBytes(expected)}, and ${formatBytes(free)} are free in ${dirname(plan.output)}`,
    );
}

/** What busy CPUs would write; 0 if nobody knows how long. */
function expectedBytes({ timeMs, buffers, snapshots }: RecordingPlan, { cpu }: Machine): number {
  if (timeMs === null || snapshots !== 'none') return 0;
  const cpus = Math.min(buffers.count, cpu.online.length);
  return (timeMs / 1000) * cpus * BYTES_PER_CPU_SECOND;
}

function noMemory({ buffers }: RecordingPlan, needed: number, available: number): PtflameError {
  const { count, auxBytes } = buffers;
  const message = `${count} buffers of ${formatBytes(auxBytes)} need ${formatBytes(needed)} of memory, and ${formatBytes(available)} are available`;
  return new PtflameError('AUX_TOO_LARGE', message, { hint: 'smaller buffers, -m 4M, or fewer CPUs, -C 0-3' });
}

function noDisk({ output }: RecordingPlan, free: number): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `only ${formatBytes(free)} are free where ${output} would be`, {
    hint: 'choose another place with -o',
  });
}
