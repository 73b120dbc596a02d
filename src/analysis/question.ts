/**
 * The question about single calls as events, and the answer of a thread.
 */

import type { Bounds, Nanoseconds } from '../model/units.js';
import type { TimedEvents } from './longest.js';

export interface EventsQuestion {
  /** Calls outside of it are left out; those that it cuts are whole. */
  readonly window: Bounds;
  /** Shorter calls are left out. */
  readonly minNs: Nanoseconds;
  /** If there are more, the shortest are left out. */
  readonly maxCalls: number;
}

/** The longest calls of a thread. */
export interface ThreadEventsOfCalls {
  readonly events: TimedEvents;
  /** Shorter ones are left out. */
  readonly minNs: Nanoseconds;
  readonly leftOut: number;
}
