/**
 * Where a file keeps the events of a thread, in blocks of little room; plain data.
 */
import type { Nanoseconds, Tid } from '../units.js';

export interface PackedThread {
  readonly tid: Tid;
  /** By processor. */
  readonly lanes: readonly PackedLane[];
  /** In their order: of each processor from its first event to its last, one processor behind the other. */
  readonly blocks: readonly PackedBlock[];
}

/** What one processor saw of a thread. */
export interface PackedLane {
  readonly cpu: number;
  readonly events: number;
}

export interface PackedBlock {
  /** Where its bytes begin in the file, and how many there are. */
  readonly offset: number;
  readonly bytes: number;
  /** Of these bytes, as they stand in the file. */
  readonly crc: number;
  /** How many they are when they are inflated; as many as `bytes` if they are not deflated. */
  readonly inflatedBytes: number;
  readonly events: number;
  /** The earliest of its events, and the latest. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** More are in no block: who reads one knows how much memory that may need. */
export const MAX_BLOCK_EVENTS = 64 * 1024;
/** A site takes up to five bytes, a time up to nine; and each of them may have come from a processor of its own. */
export const MAX_BLOCK_BYTES = 2 ** 21;
export const MIN_EVENT_BYTES = 2;
/** A block that would shrink more is not deflated: a small file cannot ask for much memory. */
export const MAX_BLOCK_INFLATION = 64;
