/**
 * Leaves out the shortest calls of lists of events.
 */
import { type CallEvents, isBeginning } from '../model/calls/call-events.js';
import { boundForLongest, rowNumbers, valuesOf } from '../model/columns.js';
import type { Nanoseconds } from '../model/units.js';

/** Events, and how long the call of each lasted; Infinity while it is open. */
export interface TimedEvents extends CallEvents {
  readonly durationNs: Float64Array;
}

/**
 * Returns the bound that selects the longest `maxCalls` calls; if several are the longest of all, they are selected even
 * if they are more.
 */
export function longestBound(lists: readonly TimedEvents[], maxCalls: number): Nanoseconds {
  const durations = durationsOf(lists);
  const longestNs = durations.reduce((longest, ns) => Math.max(longest, ns), 0);
  return Math.min(boundForLongest(durations, maxCalls), longestNs);
}

/** Returns the duration of each call. */
function durationsOf(lists: readonly TimedEvents[]): Float64Array {
  const durations = new Float64Array(lists.reduce((sum, { kind }) => sum + kind.length, 0));
  let count = 0;
  for (const { kind, durationNs } of lists)
    for (let row = 0; row < kind.length; row++) if (isBeginning(kind[row])) durations[count++] = durationNs[row];
  return durations.subarray(0, count);
}

/** Returns the events of calls that lasted at least so long. */
export function withoutShorter(events: TimedEvents, minNs: Nanoseconds): TimedEvents {
  const { timeNs, node, kind, durationNs } = events;
  const rows = rowNumbers(kind.length).filter((row) => durationNs[row] >= minNs);
  if (rows.length === kind.length) return events;
  return {
    timeNs: valuesOf(timeNs, rows),
    node: valuesOf(node, rows),
    kind: valuesOf(kind, rows),
    durationNs: valuesOf(durationNs, rows),
  };
}
