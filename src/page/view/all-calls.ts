/**
 * What a server of the page says of the calls of a function: all of them, but later.
 */

import type { ThreadSpans, Timeline } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import type { FoundCalls, ListedCall, SearchedThread } from './calls/find-listed-calls.js';

export interface CallsSearch {
  readonly timeline: Timeline;
  /** By tid. */
  readonly threads: readonly SearchedThread[];
  /** The time axis. */
  readonly bounds: Bounds;
  /** Only what is within them, which may cut calls. */
  readonly isPart: boolean;
}

export interface ServedCallsOf {
  /** null: not there yet. */
  readonly found: FoundCalls | null;
  /** The calls inside the slowest calls; null: too many. Those that are missing are not there yet. */
  readonly inside: ReadonlyMap<ListedCall, ThreadSpans | null>;
  /** Something is still to come. */
  readonly isAwaited: boolean;
  /** Why the server is not asked any more; null: it is. */
  readonly fault: string | null;
}

export interface AllCalls {
  /** Returns what is there, and asks for the rest. `key`: of the search. */
  of(key: string, search: CallsSearch): ServedCallsOf;
  /** Nothing that was asked for is needed any more. */
  stop(): void;
}
