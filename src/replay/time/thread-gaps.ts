/**
 * Gaps of a thread, for the quality of the profile.
 */
import type { Address, Nanoseconds } from '../../model/units.js';

/** An interval without trace data. */
export interface ThreadGap {
  readonly atNs: Nanoseconds;
  readonly lengthNs: Nanoseconds;
  /** The last known address of the thread; NaN: it was never seen. */
  readonly ip: Address;
  /** The thread is not seen again: nothing more of it could be decoded. */
  readonly isLast: boolean;
  /** Number of perf's errors in it; 0: perf reported none. */
  readonly errors: number;
  /** Whether it is in the selection. Default: true. */
  readonly isInside?: boolean;
}

/** Where a thread was when it was lost, and whether it is seen again. */
export type LastSeen = Pick<ThreadGap, 'ip' | 'isLast'>;

export const NEVER_SEEN: LastSeen = { ip: Number.NaN, isLast: false };
