/**
 * Turns the times and durations of calls into the part of an answer that shows when they were.
 */
import type { CallsOverTime, TimedCall } from '../../analysis/calls/over-time.js';
import { rowStartNs, TIME_COLUMNS } from '../../analysis/calls/time-grid.js';
import type { Profile } from '../../model/profile/profile.js';
import { isComplete, UNWOUND } from '../../model/profile/quality.js';
import { clockText } from '../common.js';
import type * as schema from '../schema.js';

/** `calls`: how many there are. */
export function overTimeOf(
  { cells, listed }: CallsOverTime,
  calls: number,
  { meta, threads }: Profile,
): schema.CallsOverTime {
  const threadOf = new Map(threads.map((thread) => [thread.tid, thread]));
  const timedCall = ({ tid, startNs, durationNs, ending }: TimedCall): schema.TimedCall => ({
    tid,
    pid: threadOf.get(tid)?.pid ?? null,
    comm: threadOf.get(tid)?.comm ?? null,
    start: clockText(meta, startNs),
    startNs: startNs - meta.startNs,
    durationNs,
    isInferred: !isComplete(ending),
    isUnwound: ending === UNWOUND,
  });
  return {
    calls: listed.map(timedCall),
    callsLeftOut: calls - listed.length,
    columns: TIME_COLUMNS,
    cells: cells.map(({ column, row, ...counts }) => {
      return { column, fromNs: rowStartNs(row), toNs: rowStartNs(row + 1), ...counts };
    }),
  };
}
