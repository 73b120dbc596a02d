/**
 * One thread's events, in the order in which they happened, over all processors it ran on.
 */
import type { Tid } from '../units.js';

export interface ThreadEvents {
  readonly tid: Tid;
  readonly length: number;
  readonly site: Uint32Array; // SiteId
  readonly timeNs: Float64Array; // Nanoseconds; never decreases
}
