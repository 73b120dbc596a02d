/**
 * What a thread lost, for the quality of the profile.
 */
import type { Address, Nanoseconds } from '../../model/units.js';

/** A stretch of which nothing is known. */
export interface ThreadGap {
  readonly atNs: Nanoseconds;
  readonly lengthNs: Nanoseconds;
  /** Where the thread was last; NaN: it was never seen. */
  readonly ip: Address;
  /** It is not seen again: nothing more of it could be decoded. */
  readonly isLast: boolean;
  /** How many errors of perf lie in it; 0: perf said nothing. */
  readonly errors: number;
  /** Of what is looked at. Default: yes. */
  readonly isInside?: boolean;
}

/** Where a thread was when it was lost, and whether it is seen again. */
export type LastSeen = Pick<ThreadGap, 'ip' | 'isLast'>;

export const NEVER_SEEN: LastSeen = { ip: Number.NaN, isLast: false };
