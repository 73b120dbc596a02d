/**
 * Which thread ended which wait: an arrow from waker to waiter. Times are relative to the start of the timeline.
 */
import type { WaitThread } from '../profile/waits-by-path.js';

/** Waits that no thread ended, as far as is known, are not among them. */
export interface Wakings {
  /** All threads that are named below, by tid; `isTraced`: it is in the profile. */
  readonly threads: readonly WaitThread[];
  /** By waiter, then by time. */
  readonly rows: WakingRows;
  /** By `WAKING_SLICES` parts of the timeline of equal length: how many are left out, those of the shortest waits. */
  readonly leftOut: readonly number[];
}

export const WAKING_SLICES = 256;

export interface WakingRows {
  /** Places in `threads`. */
  readonly waiter: Int32Array;
  readonly waker: Int32Array;
  /** When the waiter stopped running, was woken, and ran again. It can be woken just before it stops. */
  readonly startNs: Float64Array;
  readonly wakeNs: Float64Array;
  readonly runNs: Float64Array;
  /** 1: the waker ran at that moment, but an interrupt may have done it. */
  readonly isMaybe: Uint8Array;
}
