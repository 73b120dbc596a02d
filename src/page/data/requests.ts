/**
 * Defines the requests of the report page: a block of JSON, which has names as text, as threads that were not traced and
 * their functions need not be in the call trees.
 */
import type { Nanoseconds, Tid } from '../../model/units.js';

/** Times are those of the profile; numbers are those of `ptflame requests`. */
export interface PageRequests {
  /** Their functions, "handle_request". */
  readonly name: string;
  readonly requests: number;
  readonly complete: number;
  readonly threads: number;
  readonly otherThreads: number;
  /** Null: no request is complete. */
  readonly stats: RequestTimes | null;
  /** If not, 0 of others is not known. */
  readonly isFlowNamed: boolean;
  readonly typical: RequestGroup | null;
  readonly slowest: RequestGroup | null;
  readonly where: readonly RequestPlace[];
  readonly whereLeftOut: number;
  /** The slowest first; others are left out. */
  readonly listed: readonly ListedRequest[];
  /** Shorter calls and waits are left out. */
  readonly minNs: Nanoseconds;
  /** Those of spans. */
  readonly functions: readonly ListedFunction[];
}

interface RequestTimes {
  readonly p50Ns: Nanoseconds;
  readonly p90Ns: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

export interface RequestGroup {
  readonly requests: number;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Average time per request of a group. */
export interface RequestPlace {
  readonly isOwn: boolean;
  /** Null: not known. */
  readonly name: string | null;
  /** The function of a library that it called; null: none. */
  readonly call: string | null;
  /** "[off-cpu]"; null: it ran. */
  readonly stop: string | null;
  readonly reason: string | null;
  readonly typicalNs: Nanoseconds;
  readonly slowestNs: Nanoseconds;
}

export interface ListedRequest {
  /** 1: the slowest of all. */
  readonly rank: number;
  readonly tid: Tid;
  readonly comm: string | null;
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** Of its own thread, in stops; those that are too short to be listed are left out. */
  readonly waitingNs: Nanoseconds;
  /** Its own call first. Empty: left out. */
  readonly parts: readonly ListedPart[];
}

export interface ListedPart {
  readonly tid: Tid;
  readonly comm: string | null;
  /** Another part that may have been for another request. */
  readonly isCandidate: boolean;
  /** After its request began. */
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** The longest, by time; callers before what they called. */
  readonly spans: readonly ListedSpan[];
}

/** A call or stop: its depth, its row among the functions, when it began after its request, its duration; 1: it is inferred. */
export type ListedSpan = readonly [
  depth: number,
  fn: number,
  startNs: Nanoseconds,
  durationNs: Nanoseconds,
  inferred?: 1,
];

/** Dso: null: not recorded. */
export type ListedFunction = readonly [name: string, dso: string | null];

/** Returns JSON that can stand in a script element. */
export function scriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
