/**
 * Says what the threads of two recordings did over time, for the time axis of their comparison.
 */
import { ACTIVITIES, NO_SPANS, type TimedThread, type Timeline } from '../../model/profile/timeline.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import { addStrip, TimeColumns } from '../view/columns.js';

/** Asks for the strips of a recording alone: they do not count as bytes of its timeline. */
export const STRIPS_ALONE = { timelineBytes: 1 } as const satisfies AnalyzeOptions;

const SLICES = 512;

/**
 * Returns a timeline of two threads, as the profile of both recordings has, each from its own start: the mean of all threads
 * of one. There are no calls. null: of neither is known what it did.
 */
export function stripsOfBoth(before: Timeline | null, after: Timeline | null): Timeline | null {
  const durationNs = Math.max(before?.durationNs ?? 0, after?.durationNs ?? 0);
  if (durationNs === 0) return null;
  const stripSliceNs = Math.ceil(durationNs / SLICES);
  const window = { startNs: 0, endNs: SLICES * stripSliceNs, columns: SLICES };
  const thread = (tid: number, timeline: Timeline | null): TimedThread[] => {
    if (timeline === null) return [];
    const columns = new TimeColumns(window, ACTIVITIES);
    for (const each of timeline.threads) addStrip(columns, each, timeline, window);
    const strip = columns.ns.map((ns) => Math.round(ns / timeline.threads.length));
    return [{ tid, strip, sums: null, spans: { levels: [], split: NO_SPANS } }];
  };
  return {
    ...{ startNs: 0, durationNs, stripSliceNs, sumsSliceNs: null, minPathNs: 0, minSpanNs: 0, wakings: null },
    threads: [...thread(0, before), ...thread(1, after)],
  };
}
