/**
 * Where a file stores the blocks of a thread; plain data.
 */
import type { Nanoseconds, Tid } from '../units.js';

export interface PackedThread {
  readonly tid: Tid;
  /** By CPU. */
  readonly lanes: readonly PackedLane[];
  /** One CPU after another, each in the order of its events. */
  readonly blocks: readonly PackedBlock[];
}

/** A lane of a thread in a file. */
export interface PackedLane {
  readonly cpu: number;
  readonly events: number;
}

export interface PackedBlock {
  /** Offset and length of its bytes in the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Of these bytes, as stored. */
  readonly crc: number;
  /** Length after inflating; equal to `bytes` if the block is not deflated. */
  readonly inflatedBytes: number;
  readonly events: number;
  /** The earliest and the latest of its events. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Limits the memory that reading a block needs. */
export const MAX_BLOCK_EVENTS = 64 * 1024;
/** A site takes up to five bytes, a time up to nine, and each event may come from a different CPU. */
export const MAX_BLOCK_BYTES = 2 ** 21;
export const MIN_EVENT_BYTES = 2;
/** A block that would shrink by a larger factor is not deflated, so that a small file cannot demand much memory. */
export const MAX_BLOCK_INFLATION = 64;
