/**
 * Chooses the size of perf's buffers: one per CPU or thread, all locked into memory.
 */
import type { Machine } from './machine/probe.js';

export interface Buffers {
  /** Size of a buffer for records; null: perf's default. */
  readonly dataBytes: number | null;
  /** Size of a buffer for trace data. */
  readonly auxBytes: number;
  readonly count: number;
}

const KIB = 1024;
const MAX_DEFAULT_BYTES = 32 * KIB * KIB;
/** perf's default for unprivileged users. */
const MIN_DEFAULT_BYTES = 128 * KIB;
/** The data buffer of users who may lock only little memory, as perf chooses it; a header page precedes it. */
const SMALL_DATA_BYTES = 256 * KIB;
const PAGE_BYTES = 4 * KIB;
/** The part of the available memory that all buffers may use. */
const MAX_MEMORY_SHARE = 0.25;

/** For tracepoints and probes of a busy program: 40,000 a second for half a second. */
const EVENT_DATA_BYTES = 4 * KIB * KIB;

/**
 * `auxBytes`: the requested size; undefined: the largest power of two within memory and limits, up to 32 MiB. `hasEvents`:
 * tracepoints or probes are recorded in addition.
 */
export function chooseBuffers(
  machine: Machine,
  count: number,
  auxBytes: number | undefined,
  hasEvents = false,
): Buffers {
  const lockable = lockableBytesPerBuffer(machine, count);
  const isUnlimited = lockable === Number.POSITIVE_INFINITY;
  const dataBytes = isUnlimited ? (hasEvents ? EVENT_DATA_BYTES : null) : SMALL_DATA_BYTES;
  if (auxBytes !== undefined) return { dataBytes, auxBytes, count };
  const inMemory = (machine.availableBytes * MAX_MEMORY_SHARE) / count;
  const largest = Math.min(MAX_DEFAULT_BYTES, lockable - SMALL_DATA_BYTES - PAGE_BYTES, inMemory);
  return { dataBytes, auxBytes: Math.max(floorToPowerOfTwo(largest), MIN_DEFAULT_BYTES), count };
}

/** Returns the buffers of a recording without Intel PT; the size requested is that of the buffers for records. */
export function eventBuffers(machine: Machine, count: number, bytes: number | undefined): Buffers {
  const { dataBytes } = chooseBuffers(machine, count, bytes, true);
  return { dataBytes: bytes ?? dataBytes, auxBytes: 0, count };
}

export function totalBytes({ auxBytes, dataBytes, count }: Buffers): number {
  return (auxBytes + (dataBytes ?? 0)) * count;
}

/** The kernel lets each user lock perf_event_mlock_kb per CPU, plus what `ulimit -l` allows. */
export function lockableBytesPerBuffer(machine: Machine, count: number): number {
  if (machine.rights.ipcLock || (machine.paranoid ?? 2) < 0) return Number.POSITIVE_INFINITY;
  const allowed = (machine.mlockKb ?? 0) * KIB * machine.cpu.online.length + machine.lockableBytes;
  return allowed / count;
}

/** Returns whether this user may lock all buffers into memory. */
export function canLock(machine: Machine, buffers: Buffers): boolean {
  const each = buffers.auxBytes + (buffers.dataBytes ?? SMALL_DATA_BYTES) + PAGE_BYTES;
  return each <= lockableBytesPerBuffer(machine, buffers.count);
}

function floorToPowerOfTwo(bytes: number): number {
  return bytes < 1 ? 0 : 2 ** Math.floor(Math.log2(bytes));
}
