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
const MAX_DEFAULT_BYTES = 32 * KIB * KIB;
/** perf's own choice for those without rights. */
const MIN_DEFAULT_BYTES = 128 * KIB;
/** Beside the trace, for those who may not lock much; perf takes that much too then. A page comes in front of it. */
const SMALL_DATA_BYTES = 256 * KIB;
const PAGE_BYTES = 4 * KIB;
/** Of the memory that is available. */
const MAX_MEMORY_SHARE = 0.25;

/** `auxBytes`: what was asked for, or undefined. */
export function chooseBuffers(machine: Machine, count: number, auxBytes: number | undefined): Buffers {
  const room = lockableBytesPerBuffer(machine, count);
  const dataBytes = room === Number.POSITIVE_INFINITY ? null : SMALL_DATA_BYTES;
  if (auxBytes !== undefined) return { dataBytes, auxBytes, count };
  const inMemory = (machine.availableBytes * MAX_MEMORY_SHARE) / count;
  const largest = Math.min(MAX_DEFAULT_BYTES, room - SMALL_DATA_BYTES - PAGE_BYTES, inMemory);
  return { dataBytes, auxBytes: Math.max(floorToPowerOfTwo(largest), MIN_DEFAULT_BYTES), count };
}

export function totalBytes({ auxBytes, dataBytes, count }: Buffers): number {
  return (auxBytes + (dataBytes ?? 0)) * count;
}

/** The kernel lets each user lock perf_event_mlock_kb for each CPU, and beyond that what `ulimit -l` says. */
export function lockableBytesPerBuffer(machine: Machine, count: number): number {
  if (machine.rights.ipcLock || (machine.paranoid ?? 2) < 0) return Number.POSITIVE_INFINITY;
  const allowed = (machine.mlockKb ?? 0) * KIB * machine.cpu.online.length + machine.lockableBytes;
  return allowed / count;
}

/** Whether the kernel will let that much be locked. */
export function canLock(machine: Machine, buffers: Buffers): boolean {
  const each = buffers.auxBytes + (buffers.dataBytes ?? SMALL_DATA_BYTES) + PAGE_BYTES;
  return each <= lockableBytesPerBuffer(machine, buffers.count);
}

function floorToPowerOfTwo(bytes: number): number {
  return bytes < 1 ? 0 : 2 ** Math.floor(Math.log2(bytes));
}
