/**
 * The rows of the time axis: the threads that are selected, most active first, below all of them together.
 */

import type { TimedThread, Timeline } from '../../model/profile/timeline.js';
import { ACTIVITIES, Activity } from '../../model/profile/timeline.js';
import type { Tid } from '../../model/units.js';
import { formatMany } from '../../render/format.js';
import type { PageData, PageThread } from '../data/page-data.js';
import type { StripThread } from './columns.js';
import type { ThreadRow } from './threads.js';

export interface StripRow {
  readonly name: string;
  /** null: all threads together. */
  readonly tid: Tid | null;
  readonly threads: readonly StripThread[];
}

/** `chosen`: the selected threads. */
export function stripRows({ threads }: Timeline, data: PageData, chosen: readonly ThreadRow[]): StripRow[] {
  const timed = new Map(threads.map((thread) => [thread.tid, thread]));
  const rows = chosen.flatMap(({ threads: [index], name, which }): StripRow[] => {
    const { tid, node } = data.threads[index as number] as PageThread;
    const thread = timed.get(tid);
    const title = name.endsWith(which) ? name : `${name} ${which}`;
    return thread === undefined ? [] : [{ name: title, tid, threads: [{ ...thread, node }] }];
  });
  const running = new Map(rows.map((row) => [row, runningNs(row.threads[0] as TimedThread)]));
  rows.sort((a, b) => (running.get(b) ?? 0) - (running.get(a) ?? 0) || (a.tid ?? 0) - (b.tid ?? 0));
  if (rows.length < 2) return rows;
  const all = rows.flatMap((row) => row.threads);
  return [{ name: formatMany(rows.length, 'thread'), tid: null, threads: all }, ...rows];
}

function runningNs({ strip }: TimedThread): number {
  let ns = 0;
  for (let at: number = Activity.Running; at < strip.length; at += ACTIVITIES) ns += strip[at];
  return ns;
}

/** Returns what any of the threads does, as `Activity`, ascending. */
export function activitiesIn(threads: readonly TimedThread[]): number[] {
  const found = new Set<number>();
  for (const { strip } of threads)
    for (let at = 0; at < strip.length; at++) if (strip[at] > 0) found.add(at % ACTIVITIES);
  return [...found].sort();
}
