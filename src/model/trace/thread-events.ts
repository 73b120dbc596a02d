/**
 * One thread's events on all CPUs, in chronological order.
 */
import type { Tid } from '../units.js';

export interface ThreadEvents {
  readonly tid: Tid;
  readonly length: number;
  readonly site: Uint32Array; // SiteId
  readonly timeNs: Float64Array; // Nanoseconds; never decreases
}
