/**
 * Single calls as they began and ended, in the order of the log: for viewers that show calls over time. The events of a
 * thread nest: what began last ends first.
 */
import type { Nanoseconds, NodeId, Tid } from '../units.js';

export const CallEvent = {
  Begin: 0,
  /** It is on the thread's stack again, or on top of another frame; follows a `Leave` of the same call. */
  Resume: 1,
  /** It returned. */
  End: 2,
  /** It ended without a return. */
  Unwound: 3,
  /** Its beginning or its end was not seen. */
  Cut: 4,
  /** Its stack was switched away from, or the frames below it change: it may go on later. */
  Leave: 5,
} as const;
export type CallEvent = (typeof CallEvent)[keyof typeof CallEvent];

/** The events of a thread. Stops are calls, too. */
export interface CallEvents {
  readonly timeNs: Float64Array;
  /** The call path; of both events of a call, unless its path changed in between. */
  readonly node: Int32Array;
  readonly kind: Uint8Array; // CallEvent
}

export interface ThreadCallEvents extends CallEvents {
  readonly tid: Tid;
}

/** The longest calls of all threads. */
export interface LongestCalls {
  /** By tid, in the profile's time; nodes are those of each thread's tree. */
  readonly threads: readonly ThreadCallEvents[];
  /** Calls, and parts between a `Resume` and a `Leave`, that lasted shorter are left out. */
  readonly minNs: Nanoseconds;
  /** How many of these there are. */
  readonly leftOut: number;
}

export function isBeginning(kind: number): boolean {
  return kind <= CallEvent.Resume;
}

/** Reports each event with the depth at which its call is drawn: 0 is the lowest call that is not left out. */
export function forEachEvent(
  { timeNs, node, kind }: CallEvents,
  report: (kind: CallEvent, timeNs: Nanoseconds, node: NodeId, depth: number) => void,
): void {
  let depth = 0;
  for (let row = 0; row < kind.length; row++) {
    const own = kind[row] as CallEvent;
    if (!isBeginning(own)) depth--;
    report(own, timeNs[row], node[row], depth);
    if (isBeginning(own)) depth++;
  }
}
