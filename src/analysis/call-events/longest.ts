/**
 * Leaves out the shortest calls of lists of events.
 */
import { type CallEvents, isBeginning } from '../../model/calls/call-events.js';
import { countAtOrBelow, countBelow, rowNumbers, valuesOf } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';

/** Events, and how long the call of each lasted; Infinity while it is open. */
export interface TimedEvents extends CallEvents {
  readonly durationNs: Float64Array;
}

/**
 * Returns the shortest duration that at most `maxCalls` calls reach; if even the longest calls are more, their duration.
 */
export function shortestOf(lists: readonly TimedEvents[], maxCalls: number): Nanoseconds {
  const ascending = durationsOf(lists).sort();
  const count = ascending.length;
  if (count <= maxCalls) return 0;
  const shortestNs = ascending[count - Math.max(1, maxCalls)];
  const isReachedByMore = count - countBelow(ascending, shortestNs) > maxCalls;
  return (isReachedByMore && ascending[countAtOrBelow(ascending, shortestNs)]) || shortestNs;
}

/** One for each call. */
function durationsOf(lists: readonly TimedEvents[]): Float64Array {
  const durations = new Float64Array(lists.reduce((sum, { kind }) => sum + kind.length, 0));
  let count = 0;
  for (const { kind, durationNs } of lists)
    for (let row = 0; row < kind.length; row++) if (isBeginning(kind[row])) durations[count++] = durationNs[row];
  return durations.subarray(0, count);
}

/** Returns the events of the calls that lasted as long. */
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
