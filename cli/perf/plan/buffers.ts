/**
 * How large perf's buffers may be: one for each CPU or thread, all of them locked into memory.
 */
import type { Machine } from '../machine/probe.js';

export interface Buffers {
  /** Of records about the trace; null: as perf chooses. */
  readonly dataBytes: number | null;
  /** Of the trace itself. */
  readonly auxBytes: number;
  /** How many of them. */
  readonly count: number;
}

const KIB = 1024;
const LARGEST_CHOSEN = 32 * KIB * KIB;
/** perf's own choice for those without rights. */
const SMALLEST_CHOSEN = 128 * KIB;
/** Beside the trace, for those who may not lock much; perf takes that much too then. A page comes in front of it. */
const SMALL_DATA = 256 * KIB;
const PAGE = 4 * KIB;
/** Of the memory that is available. */
const LARGEST_SHARE = 0.25;

/** `auxBytes`: what was asked for, or undefined. */
export function chooseBuffers(machine: Machine, count: number, auxBytes: number | undefined): Buffers {
  const room = lockableBytesEach(machine, count);
  const dataBytes = room === Number.POSITIVE_INFINITY ? null : SMALL_DATA;
  if (auxBytes !== undefined) return { dataBytes, auxBytes, count };
  const inMemory = (machine.availableBytes * LARGEST_SHARE) / count;
  const largest = Math.min(LARGEST_CHOSEN, room - SMALL_DATA - PAGE, inMemory);
  return { dataBytes, auxBytes: Math.max(powerOfTwoWithin(largest), SMALLEST_CHOSEN), count };
}

export function totalBytes({ auxBytes, dataBytes, count }: Buffers): number {
  return (auxBytes + (dataBytes ?? 0)) * count;
}

/** The kernel lets each user lock perf_event_mlock_kb for each CPU, and beyond that what `ulimit -l` says. */
export function lockableBytesEach(machine: Machine, count: number): number {
  if (machine.rights.ipcLock || (machine.paranoid ?? 2) < 0) return Number.POSITIVE_INFINITY;
  const allowed = (machine.mlockKb ?? 0) * KIB * machine.cpu.online.length + machine.lockableBytes;
  return allowed / count;
}

/** Whether the kernel will let that much be locked. */
export function mayBeLocked(machine: Machine, buffers: Buffers): boolean {
  const each = buffers.auxBytes + (buffers.dataBytes ?? SMALL_DATA) + PAGE;
  return each <= lockableBytesEach(machine, buffers.count);
}

function powerOfTwoWithin(bytes: number): number {
  return bytes < 1 ? 0 : 2 ** Math.floor(Math.log2(bytes));
}
