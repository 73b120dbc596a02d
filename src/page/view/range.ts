/**
 * Time ranges: where they may begin and end.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';

type Slices = Pick<Timeline, 'durationNs' | 'sumsSliceNs'>;

/** Returns the range between the nearest borders of slices; null: all of the timeline, or numbers of ranges are unknown. */
export function snappedRange(timeline: Slices, { startNs, endNs }: Bounds): Bounds | null {
  const { durationNs, sumsSliceNs } = timeline;
  if (sumsSliceNs === null || startNs >= durationNs) return null;
  const stepNs = Math.max(1, sumsSliceNs);
  const fromNs = Math.min(nearestBorder(timeline, startNs), lastBorderBefore(durationNs, stepNs));
  const toNs = Math.max(nearestBorder(timeline, endNs), Math.min(durationNs, fromNs + stepNs));
  return fromNs === 0 && toNs === durationNs ? null : { startNs: fromNs, endNs: toNs };
}

/** Returns the border of a slice that is nearest to a time; the timeline ends at one. */
function nearestBorder({ durationNs, sumsSliceNs }: Slices, ns: Nanoseconds): Nanoseconds {
  const stepNs = Math.max(1, sumsSliceNs ?? 1);
  const borderNs = stepNs * Math.round(Math.max(0, ns) / stepNs);
  return durationNs - ns < Math.abs(borderNs - ns) ? durationNs : Math.min(borderNs, durationNs);
}

/** Returns the border that is some steps away. */
export function borderAway(timeline: Slices, ns: Nanoseconds, steps: number): Nanoseconds {
  const stepNs = Math.max(1, timeline.sumsSliceNs ?? 1);
  const from = steps > 0 ? Math.floor(ns / stepNs) : Math.ceil(ns / stepNs);
  return Math.min(timeline.durationNs, Math.max(0, stepNs * (from + steps)));
}

function lastBorderBefore(durationNs: Nanoseconds, stepNs: Nanoseconds): Nanoseconds {
  return Math.max(0, stepNs * (Math.ceil(durationNs / stepNs) - 1));
}
